"""`make run` in a terminal, as a person starts and ends it."""

from __future__ import annotations

import os
import pty
import select
import time
from functools import partial
from pathlib import Path

import pytest

from tests.functional.desk import ROOT, Desk, until

SECONDS = 120
CTRL_C = b"\x03"


def in_terminal(environment: dict[str, str], command: list[str]) -> tuple[int, int]:
    """Start a command on a terminal of its own; return its process and our end of the terminal."""
    child, terminal = pty.fork()
    if child == 0:
        os.chdir(ROOT)
        os.execvpe(command[0], command, environment)
    return child, terminal


def printed(terminal: int, text: bytes) -> bytes:
    """Read what the terminal shows until a text or its end."""
    shown, deadline = b"", time.monotonic() + SECONDS
    while text not in shown and time.monotonic() < deadline:
        if not select.select([terminal], [], [], 0.5)[0]:
            continue
        try:
            shown += os.read(terminal, 4096)
        except OSError:  # the other end is closed
            break
    return shown


def ended(child: int) -> str:
    """How it ended, if it did."""
    pid, status = os.waitpid(child, os.WNOHANG)
    return f"with {os.waitstatus_to_exitcode(status)}" if pid else ""


@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_ctrl_c_ends_make_run_with_exit_code_0(desk: Desk, tmp_path: Path) -> None:
    copy = desk.copied(tmp_path / "data")
    child, terminal = in_terminal(copy.environment(), ["make", "run"])
    shown = printed(terminal, b"Ctrl-C stops")
    assert b"Ctrl-C stops" in shown, shown.decode()
    os.write(terminal, CTRL_C)
    rest = printed(terminal, b"never printed")
    os.close(terminal)
    assert b"Stopped." in rest
    assert until(partial(ended, child), 30, "make ends") == "with 0"
