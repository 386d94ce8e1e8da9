"""The ratios of the last recorded run, to be compared with: they hang less on the machine than seconds.

The page of the guide that tells them is written with them, and by nobody's hand.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from benchmarks.adult import ROWS
from benchmarks.table import Result, short
from worker.engine.wording import measured, thousands

FILE = Path(__file__).with_name("recorded.json")
PAGE = Path(__file__).parents[1] / "docs" / "costs.md"
NOISE = 1.15
"""A ratio has to grow by so much before anything is said."""
HEAD = f"""# What it costs

Each line is a ratio: what the desk takes, divided by what the same machine takes in the same run for
something that everybody knows. Seconds hang on the machine, ratios hardly do. `make bench` measures them
again; with `RECORD=1` it keeps them and writes this page. `make bench-check` says which of them grew.

Lines about the census are of {thousands(ROWS)} rows, whatever the heading says.
"""


@dataclass(frozen=True)
class Recorded:
    """What was measured once, and the largest ratio that was promised, if any."""

    ratio: float
    against: str
    bound: float | None = None

    @classmethod
    def of(cls, result: Result) -> Recorded:
        """To be kept."""
        return cls(round(result.ratio, 4), result.against, result.bound and round(result.bound, 4))


def record(results: Sequence[Result], rows: int) -> None:
    """Keep these ratios, and write the page; what was not measured now keeps the old ones."""
    known = _read() | {_key(one, rows): Recorded.of(one) for one in results}
    kept = {name: asdict(one) for name, one in known.items()}
    FILE.write_text(json.dumps(kept, indent=2, sort_keys=True) + "\n", encoding="utf-8")
    PAGE.write_text(page(), encoding="utf-8")


def page() -> str:
    """What is recorded as a page: a table for each number of rows."""
    tables: dict[int, dict[str, Recorded]] = {}
    for key, one in sorted(_read().items()):
        what, _, rows = key.removesuffix("]").rpartition(" [")
        tables.setdefault(int(rows), {})[what] = one
    return "\n".join([HEAD, *(_table(rows, some) for rows, some in sorted(tables.items()))])


def _table(rows: int, some: Mapping[str, Recorded]) -> str:
    """What was measured with so many rows."""
    lines = [f"## {thousands(rows)} rows", "", "| what | ratio | at most | beside |", "|---|---|---|---|"]
    for what, one in some.items():
        bound = "–" if one.bound is None else short(one.bound)
        lines.append(f"| {what} | {short(one.ratio)} | {bound} | {one.against} |")
    return "\n".join([*lines, ""])


def slower(results: Sequence[Result], rows: int) -> Iterator[str]:
    """A sentence for each ratio that grew, and for each that nobody recorded."""
    known = _read()
    for one in results:
        before = known.get(_key(one, rows))
        if before is None:
            yield f"{one.what}: never recorded."
        elif one.ratio > before.ratio * NOISE:
            grown = measured(round(100 * (one.ratio / before.ratio - 1)), "%")
            yield f"{one.what}: {one.ratio:.3g} where {before.ratio:.3g} was recorded, {grown} more."


def _key(result: Result, rows: int) -> str:
    return f"{result.what} [{rows}]"


def _read() -> dict[str, Recorded]:
    if not FILE.is_file():
        return {}
    return {name: Recorded(**one) for name, one in json.loads(FILE.read_text(encoding="utf-8")).items()}
