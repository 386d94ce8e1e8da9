"""What the measures of a run add to it: by default, and with models that are trained."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.csv as arrow_csv

from benchmarks import data
from benchmarks.commands import CSV_AND_BACK
from benchmarks.table import Result
from benchmarks.timing import Usage, command

if TYPE_CHECKING:
    from benchmarks.suite import Setting

TRAINED = ("propensity", "models", "regression")
BY_DEFAULT_BOUND, TRAINED_BOUND = 3.0, 8.0
GIGABYTE, MOST_GIGABYTES = 10**9, 2.0
SMALL_ROWS = 2_000


def measuring(setting: Setting) -> list[Result]:
    """A run of twelve columns without measures, with those of `*`, and with trained ones too."""
    small, source = (_twelve(setting.folder, rows) for rows in (SMALL_ROWS, setting.rows))
    out = source.with_stem("twelve-out")
    reference = command(setting.repeat, "-c", CSV_AND_BACK, source, out)
    ways: tuple[list[str], ...] = ([], ["*"], ["*", *TRAINED])
    bare, default, trained = (_run(setting, ways[at], small, source, out) for at in range(3))
    found = [
        *_added("default measures", default, bare, reference, BY_DEFAULT_BOUND),
        *_added("default and trained measures", trained, bare, reference, TRAINED_BOUND),
    ]
    for made in (small, source, out, out.with_suffix(".json")):
        made.unlink(missing_ok=True)
    return found


def _twelve(folder: Path, rows: int) -> Path:
    """The invented rows with two columns more."""
    ten = data.write_csv(folder / "ten.csv", rows)
    table = arrow_csv.read_csv(ten)
    ten.unlink()
    for name, of in (("visits", "age"), ("region", "country")):
        table = table.append_column(name, table[of].take(pa.array(range(rows - 1, -1, -1))))
    path = folder / f"twelve-{rows}.csv"
    arrow_csv.write_csv(table, path)
    return path


def _run(setting: Setting, measures: list[str], small: Path, source: Path, out: Path) -> Usage:
    recipe: dict[str, Any] = data.recipe(5, 0.02) | {"measures": measures}
    recipe["columns"] |= {"visits": {"role": "other", "kind": "integer"}, "region": {"role": "other"}}
    path = setting.folder / "recipe-measures.json"
    path.write_text(json.dumps(recipe))
    asked = ("--report", out.with_suffix(".json"), "--out", out)
    command(
        1, "-m", "worker", "anonymize", path, small, *asked
    )  # whatever is not compiled yet is compiled now
    return command(setting.repeat, "-m", "worker", "anonymize", path, source, *asked)


def _added(what: str, with_them: Usage, bare: Usage, reference: Usage, bound: float) -> list[Result]:
    """Beside reading and writing the file; what the run itself takes is not theirs."""
    added, work = with_them.seconds - bare.seconds, with_them.processor - bare.processor
    peak = with_them.peak_bytes / GIGABYTE
    return [
        Result(f"{what}, added to a run", added, reference.seconds, "pyarrow: read, write back", bound),
        Result(f"{what}: processor", work, reference.processor, "pyarrow: processor"),
        Result(f"{what}: peak memory", peak, 1.0, "1 GB", MOST_GIGABYTES, "GB"),
    ]
