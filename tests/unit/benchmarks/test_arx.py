"""ARX beside us: the command line that makes its runs and what is read of them, with a stand-in for Java."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from benchmarks.arx import PROGRAM, WARMING, Arx, Round, read

STAND_IN = """#!/bin/sh
echo "$0" "$@" >> "{said}"
echo "WARNING: 3 of 4 lines are not ours"
i=0
while [ $i -lt {rounds} ]; do i=$((i + 1)); echo "round 0.$((99 - i)) 1 0 2"; done
"""


@pytest.fixture
def said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A `java` and a `javac` that note how they were started; the first prints rounds that get faster."""
    said = tmp_path / "said"
    for name, rounds in (("java", WARMING + 3), ("javac", 0)):
        program = tmp_path / "bin" / name
        program.parent.mkdir(exist_ok=True)
        program.write_text(STAND_IN.format(said=said, rounds=rounds))
        program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}")
    return said


def test_the_best_round_after_the_first_ones_counts(said: Path, tmp_path: Path) -> None:
    arx = Arx(tmp_path / "arx.jar", tmp_path, ("age", "sex", "zip"))
    arx.compiled()
    assert arx.warm(0.02, 3) == Round(0.76, (1, 0, 2))
    compiler, java = (line.split() for line in said.read_text().splitlines())
    assert compiler[1:] == ["-cp", str(arx.jar), "-d", str(tmp_path), str(PROGRAM)]
    assert java[1:4] == ["-cp", f"{arx.jar}:{tmp_path}", "ArxRuns"]
    assert java[4:] == [str(tmp_path), "0.02", str(WARMING + 3), "age", "sex", "zip"]


def test_a_cold_run_is_one_round_in_a_process(said: Path, tmp_path: Path) -> None:
    usage = Arx(tmp_path / "arx.jar", tmp_path, ("age",)).cold(0.0, 2)
    assert usage.seconds > 0
    assert [line.split()[5:] for line in said.read_text().splitlines()] == [["0.0", "1", "age"]] * 2


def test_other_lines_are_left_out() -> None:
    assert read("Picked up something\nround 0.5 1 2\n\n") == [Round(0.5, (1, 2))]
