"""Goals about a whole release are reached by giving up the smallest classes first."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from worker.engine.tables.column import Mask
from worker.engine.tables.frequency import Counts

if TYPE_CHECKING:
    from worker.engine.tables.classes import Classes

WIDE = 8
"""Sizes up to this many times the number of classes are counted without sorting."""


@dataclass(frozen=True)
class Tally:
    """`counts[i]` classes of `sizes[i]` rows each, the smallest first."""

    sizes: Counts
    counts: Counts

    @classmethod
    def of(cls, sizes: Counts) -> Tally:
        """From the size of every class."""
        if int(sizes.max(initial=0)) > WIDE * len(sizes) + 1000:
            distinct, counts = np.unique(sizes, return_counts=True)
            return cls(distinct.astype(np.int64), counts.astype(np.int64))
        counts = np.bincount(sizes)
        distinct = np.flatnonzero(counts)
        return cls(distinct, counts[distinct])

    def with_size(self, size: int) -> int:
        """How many classes have this size."""
        at = int(np.searchsorted(self.sizes, size))
        return int(self.counts[at]) if at < len(self.sizes) and self.sizes[at] == size else 0

    @property
    def classes(self) -> int:
        """How many classes there are."""
        return int(self.counts.sum())

    @property
    def rows(self) -> int:
        """How many rows they hold."""
        return int(self.sizes @ self.counts)

    def without(self, number: int) -> Tally:
        """Without so many of the smallest classes; at least one is left."""
        running = np.cumsum(self.counts)
        first = int(np.searchsorted(running, number, "right"))
        counts = self.counts[first:].copy()
        counts[0] = running[first] - number
        return Tally(self.sizes[first:], counts)

    def end_of(self, number: int) -> tuple[int, int]:
        """The size at which so many of the smallest classes end, and how many of that size are among them."""
        running = np.cumsum(self.counts)
        at = int(np.searchsorted(running, number))
        return int(self.sizes[at]), number - int(running[at] - self.counts[at])


def smallest_dropped(classes: Classes, met: Callable[[Tally], bool]) -> Mask:
    """Which classes stay when the fewest of the smallest go; nothing left satisfies everything."""
    tally = Tally.of(classes.sizes)
    return staying(classes, tally, fewest(tally, met))


def fewest(tally: Tally, met: Callable[[Tally], bool]) -> int:
    """How many of the smallest classes must go, by bisection: what satisfies, more of them satisfy too."""
    low, high = 0, tally.classes
    while low < high:
        middle = (low + high) // 2
        if met(tally.without(middle)):
            high = middle
        else:
            low = middle + 1
    return low


def staying(classes: Classes, tally: Tally, number: int) -> Mask:
    """Which classes stay when so many of the smallest go.

    Among classes of as many persons those of the fewest rows go, among these those that come first.
    """
    sizes = classes.sizes
    if number == 0:
        return np.ones(len(sizes), bool)
    last, some = tally.end_of(number)
    stay: Mask = sizes > last
    tied = np.flatnonzero(sizes == last)
    stay[tied[np.argsort(classes.rows[tied], kind="stable")[some:]]] = True
    return stay
