"""Released numbers that lie close to the original ones: within so many deviations, or so many ranks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from worker.engine.tables.column import Floats
from worker.engine.tables.frequency import FrequencyTable


@dataclass(frozen=True)
class Ranks:
    """Which share of the original values lies below a number, half of those that equal it included."""

    numbers: Floats
    below: Floats

    @classmethod
    def of(cls, table: FrequencyTable) -> Ranks:
        """Of a counted column; values that are no numbers have no rank."""
        found = table.domains[0].numbers[table.codes[0]]
        known = ~np.isnan(found)
        numbers, at = np.unique(found[known], return_inverse=True)
        counts = np.bincount(at.reshape(-1), table.counts[known], len(numbers))
        return cls(numbers, np.concatenate([[0.0], np.cumsum(counts)]))

    def places(self, numbers: Floats) -> Floats:
        """Between 0 and 1; NaN for no number."""
        low, high = (np.searchsorted(self.numbers, numbers, side=side) for side in ("left", "right"))
        found = (self.below[low] + self.below[high]) / 2 / max(self.below[-1], 1.0)
        return np.where(np.isnan(numbers), np.nan, found)


@dataclass
class Closeness:
    """Added up over the rows: how many cells of each column lie inside, and rows that do in all of them.

    `forgiving` is sdcMicro's reading of a row: at most one of its columns is outside; cells without a number
    on either side are never outside. Its interval is that of the released deviation.
    """

    reaches: Sequence[float]
    forgiving_reaches: Sequence[float]
    inside: list[int] = field(default_factory=list)
    cells: list[int] = field(default_factory=list)
    rows: int = 0
    everywhere: int = 0
    forgiving: int = 0

    def __post_init__(self) -> None:
        """Nothing was seen yet."""
        self.inside, self.cells = [0] * len(self.reaches), [0] * len(self.reaches)

    def add(self, away: Sequence[Floats], differences: Sequence[Floats]) -> None:
        """A piece of the rows: by how much each column moved, as it is judged and in its own unit."""
        known = np.logical_or.reduce([~np.isnan(one) for one in away])
        outside = np.zeros((2, len(known)), np.int64)
        for at, (one, plain) in enumerate(zip(away, differences, strict=True)):
            far = one > self.reaches[at]
            self.cells[at] += int(np.count_nonzero(~np.isnan(one)))
            self.inside[at] += int(np.count_nonzero(~np.isnan(one) & ~far))
            outside[0] += far
            outside[1] += plain > self.forgiving_reaches[at]
        self.rows += int(np.count_nonzero(known))
        self.everywhere += int(np.count_nonzero(known & (outside[0] == 0)))
        self.forgiving += int(np.count_nonzero(known & (outside[1] <= 1)))
