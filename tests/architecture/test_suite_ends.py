"""A suite that cannot hang: a test without an end is red, and nothing that was started outlives the run."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.site import until

ROOT = Path(__file__).resolve().parents[2]
CEILING = 6
PLANTED = """
import pathlib, signal, subprocess, threading

kept = []

def test_started_by_a_person():
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler

def test_leaves_somebody_behind():
    kept.append(subprocess.Popen(["sleep", "600"], start_new_session=True))
    pathlib.Path("left").write_text(str(kept[0].pid))

def test_waits_for_ever():
    threading.Event().wait()
"""
IN_THE_BACKGROUND = ("sh", "-c", "trap '' INT QUIT; exec \"$@\"", "sh")


@pytest.fixture
def planted(tmp_path: Path) -> Path:
    (tmp_path / "test_planted.py").write_text(PLANTED)
    return tmp_path


def started(folder: Path, *more: str) -> subprocess.Popen[str]:
    """The planted tests with the suite's own settings, as a script starts them in its background."""
    settings = ["-c", str(ROOT / "pyproject.toml"), "-p", "tests.conftest", "-p", "no:cacheprovider"]
    return subprocess.Popen(
        [*IN_THE_BACKGROUND, sys.executable, "-m", "pytest", *settings, "--rootdir", str(folder), *more, "."],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTEST_ADDOPTS": ""},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def left_behind(folder: Path) -> int:
    """Who was left behind by the planted tests, once there is somebody."""
    note = folder / "left"
    return int(until(lambda: note.exists() and note.read_text(), 60, "somebody is left behind"))


def is_gone(pid: int) -> bool:
    """Whether a process has ended; one that only waits to be buried has."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


def test_a_test_without_an_end_is_red_and_named(planted: Path) -> None:
    run = started(planted, "-n", "2", "-o", f"faulthandler_timeout={CEILING}")
    said, _ = run.communicate(timeout=200)
    assert run.returncode == 1, said
    assert re.search(r"crashed while running '\S*::test_waits_for_ever'", said), said
    assert re.search(r'test_planted\.py", line \d+ in test_waits_for_ever', said), said
    assert "1 failed, 2 passed" in said, said
    until(lambda: is_gone(left_behind(planted)), 20, "what the tests started is gone")


def test_a_suite_that_is_stopped_takes_along_what_it_started(planted: Path) -> None:
    run = started(planted, "-n", "0")
    left = left_behind(planted)
    assert not is_gone(left)
    run.send_signal(signal.SIGTERM)
    run.communicate(timeout=20)
    assert run.returncode == -signal.SIGTERM
    until(lambda: is_gone(left), 20, "what the tests started is gone")
