"""MDAV: groups of k rows taken from the outside of the cloud inwards (Domingo-Ferrer & Mateo-Sanz 2002).

The row farthest from the mean of those left and its k − 1 nearest form a group, then the row farthest from
it and its k − 1 nearest; one group when fewer than 3 k rows are left, and the rest, k … 2 k − 1 rows, last.
Distances are squared and Euclidean over columns divided by their standard deviation. Ties go to the lowest
row.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from worker.engine.arrays import Longs
from worker.engine.kernels.compiled import compiled, inlined, lean
from worker.engine.microaggregation.blocks import (
    AGAIN,
    BLOCK,
    Cloud,
    gather_left,
    make_blocks,
    new_cloud,
    remove,
)
from worker.engine.microaggregation.nearness import farthest, nearest
from worker.engine.microaggregation.partitions import Groups, scaled
from worker.engine.microaggregation.shell import Shell, new_shell, outermost, scan
from worker.engine.tables.column import Floats

ROUNDS = 2_000
"""Groups between two words to whoever waits."""


def mdav(columns: Sequence[Floats], k: int, progress: Callable[[float], None]) -> Groups:
    """The group of each row; at least k rows are given."""
    size = len(columns[0])
    if k == 1:
        return np.arange(size, dtype=np.int32)
    points = np.ascontiguousarray(scaled(columns).T)
    of, sums = np.zeros(size, np.int32), column_sums(points)
    cloud, shell, group = new_cloud(points), new_shell(size, len(sums)), 0
    while cloud.left[0] >= 2 * k:
        group = int(_rounds(cloud, shell, k, sums, of, group, ROUNDS))
        progress(1.0 - float(cloud.left[0]) / size)
    gather_left(cloud)
    of[cloud.row[: cloud.left[0]]] = group
    return of


@compiled
def column_sums(points: Floats) -> Floats:
    """The sum of each column, row by row: what is subtracted later was added in the same way."""
    sums = np.zeros(points.shape[1])
    for row in range(points.shape[0]):
        for column in range(sums.size):
            sums[column] += points[row, column]
    return sums


@compiled
def _rounds(cloud: Cloud, shell: Shell, k: int, sums: Floats, of: Groups, group: int, most: int) -> int:
    """Form up to about `most` groups while at least 2 k rows are left. Returns the groups formed so far."""
    near, rows, centre, until = np.empty(k - 1), np.empty(k - 1, np.int64), np.empty(sums.size), group + most
    while cloud.left[0] >= 2 * k and group < until:
        if _sparse(cloud):
            gather_left(cloud)
            make_blocks(cloud, AGAIN)
        centre[:] = sums / cloud.left[0]
        first = outermost(shell, cloud, centre)
        group = _form_groups(cloud, shell, first, k, sums, centre, near, rows, of, group, until)
    return group


@lean
def _form_groups(
    cloud: Cloud,
    shell: Shell,
    first: int,
    k: int,
    sums: Floats,
    centre: Floats,
    near: Floats,
    rows: Longs,
    of: Groups,
    group: int,
    until: int,
) -> int:
    """Form groups until the blocks are sparse or the list of the outermost runs out."""
    row, opposite = first, False
    while row >= 0:
        both = not opposite and cloud.left[0] >= 3 * k
        _take_group(cloud, row, sums, near, rows, of, group)
        group += 1
        opposite = both
        if both:
            row = farthest(cloud, cloud.points[row])
            continue
        if cloud.left[0] < 2 * k or group >= until or _sparse(cloud):
            return group
        for column in range(sums.size):
            centre[column] = sums[column] / cloud.left[0]
        row = scan(shell, cloud, centre)
    return group


@inlined
def _sparse(cloud: Cloud) -> bool:
    """Whether so many points are gone since the blocks were made that it is worth to make them anew."""
    return bool(3 * cloud.left[0] < cloud.left[2])


@inlined
def _take_group(
    cloud: Cloud, row: int, sums: Floats, near: Floats, rows: Longs, of: Groups, group: int
) -> None:
    """Form a group of a row and those nearest to it, and take it out of the cloud."""
    block = cloud.place[row] // BLOCK
    _take(cloud, row, sums, of, group)
    nearest(cloud, cloud.points[row], block, near, rows)
    for other in rows:
        _take(cloud, other, sums, of, group)


@inlined
def _take(cloud: Cloud, row: int, sums: Floats, of: Groups, group: int) -> None:
    """Take a row out of the cloud into a group."""
    of[row] = group
    for column in range(sums.size):
        sums[column] -= cloud.points[row, column]
    remove(cloud, row)
