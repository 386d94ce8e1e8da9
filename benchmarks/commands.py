"""The whole command line against reading the same file with pyarrow and writing it back."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks import data
from benchmarks.table import Result
from benchmarks.timing import Usage, command

if TYPE_CHECKING:
    from benchmarks.suite import Setting

GIGABYTE = 10**9
MEMORY = "1500MB"
MEMORY_BOUND = 1.5
SMALL_ROWS, LITTLE_MEMORY = 20_000, "3MB"
WRITERS = {".csv": data.write_csv, ".parquet": data.write_parquet}
CSV_AND_BACK = "import sys, pyarrow.csv as c; c.write_csv(c.read_csv(sys.argv[1]), sys.argv[2])"
PARQUET_AND_BACK = "import sys, pyarrow.parquet as p; p.write_table(p.read_table(sys.argv[1]), sys.argv[2])"


def anonymize(setting: Setting) -> list[Result]:
    """k = 5 on six columns, input order kept, everything measured; then the bytes are checked."""
    recipe = setting.recipe()
    return [
        *_measured(setting, recipe, setting.parquet(), PARQUET_AND_BACK, "Parquet"),
        *_measured(setting, recipe, setting.csv(), CSV_AND_BACK, "CSV"),
    ]


def nearly_unique(setting: Setting) -> list[Result]:
    """Nearly every row is its own class: what counts is memory."""
    recipe = data.write_recipe(setting.folder / "recipe-unique.json", suppression_limit=0.1)
    sources = ((setting.parquet, PARQUET_AND_BACK, "Parquet"), (setting.csv, CSV_AND_BACK, "CSV"))
    found = []
    for source, back, name in sources:
        name = f"{name}, nearly unique rows"
        found += _measured(setting, recipe, source(unique=True), back, name, bound=None)
    return found


def _measured(
    setting: Setting, recipe: Path, source: Path, back: str, name: str, bound: float | None = 2.5
) -> list[Result]:
    """The command, and `verify` of what it made; the files go when they are no longer needed."""
    out = source.with_stem(f"{source.stem}-out")
    options = ("--keep-order", "--memory", MEMORY, "--out", out)
    _warm_up(setting, recipe, source)
    ours = command(setting.repeat, "-m", "worker", "anonymize", recipe, source, *options)
    checked = command(setting.repeat, "-m", "worker", "verify", recipe, out)
    out.unlink()
    reference = command(setting.repeat, "-c", back, source, out)
    out.unlink()
    source.unlink()
    return [
        *_beside(f"anonymize {name}", ours, reference, bound),
        *_beside(f"verify {name}", checked, reference, None),
    ]


def _beside(what: str, ours: Usage, reference: Usage, bound: float | None) -> list[Result]:
    peak = ours.peak_bytes / GIGABYTE
    return [
        Result(what, ours.seconds, reference.seconds, "pyarrow: read, write back", bound),
        Result(f"{what}: processor", ours.processor, reference.processor, "pyarrow: processor"),
        Result(f"{what}: peak memory", peak, 1.0, "1 GB", MEMORY_BOUND, "GB"),
    ]


def _warm_up(setting: Setting, recipe: Path, source: Path) -> None:
    """First runs on few rows, so that nothing is compiled while the clock runs: in memory, and out of it."""
    small = setting.folder / f"small{source.suffix}"
    WRITERS[source.suffix](small, SMALL_ROWS, unique=True)
    for memory in (MEMORY, LITTLE_MEMORY):
        out = small.with_stem("small-out")
        command(
            1, "-m", "worker", "anonymize", recipe, small, "--keep-order", "--memory", memory, "--out", out
        )
