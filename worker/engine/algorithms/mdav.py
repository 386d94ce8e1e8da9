"""MDAV: groups of k rows taken from the outside of the cloud inwards (Domingo-Ferrer & Mateo-Sanz 2002).

The row farthest from the mean of those left and its k − 1 nearest form a group, then the row farthest from
it and its k − 1 nearest; one group when fewer than 3 k rows are left, and the rest, k … 2 k − 1 rows, last.
Distances are squared and Euclidean over columns divided by their standard deviation. Ties go to the lowest
row.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from worker.engine.algorithms.blocks import (
    AGAIN,
    Cloud,
    farthest,
    gather_left,
    make_blocks,
    nearest,
    new_cloud,
    remove,
)
from worker.engine.algorithms.compiled import compiled
from worker.engine.algorithms.partitions import Groups, scaled
from worker.engine.algorithms.shell import Shell, new_shell, outermost
from worker.engine.column import Floats

Longs = np.ndarray[Any, np.dtype[np.int64]]

ROUNDS = 2_000
"""Groups between two words to whoever waits."""


def mdav(columns: Sequence[Floats], k: int, progress: Callable[[float], None]) -> Groups:
    """The group of each row; at least k rows are given."""
    size = len(columns[0])
    if k == 1:
        return np.arange(size, dtype=np.int32)
    points = scaled(columns)
    of, sums = np.zeros(size, np.int32), column_sums(points)
    cloud, shell, group = new_cloud(points), new_shell(size, len(points)), 0
    while cloud.left[0] >= 2 * k:
        group = int(_rounds(cloud, shell, points, k, sums, of, group, ROUNDS))
        progress(1.0 - float(cloud.left[0]) / size)
    gather_left(cloud)
    of[cloud.row[: cloud.left[0]]] = group
    return of


@compiled
def column_sums(points: Floats) -> Floats:
    """The sum of each column, row by row: what is subtracted later was added in the same way."""
    sums = np.zeros(points.shape[0])
    for column in range(points.shape[0]):
        for value in points[column]:
            sums[column] += value
    return sums


@compiled
def _rounds(
    cloud: Cloud, shell: Shell, points: Floats, k: int, sums: Floats, of: Groups, group: int, most: int
) -> int:
    """Form up to about `most` groups while at least 2 k rows are left. Returns the groups formed so far."""
    near, rows, until = np.empty(k), np.empty(k, np.int64), group + most
    while cloud.left[0] >= 2 * k and group < until:
        both = cloud.left[0] >= 3 * k
        first = outermost(shell, cloud, points, sums / cloud.left[0])
        _take_group(cloud, points, first, k, sums, near, rows, of, group)
        group += 1
        if both:
            second = farthest(cloud, points[:, first])
            _take_group(cloud, points, second, k, sums, near, rows, of, group)
            group += 1
    return group


@compiled
def _take_group(
    cloud: Cloud,
    points: Floats,
    row: int,
    k: int,
    sums: Floats,
    near: Floats,
    rows: Longs,
    of: Groups,
    group: int,
) -> None:
    """Form a group of a row and those nearest to it, and take it out of the cloud."""
    point = points[:, row].copy()
    remove(cloud, row)
    nearest(cloud, point, near[: k - 1], rows[: k - 1])
    of[row] = group
    sums -= point
    for i in range(k - 1):
        of[rows[i]] = group
        for column in range(sums.size):
            sums[column] -= points[column, rows[i]]
        remove(cloud, rows[i])
    if 2 * cloud.left[0] < cloud.left[2]:
        gather_left(cloud)
        make_blocks(cloud, AGAIN)
