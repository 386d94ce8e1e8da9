"""The ratios of the last recorded run, to be compared with: they hang less on the machine than seconds."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmarks.table import Result
from worker.engine.wording import measured

FILE = Path(__file__).with_name("recorded.json")
NOISE = 1.15
"""A ratio has to grow by so much before anything is said."""


def record(results: Sequence[Result], rows: int) -> None:
    """Keep these ratios; what was not measured now keeps the old ones."""
    known = _read() | {_key(one, rows): round(one.ratio, 4) for one in results}
    FILE.write_text(json.dumps(known, indent=2, sort_keys=True) + "\n", encoding="utf-8")


def slower(results: Sequence[Result], rows: int) -> Iterator[str]:
    """A sentence for each ratio that grew, and for each that nobody recorded."""
    known = _read()
    for one in results:
        before = known.get(_key(one, rows))
        if before is None:
            yield f"{one.what}: never recorded."
        elif one.ratio > before * NOISE:
            grown = measured(round(100 * (one.ratio / before - 1)), "%")
            yield f"{one.what}: {one.ratio:.3g} where {before:.3g} was recorded, {grown} more."


def _key(result: Result, rows: int) -> str:
    return f"{result.what} [{rows}]"


def _read() -> dict[str, float]:
    found: dict[str, float] = json.loads(FILE.read_text(encoding="utf-8")) if FILE.is_file() else {}
    return found
