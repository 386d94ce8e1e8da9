"""The whole command line against reading the same file with pyarrow and writing it back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
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


@dataclass(frozen=True)
class Way:
    """One way to call the command, and how many times as long as reading and writing it may take."""

    what: str
    options: tuple[str, ...]
    reports: bool
    bound: float | None


SORTED = Way("sorted", (), False, 2.5)
AS_READ = Way("order kept", ("--keep-order",), False, 2.5)
TOLD = Way("sorted, report and records", (), True, 3.0)
UNIQUE = (
    Way("nearly unique rows", ("--memory", MEMORY), False, None),
    Way("nearly unique rows, report and records, any memory", (), True, None),
)


def anonymize(setting: Setting) -> list[Result]:
    """k = 5 on six columns, in both orders and with everything that can be asked for; then the bytes are
    checked."""
    recipe, ways = setting.recipe(), (SORTED, AS_READ, TOLD)
    return [
        *_measured(setting, recipe, setting.parquet(), PARQUET_AND_BACK, "Parquet", ways),
        *_measured(setting, recipe, setting.csv(), CSV_AND_BACK, "CSV", ways),
    ]


def nearly_unique(setting: Setting) -> list[Result]:
    """Nearly every row is its own class: what counts is memory."""
    recipe = data.write_recipe(setting.folder / "recipe-unique.json", suppression_limit=0.1)
    sources = ((setting.parquet, PARQUET_AND_BACK, "Parquet"), (setting.csv, CSV_AND_BACK, "CSV"))
    found = []
    for source, back, name in sources:
        found += _measured(setting, recipe, source(unique=True), back, name, UNIQUE)
    return found


def _measured(
    setting: Setting, recipe: Path, source: Path, back: str, name: str, ways: Sequence[Way]
) -> list[Result]:
    """The command in several ways, and `verify` of what it made; the files go when nobody needs them."""
    out = source.with_stem(f"{source.stem}-out")
    _warm_up(setting, recipe, source)
    reference = command(setting.repeat, "-c", back, source, out)
    found = []
    for way in ways:
        told = ("--report", out.with_suffix(".json"), "--records", out.with_suffix(".rows"))
        options = (*way.options, *(told if way.reports else ()), "--out", out)
        ours = command(setting.repeat, "-m", "worker", "anonymize", recipe, source, *options)
        found += _beside(f"anonymize {name}, {way.what}", ours, reference, way.bound)
    checked = command(setting.repeat, "-m", "worker", "verify", recipe, out)
    found += _beside(f"verify {name}, {ways[0].what}", checked, reference, None)
    for made in (*out.parent.glob(f"{out.stem}.*"), source):
        made.unlink()
    return found


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
    out = small.with_stem("small-out")
    told = ("--report", out.with_suffix(".json"), "--records", out.with_suffix(".rows"))
    for options in (("--memory", MEMORY, *told), ("--memory", LITTLE_MEMORY, "--keep-order")):
        command(1, "-m", "worker", "anonymize", recipe, small, *options, "--out", out)
