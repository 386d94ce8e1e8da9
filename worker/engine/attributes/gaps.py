"""How far one mean over rows is above another, and how far chance alone may have moved it."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

import numpy as np

from worker.engine.tables.column import Floats, Mask
from worker.engine.tables.frequency import Counts

AT_95 = 1.959963984540054
"""So many standard errors on either side hold 95 %."""


@dataclass(frozen=True)
class Gap:
    """How far one mean is above another, with its 95 % interval by the normal approximation."""

    difference: float
    error: float

    @property
    def low(self) -> float:
        """The lower end."""
        return self.difference - AT_95 * self.error

    @property
    def high(self) -> float:
        """The upper end."""
        return self.difference + AT_95 * self.error


def above(found: Floats, rows: Counts, blind: Floats) -> Gap | None:
    """How far the rows' shares are above what is had blindly, row by row."""
    mean = mean_of(found - blind, rows)
    return None if mean is None else Gap(mean, _error(found - blind, rows))


def apart(found: Floats, rows: Counts, others: Floats, other_rows: Counts) -> Gap | None:
    """How far the mean of some rows is above that of other rows."""
    one, other = mean_of(found, rows), mean_of(others, other_rows)
    if one is None or other is None:
        return None
    return Gap(one - other, sqrt(_error(found, rows) ** 2 + _error(others, other_rows) ** 2))


def mean_of(values: Floats | Mask, rows: Counts) -> float | None:
    """The mean over rows that stand for several each; None over none."""
    total = int(rows.sum())
    return float(np.dot(values, rows)) / total if total else None


def _error(values: Floats, rows: Counts) -> float:
    """The standard error of the mean of rows that were drawn from many."""
    total = int(rows.sum())
    mean = np.dot(values, rows) / total
    return sqrt(float(np.dot((values - mean) ** 2, rows)) / total / total)
