"""Whole commands that perturb or make up rows, against reading the file with pyarrow and writing it back.

Each command runs with all measures and without any: no measure may cost more than the rest of the command,
and what people wait for is the whole.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks import data
from benchmarks.commands import CSV_AND_BACK
from benchmarks.table import Result
from benchmarks.timing import Usage, command

if TYPE_CHECKING:
    from benchmarks.suite import Setting

NUMBERS = ("income", "score")
STEPS: dict[str, tuple[float, list[tuple[str, dict[str, Any]]]]] = {
    "noise": (3, [("noise", {"column": name}) for name in NUMBERS]),
    "rank swapping": (4, [("rank-swapping", {"columns": NUMBERS})]),
    "shuffling": (4, [("shuffling", {"columns": NUMBERS, "predictors": ["age"]})]),
    "microaggregation": (12, [("microaggregation", {"columns": ["age", *NUMBERS], "k": 5})]),
    "copula": (6, [("synthetic-copula", {})]),
    "trees": (12, [("synthetic-trees", {})]),
}
"""The steps of each command, and how many times reading and writing it may take."""
MEASURING = 2.0
"""A command with all measures may take so many times what it takes without any."""


def steps(setting: Setting) -> list[Result]:
    """Every command with all measures beside pyarrow, and beside itself without any."""
    source, out = setting.csv(), setting.folder / "made.csv"
    reference = command(setting.repeat, "-c", CSV_AND_BACK, source, out)
    found = []
    for name, (bound, chain) in STEPS.items():
        measured, plain = (_taken(setting, chain, source, out, asked) for asked in (["*"], []))
        found += [
            Result(name, measured.seconds, reference.seconds, "pyarrow: read, write back", bound),
            Result(f"{name}: processor", measured.processor, reference.processor, "pyarrow: processor"),
            Result(f"{name}: measured", measured.processor, plain.processor, "without measures", MEASURING),
        ]
    return found


def _taken(
    setting: Setting, chain: list[tuple[str, dict[str, Any]]], source: Path, out: Path, asked: list[str]
) -> Usage:
    """The command in the default order; a first run on few rows compiles what it needs."""
    recipe = setting.folder / "steps.json"
    recipe.write_text(json.dumps(_recipe(chain, asked)))
    small = data.write_csv(setting.folder / "few.csv", 20_000)
    command(1, "-m", "worker", "anonymize", recipe, small, "--out", out)
    return command(setting.repeat, "-m", "worker", "anonymize", recipe, source, "--out", out)


def _recipe(chain: list[tuple[str, dict[str, Any]]], asked: list[str]) -> dict[str, Any]:
    """The same columns for all of them, and no goal."""
    made = data.recipe(5, 0.0) | {"goals": [], "measures": asked}
    return made | {"steps": [{"method": slug, "params": params} for slug, params in chain]}
