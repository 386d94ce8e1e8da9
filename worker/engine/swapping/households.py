"""Rows as members of households, and pairs of households that can trade."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from worker.engine.arrays import Longs
from worker.engine.tables.column import Codes, Column, Mask
from worker.engine.tables.keys import Keys


@dataclass(frozen=True)
class Households:
    """`order` lists the rows household by household; each begins at `starts` and has `sizes` rows."""

    order: Longs
    starts: Longs
    sizes: Longs
    ids: Longs

    def __len__(self) -> int:
        return len(self.starts)

    @property
    def heads(self) -> Longs:
        """The first row of each household."""
        return self.order[self.starts]

    def any_row(self, mask: Mask) -> Mask:
        """Which households have a row in the mask."""
        return np.bincount(self.ids, weights=mask, minlength=len(self)) > 0


def households_of(key: Column | None, rows: int) -> Households:
    """Rows with the same key; a row without one lives alone."""
    if key is None:
        alone = np.arange(rows, dtype=np.int64)
        return Households(alone, alone, np.ones(rows, np.int64), alone)
    codes = key.codes.astype(np.int64)
    gone = key.missing_rows
    codes[gone] = len(key.labels) + np.arange(int(gone.sum()))
    _, ids, sizes = np.unique(codes, return_inverse=True, return_counts=True)
    ids = ids.reshape(-1).astype(np.int64)
    order = np.argsort(ids, kind="stable").astype(np.int64)
    starts = np.cumsum(sizes) - sizes
    return Households(order, starts.astype(np.int64), sizes.astype(np.int64), ids)


def pairs_within(strata: Keys, values: Keys, first: Mask, share: float, generator: Generator) -> Longs:
    """Pairs of different values within one stratum (rows of two), about `share` of all households.

    Each stratum is laid out value by value, values and households in random order, and everybody is
    paired with whoever stands half a stratum further on: of another value, unless one value prevails.
    """
    order = _laid_out(strata, values, generator)
    ordered = strata[order]
    begins = np.flatnonzero(np.r_[True, ordered[1:] != ordered[:-1]]) if len(order) else np.zeros(0, int)
    sizes = np.diff(np.r_[begins, len(order)])
    half = np.repeat(sizes // 2, sizes)
    place = np.arange(len(order)) - np.repeat(begins, sizes)
    one = np.flatnonzero(place < half)
    pairs = np.column_stack([order[one], order[one + half[one]]])
    pairs = pairs[values[pairs[:, 0]] != values[pairs[:, 1]]]
    urgent = first[pairs].any(axis=1)
    wanted = max(round(share * len(strata) / 2), int(urgent.sum()))
    queue = np.lexsort((generator.random(len(pairs)), ~urgent))
    chosen: Longs = pairs[queue[:wanted]]
    return chosen


def _laid_out(strata: Keys, values: Keys, generator: Generator) -> Longs:
    _, which = np.unique(values, return_inverse=True)
    which = which.reshape(-1)
    lots = generator.permutation(int(which.max(initial=-1)) + 1)
    return np.lexsort((generator.random(len(strata)), lots[which], strata)).astype(np.int64)


def rows_of_pairs(homes: Households, pairs: Longs) -> Codes:
    """For each row the row whose values it gets, member by member."""
    where: Codes = np.arange(len(homes.order), dtype=np.int32)
    sizes = homes.sizes[pairs[:, 0]]
    member = np.arange(int(sizes.sum())) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    one = homes.order[np.repeat(homes.starts[pairs[:, 0]], sizes) + member]
    other = homes.order[np.repeat(homes.starts[pairs[:, 1]], sizes) + member]
    where[one], where[other] = other, one
    return where
