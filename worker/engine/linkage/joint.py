"""Classes of several releases laid over one another: who still looks alike to somebody who holds them all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from worker.engine.linkage.releases import Standing
from worker.engine.tables.classes import Ids
from worker.engine.tables.column import Mask
from worker.engine.tables.frequency import Counts
from worker.engine.tables.keys import group, pack


@dataclass(frozen=True)
class Joint:
    """`sizes` are those of the joint classes of the input rows in `rows`: of the rows that stand in a class
    of the first release and in one of another, and are not suppressed in all of them."""

    rows: Mask
    sizes: Counts
    classes: int

    @classmethod
    def of(cls, standings: Sequence[Standing], persons: Ids | None) -> Joint:
        """Rows are counted, or the persons that they belong to."""
        first, *others = standings
        there = np.logical_or.reduce([one.classes >= 0 for one in others]) & (first.classes >= 0)
        there &= np.logical_or.reduce([one.shown for one in standings])
        places = [one.classes[there] + 1 for one in standings]
        groups = group(pack(places, [len(one.table) + 1 for one in standings], int(there.sum())))
        people = None if persons is None else persons[there]
        return cls(there, _sizes(groups.ids, groups.number, people)[groups.ids], groups.number)

    def alone(self, one: Standing, persons: Ids | None) -> Counts:
        """The sizes of the classes of one of the releases, for the same rows."""
        stands = one.classes >= 0
        people = None if persons is None else persons[stands]
        sizes = _sizes(one.classes[stands], len(one.table), people)
        return np.append(sizes, 0)[one.classes[self.rows]]

    @cached_property
    def smallest(self) -> int | None:
        """The smallest of them."""
        return int(self.sizes.min()) if len(self.sizes) else None

    @property
    def unique(self) -> int:
        """The rows that are alone."""
        return int((self.sizes == 1).sum())

    @property
    def unique_share(self) -> float | None:
        """Those among the rows that have a joint class."""
        return self.unique / len(self.sizes) if len(self.sizes) else None

    @property
    def success(self) -> float | None:
        """How often somebody who picks one of each joint class at random is right, in the mean over rows."""
        return mean_chance(self.sizes)


def mean_chance(sizes: Counts) -> float | None:
    """The mean of 1 ÷ size; a row in no class is found by nobody."""
    if not len(sizes):
        return None
    return float(np.divide(1.0, sizes, out=np.zeros(len(sizes)), where=sizes > 0).mean())


def _sizes(ids: Ids, number: int, persons: Ids | None) -> Counts:
    """The rows of each class, or the distinct persons."""
    if persons is not None:
        pairs = group(pack([ids, persons], [number, int(persons.max(initial=0)) + 1], len(ids)))
        ids = ids[pairs.first]
    return np.bincount(ids, minlength=number).astype(np.int64)
