"""Pressing Run on census microdata, with a real worker: from the action until the run has succeeded."""

from __future__ import annotations

import csv
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.adult import adult
from benchmarks.table import Result

if TYPE_CHECKING:
    from benchmarks.suite import Setting

FRESH = "an interpreter for each process"
TWO_WORKERS = 1 / 1.8
"""Of the seconds of one worker. Two processors do so much only where a run does not take more than twice that
share of one worker's processor."""


def pressing(setting: Setting) -> list[Result]:
    """With an engine that is loaded ahead beside one that is not; alone, in company, and by two workers."""
    found = at_desk(setting, "benchmarks.desk")
    lines = {"press Run": "", "press Run, processor": " processor", "press Run, busy machine": " busy"}
    each = [Result(what, found[f"ready{kind}"], found[f"fresh{kind}"], FRESH) for what, kind in lines.items()]
    many = "one of many runs, two workers"
    one, two = ((found[f"workers {n}"], found[f"workers {n} processor"]) for n in (1, 2))
    return [
        *each,
        Result(many, two[0], one[0], "one worker", TWO_WORKERS),
        Result(f"{many}: processor", two[1], one[1], "one worker: processor", 2 * TWO_WORKERS),
    ]


def at_desk(setting: Setting, module: str) -> dict[str, float]:
    """What a program measures at a desk of its own, with the census and its hierarchies."""
    folder = setting.folder / module
    folder.mkdir()
    _write(folder, setting.data)
    return said_by(module, folder, setting.repeat)


def said_by(module: str, folder: Path, repeat: int) -> dict[str, float]:
    """What a program measures at a desk in this folder."""
    env = {
        **os.environ,
        "DJANGO_SETTINGS_MODULE": "stewardapp.settings",
        "STEWARD_DATA": str(folder / "data"),
        "STEWARD_LOG_LEVEL": "ERROR",
    }
    command = (sys.executable, "-m", module, str(folder), str(max(repeat, 1)))
    said = subprocess.run(command, env=env, check=True, text=True, stdout=subprocess.PIPE)
    found: dict[str, float] = json.loads(said.stdout.splitlines()[-1])
    return found


def _write(folder: Path, data: Path | None) -> None:
    census = adult(data)
    with (folder / "data.csv").open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(census.columns)
        rows.writerows(zip(*census.columns.values(), strict=True))
    (folder / "hierarchies.json").write_text(json.dumps(dict(census.hierarchies)))
