"""Every set of up to three of twelve columns, beside sorting the packed keys of the same rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from benchmarks.table import Result
from benchmarks.timing import processor
from worker.engine.scan.counting import Table
from worker.engine.scan.subsets import scan
from worker.engine.tables.frequency import Domain, FrequencyTable
from worker.engine.tables.kinds import Kind

if TYPE_CHECKING:
    from benchmarks.suite import Setting

VALUES = {
    "as a census has them": (2, 2, 3, 5, 6, 7, 9, 9, 14, 16, 41, 74),
    "two of them with thousands of values": (2, 2, 3, 5, 6, 7, 9, 9, 14, 16, 3_000, 20_000),
}
BOUND = 30
KEYS = 7
"""So many columns make the keys that are sorted."""


def scans(setting: Setting) -> list[Result]:
    """The codes are in memory on both sides; told in seconds of the processor."""
    return [_one(setting, name, values) for name, values in VALUES.items()]


def _one(setting: Setting, name: str, values: tuple[int, ...]) -> Result:
    table = _table(values, setting.rows)
    scan(Table(_table(values, 100)), 3)  # loads the loops
    seconds = processor(setting.repeat, lambda: scan(Table(table), 3))
    keys = table.keys(table.names[-KEYS:])
    reference = processor(setting.repeat, lambda: np.sort(keys))
    return Result(
        f"all sets of three of twelve columns, {name}", seconds, reference, "numpy sort of packed keys"
    )


def _table(values: tuple[int, ...], rows: int) -> FrequencyTable:
    """Small codes are more frequent, as common values are."""
    draw = np.random.default_rng(12)
    codes = tuple((draw.random(rows) ** 2 * size).astype(np.int32) for size in values)
    domains = (
        Domain(f"c{at}", Kind.CATEGORICAL, tuple(map(str, range(size))), np.zeros(size, bool))
        for at, size in enumerate(values)
    )
    return FrequencyTable(tuple(domains), codes, np.ones(rows, np.int64))
