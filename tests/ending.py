"""Ends what the suite started once the suite is gone, whatever ended it and whatever it left behind.

Everything that tests start carries a mark in its environment, however far it has moved away from its parents.
"""

import os
import select
import signal
import subprocess
import sys
import time
import uuid
from contextlib import suppress
from pathlib import Path

MARK = "TESTS_STARTED_BY"
GRACE = 10.0
"""Seconds for saying goodbye; a database server needs some of them."""

_waiting: "list[subprocess.Popen[bytes]]" = []


def watch() -> None:
    """Mark what this process starts from now on, and have somebody wait for its end."""
    mark, nobody = uuid.uuid4().hex, subprocess.DEVNULL
    command = [sys.executable, str(Path(__file__)), str(os.getpid()), mark]
    new_session = {"start_new_session": True}  # what ends us must not end it
    _waiting.append(subprocess.Popen(command, stdin=nobody, stdout=nobody, stderr=nobody, **new_session))
    os.environ[MARK] = mark


def marked(mark: str) -> list[int]:
    """Every process that carries the mark."""
    said = f"{MARK}={mark}".encode()
    found = []
    for entry in Path("/proc").iterdir():
        with suppress(OSError):
            if entry.name.isdigit() and said in (entry / "environ").read_bytes().split(b"\0"):
                found.append(int(entry.name))
    return found


def end_after(suite: int, mark: str) -> None:
    """Wait for the end of the suite, then end what carries its mark: first with a word, then without."""
    with suppress(ProcessLookupError):
        over = os.pidfd_open(suite)
        select.select([over], [], [])  # the suite's own limits end it
    _signal(marked(mark), signal.SIGTERM)
    deadline = time.monotonic() + GRACE
    while marked(mark) and time.monotonic() < deadline:
        time.sleep(0.1)
    _signal(marked(mark), signal.SIGKILL)


def _signal(processes: list[int], number: int) -> None:
    for process in processes:
        with suppress(ProcessLookupError):
            os.kill(process, number)


if __name__ == "__main__":
    end_after(int(sys.argv[1]), sys.argv[2])
