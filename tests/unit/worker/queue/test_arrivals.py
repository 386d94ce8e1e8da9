"""Whoever waits is woken by what arrives; where the system tells nobody, the wait ends by itself."""

import time
from pathlib import Path
from threading import Timer

import pytest

from worker.queue import arrivals
from worker.queue.arrivals import Arrivals


def test_what_arrives_ends_the_wait(tmp_path: Path) -> None:
    folder, made = tmp_path / "folder", tmp_path / "made"
    folder.mkdir()
    made.touch()
    looking, began = Arrivals(folder), time.monotonic()
    Timer(0.05, lambda: made.rename(folder / "arrived")).start()
    looking.wait(30)
    assert time.monotonic() - began < 10
    began = time.monotonic()
    looking.wait(0.05)
    assert time.monotonic() - began >= 0.05, "what was told once is not told again"


def test_where_nothing_is_told_the_wait_ends_by_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Silent:
        """A system without such notes."""

        def inotify_init1(self, flags: int) -> int:
            return -1

    monkeypatch.setattr(arrivals, "_libc", Silent())
    looking, began = Arrivals(tmp_path), time.monotonic()
    looking.wait(0.02)
    assert time.monotonic() - began >= 0.02
