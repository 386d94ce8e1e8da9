"""Groups of at least k similar rows: the best partition of one column; rows along a principal component."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from worker.engine.arrays import Longs
from worker.engine.kernels.compiled import compiled
from worker.engine.tables.column import Floats

Groups = np.ndarray[Any, np.dtype[np.int32]]


def scaled(columns: Sequence[Floats]) -> Floats:
    """Each column divided by its standard deviation; columns of one value tell nothing and are left out."""
    spread = [(column, float(np.std(column))) for column in columns]
    kept = [column / deviation for column, deviation in spread if deviation > 0.0]
    return np.array(kept or [np.zeros(len(columns[0]))], np.float64)


def univariate(column: Floats, k: int) -> Groups:
    """The partition of the least sum of squares within groups, by shortest path (Hansen & Mukherjee 2003)."""
    order = np.argsort(column, kind="stable")
    centred = column[order] - (column.mean() if len(column) else 0.0)
    lengths = np.zeros(len(column) + 1, np.int64)
    _last_lengths(centred, k, lengths)
    sizes, end = [], len(column)
    while end:
        sizes.append(int(lengths[end]))
        end -= sizes[-1]
    of = np.empty(len(column), np.int32)
    of[order] = np.repeat(np.arange(len(sizes), dtype=np.int32), sizes[::-1])
    return of


@compiled
def _last_lengths(ordered: Floats, k: int, lengths: Longs) -> None:
    """For each prefix of ordered values, the length of the last group in its best partition."""
    size = ordered.size
    cost = np.full(size + 1, np.inf)
    cost[0] = 0.0
    for end in range(k, size + 1):
        mean, squares = 0.0, 0.0
        for length in range(1, min(2 * k - 1, end) + 1):
            value = ordered[end - length]
            step = value - mean
            mean += step / length
            squares += step * (value - mean)
            if length >= k and cost[end - length] + squares < cost[end]:
                cost[end] = cost[end - length] + squares
                lengths[end] = length


def principal_component(columns: Sequence[Floats], k: int) -> Groups:
    """Groups of k rows in the order of the first principal component; the last takes the rest."""
    points = scaled(columns)
    centred = points - points.mean(axis=1, keepdims=True)
    direction = np.linalg.eigh(centred @ centred.T)[1][:, -1]
    direction *= np.sign(direction[np.argmax(np.abs(direction))])
    size = len(columns[0])
    of = np.empty(size, np.int32)
    order = np.argsort(direction @ centred, kind="stable")
    of[order] = np.minimum(np.arange(size) // k, max(size // k - 1, 0))
    return of


def middles(column: Floats, of: Groups, median: bool) -> Floats:
    """Each row's group mean, or median."""
    sizes = np.bincount(of)
    if not median:
        means: Floats = (np.bincount(of, weights=column) / np.maximum(sizes, 1))[of]
        return means
    ordered = column[np.lexsort((column, of))]
    starts = np.cumsum(sizes) - sizes
    found: Floats = (ordered[starts + (sizes - 1) // 2] + ordered[starts + sizes // 2]) / 2.0
    return found[of]
