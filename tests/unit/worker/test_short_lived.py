"""A process of one job ends at once when it is done: what it printed is out, and nothing is taken apart."""

from __future__ import annotations

import subprocess
import sys

import pytest

from worker.process import child

ENDING = """
import atexit, sys
from worker.short_lived import leave
atexit.register(print, "taken apart")
sys.stdout.write("said")
{0}
leave(3)
"""


def ended(meanwhile: str = "") -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", ENDING.format(meanwhile)]
    return subprocess.run(command, capture_output=True, text=True, timeout=60)


def test_what_was_said_is_out_and_nothing_is_taken_apart() -> None:
    told = ended()
    assert (told.returncode, told.stdout, told.stderr) == (3, "said", "")


def test_where_nobody_listens_it_ends_all_the_same() -> None:
    nobody = "import os; read, write = os.pipe(); os.close(read); os.dup2(write, 1)"
    assert ended(nobody).returncode != 0


def test_an_engine_leaves_when_its_job_is_done(monkeypatch: pytest.MonkeyPatch) -> None:
    class Left(Exception):
        """Stands in for the end."""

    def leave(code: int) -> None:
        raise Left(code)

    def nobody(talk: object) -> None:
        raise EOFError

    monkeypatch.setattr(child, "leave", leave)
    monkeypatch.setattr(child, "short_lived", lambda: None)
    monkeypatch.setattr(child, "private_socket", lambda: None)
    monkeypatch.setattr(child.channel, "receive", nobody)
    with pytest.raises(Left) as left:
        child.main()
    assert left.value.args == (0,)
