"""Counting sets of columns of few rows: many sets are sorted at once, which takes less than planning them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

import numpy as np

from worker.engine.arrays import Longs
from worker.engine.scan.rows import Rows
from worker.engine.scan.told_apart import Names, Tally

FEW_ROWS = 1 << 10
"""Sorting the combinations of so many takes no longer than finding a table for their set."""
MOST_COLUMNS = 6
"""With a thousand values of each, every combination of so many has a number of 62 bits."""
AT_ONCE = 1 << 18
"""So many combinations are sorted together."""


def are_few(rows: Rows) -> bool:
    """Whether sets are counted in this way."""
    return len(rows.counts) <= FEW_ROWS


def in_few_rows(rows: Rows, sets: Sequence[Names]) -> Iterator[tuple[Names, Tally]]:
    """Each set of no more than `MOST_COLUMNS` with its tally."""
    places = {name: place for place, name in enumerate(dict.fromkeys(name for one in sets for name in one))}
    codes = np.empty((len(places), len(rows.counts)), np.int64)
    for name, place in places.items():
        codes[place] = np.unique(rows.columns[name], return_inverse=True)[1]
    step = max(AT_ONCE // len(rows.counts), 1)
    for _, alike in groupby(sorted(sets, key=len), key=len):
        found = list(alike)
        for start in range(0, len(found), step):
            some = found[start : start + step]
            keys = _keys(codes, np.array([[places[name] for name in names] for names in some]))
            yield from zip(some, _tallies(keys, rows.counts), strict=True)


def _keys(codes: Longs, sets: Longs) -> Longs:
    """A number for the combination of each row, set by set."""
    sizes = codes.max(axis=1) + 1
    keys = codes[sets[:, 0]]
    for column in sets.T[1:]:
        keys = keys * sizes[column, None] + codes[column]
    return keys


def _tallies(keys: Longs, counts: Longs) -> Iterator[Tally]:
    order = keys.argsort(axis=1)
    keys = np.take_along_axis(keys, order, axis=1)
    begins = np.ones(keys.shape, bool)
    np.not_equal(keys[:, 1:], keys[:, :-1], out=begins[:, 1:])
    sizes = np.add.reduceat(counts[order].reshape(-1), np.flatnonzero(begins))
    combinations = begins.sum(axis=1)
    firsts = np.cumsum(combinations) - combinations
    ones = np.add.reduceat((sizes == 1).astype(np.int64), firsts)
    squares = np.add.reduceat(sizes * sizes, firsts)
    return map(Tally, combinations.tolist(), ones.tolist(), squares.tolist())
