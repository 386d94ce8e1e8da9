"""Whether made-up rows keep closer to those they were made from than to rows that no step saw."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from worker.engine.arrays import Longs
from worker.engine.nearest.neighbours import Nearest
from worker.engine.nearest.shares import Share
from worker.engine.tables.column import Floats

EQUAL = 1e-12
"""Distances that differ by less are one."""


@dataclass(frozen=True)
class Closeness:
    """The nearest training and the nearest hold-out record of each released row, and how many there are."""

    training: Nearest
    hold_out: Nearest
    rows_training: int
    rows_hold_out: int

    @property
    def baseline(self) -> float:
        """The share of rows that would be closer to training records if these were like all others."""
        return self.rows_training / (self.rows_training + self.rows_hold_out)

    @cached_property
    def closer(self) -> Share:
        """Released rows closer to training records; those as close to both in proportion to the tied ones."""
        ties = self.training.tied / (self.training.tied + self.hold_out.tied)
        gap = self.training.first - self.hold_out.first
        parts = np.where(np.abs(gap) <= EQUAL, ties, gap < 0)
        records = np.where(gap <= EQUAL, self.training.where, self.rows_training + self.hold_out.where)
        return _share(np.asarray(parts, np.float64), records)

    @property
    def identical(self) -> tuple[Share, Share]:
        """Released rows that are a training record, and that are a hold-out record."""
        sides = (self.training, self.hold_out)
        one, other = (_share(side.identical.astype(np.float64), side.where) for side in sides)
        return one, other


def _share(parts: Floats, records: Longs) -> Share:
    """A mean over rows of which those with one nearest record stand or fall together.

    Which records were set aside was chance: so there are as good as m² / Σ c² rows, with c rows to a record.
    """
    counts = np.bincount(records).astype(np.float64)
    alone = len(parts) ** 2 / float((counts**2).sum())
    return Share.of(float(parts.mean()) * alone, alone)
