"""How far a number is from what its released reading says."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from worker.engine.information.bins import Line
from worker.engine.tables.column import Floats
from worker.engine.tables.frequency import Counts, FrequencyTable
from worker.engine.tables.kinds import Kind
from worker.engine.tables.table import Codes


@dataclass(frozen=True)
class Distances:
    """Originals that are numbers or days, what their readings say, and the rows of each pair.

    A reading that is a number says that number; any other label says the median of the originals under it.
    """

    originals: Floats
    readings: Floats
    counts: Counts

    @classmethod
    def of(cls, pairs: FrequencyTable, kind: Kind) -> Distances:
        """Of the pairs of one column; rows without a number in the original are left out."""
        line = Line.of(pairs.only(pairs.names[:1]), kind)
        was, became = (
            line.places(domain.arrow, domain.missing) if line.dates else domain.numbers
            for domain in pairs.domains
        )
        known = ~np.isnan(was[pairs.codes[0]])
        originals, counts = was[pairs.codes[0]][known], pairs.counts[known]
        codes = pairs.codes[1][known]
        readings = became[codes]
        labelled = np.isnan(readings)
        readings[labelled] = _medians(originals[labelled], counts[labelled], codes[labelled])
        return cls(originals, readings, counts)

    @property
    def errors(self) -> Floats:
        """How far apart both are."""
        return np.asarray(np.abs(self.originals - self.readings))

    @property
    def rows(self) -> int:
        """Rows with a number in the original."""
        return int(self.counts.sum())

    def without_knowing(self) -> float:
        """The sum of distances for somebody who says the median of all."""
        everybody = np.zeros(len(self.originals), np.int32)
        return float(
            (np.abs(self.originals - _medians(self.originals, self.counts, everybody)) * self.counts).sum()
        )

    def deviation(self) -> float:
        """The standard deviation of the originals, with divisor n − 1."""
        if self.rows < 2:
            return 0.0
        mean = (self.originals * self.counts).sum() / self.rows
        return float(np.sqrt((np.square(self.originals - mean) * self.counts).sum() / (self.rows - 1)))


def _medians(values: Floats, counts: Counts, codes: Codes) -> Floats:
    """For each value the median of those that share its code."""
    if not len(values):
        return values
    order = np.lexsort((values, codes))
    starts = np.flatnonzero(np.append(True, np.diff(codes[order]) != 0))
    number = np.zeros(len(values), np.int64)
    number[starts[1:]] = 1
    group = np.cumsum(number)
    running = np.cumsum(counts[order])
    before = (running - counts[order])[starts]
    total = np.append(before[1:], running[-1]) - before
    low, high = (
        values[order][np.searchsorted(running, before + at, side="right")]
        for at in ((total - 1) // 2, total // 2)
    )
    found = np.empty(len(values))
    found[order] = ((low + high) / 2)[group]
    return found
