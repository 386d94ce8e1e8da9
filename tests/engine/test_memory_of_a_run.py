"""What a run holds in memory does not follow the number of rows: the rows lie sealed outside."""

import os
import subprocess
import sys
from pathlib import Path

from benchmarks import data

FEW, MANY = 200_000, 1_000_000
LIMIT = "48MB"
ROOM = 60 * 1024
"""Kilobytes: what chunks and their order take more of. The rows alone would take 70 MB more as text."""


def test_memory_does_not_follow_the_rows(tmp_path: Path) -> None:
    recipe = data.write_recipe(tmp_path / "recipe.json", suppression_limit=0.2)
    few, many = (_peak(recipe, data.write_csv(tmp_path / f"{n}.csv", n)) for n in (FEW, MANY))
    assert many - few < ROOM


def _peak(recipe: Path, source: Path) -> int:
    """Kilobytes that the whole command took at most."""
    out = source.with_suffix(".out.csv")
    command = ["-m", "worker", "anonymize", recipe, source, "--out", out, "--keep-order", "--memory", LIMIT]
    process = subprocess.Popen([sys.executable, *map(str, command)])
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0
    return used.ru_maxrss
