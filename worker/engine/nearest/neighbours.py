"""The nearest records of each row."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np

from worker.engine.arrays import Longs
from worker.engine.nearest.blocks import SIZE, Blocks
from worker.engine.nearest.cells import Cells
from worker.engine.reporting import Reporter
from worker.engine.tables.column import Floats, Mask

Distance = Literal["gower", "euclidean"]
PAIRS_AT_ONCE = 1 << 26
"""Between two looks whether the work was cancelled."""
SECONDS_PER_PAIR = 1.5e-9
"""Of comparing one cell of one row with one of another, most of which are not looked at."""


@dataclass(frozen=True)
class Nearest:
    """Of each row: how far its nearest and second nearest record are, how many are nearest, and the first."""

    first: Floats
    second: Floats
    tied: Longs
    where: Longs

    @property
    def ratio(self) -> Floats:
        """The nearest distance in parts of the second nearest; 0 on a record itself, NaN without a second."""
        known = np.isfinite(self.second)
        return np.divide(
            self.first, self.second, where=known & (self.first > 0), out=np.where(known, 0.0, np.nan)
        )

    @property
    def identical(self) -> Mask:
        """Which rows are a record, cell by cell."""
        return np.asarray(self.first == 0)


def nearest(
    rows: Cells, records: Cells | Blocks, reporter: Reporter, distance: Distance = "gower"
) -> Nearest:
    """By the mean over the columns of how far cells are apart (Gower), or by the root of the mean square.

    Who asks the same records again puts them into blocks once.
    """
    from worker.engine.nearest.loops import closest

    squared, width = distance == "euclidean", max(rows.numbers.shape[1], 1)
    first, second = np.empty(len(rows)), np.empty(len(rows))
    tied, where = np.empty(len(rows), np.int64), np.empty(len(rows), np.int64)
    held = records if isinstance(records, Blocks) else Blocks.of(records)
    for part in pieces(len(rows), len(held.order), reporter):
        some, found = rows.take(part), (first[part], second[part], tied[part], where[part])
        others = (held.records.numbers, held.records.codes, held.order, held.boxes, SIZE)
        closest(some.numbers, some.codes, *others, squared, *found)
    if squared:
        return Nearest(np.sqrt(first / width), np.sqrt(second / width), tied, where)
    return Nearest(first / width, second / width, tied, where)


def pieces(rows: int, records: int, reporter: Reporter) -> Iterator[slice]:
    """Pieces of the rows, between which the work may stop."""
    step = max(1, PAIRS_AT_ONCE // max(records, 1))
    for start in range(0, rows, step):
        reporter.checkpoint()
        yield slice(start, min(start + step, rows))
