"""The points farthest from a centre that hardly moves: a list of the outermost, renewed when it runs out.

A point at distance d from where the centre was when the list was made is at most d plus the centre's shift
away from it now. So the list is read from its far end only until no later point can be the farthest.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from worker.engine.arrays import Longs
from worker.engine.kernels.compiled import compiled, lean
from worker.engine.microaggregation.blocks import BLOCK, GONE, Cloud, halve
from worker.engine.microaggregation.nearness import farthest, measure

Floats = np.ndarray[Any, np.dtype[np.float64]]

SLACK = 1.0 + 1e-9


class Shell(NamedTuple):
    """The outermost rows, farthest first, with their distances from `centre`."""

    row: Longs
    distance: Floats
    centre: Floats
    state: Longs
    """Rows in the list, and the first of them that may not be gone."""
    rest: Floats
    """`rest[0]`: no point outside the list is farther from `centre`."""


LEAST_ROOM = 512


def new_shell(size: int, dimensions: int) -> Shell:
    """An empty list, with room for the outermost fiftieth."""
    room = min(size, max(LEAST_ROOM, size // 50))
    return Shell(
        np.zeros(room, np.int64),
        np.zeros(room),
        np.zeros(dimensions),
        np.zeros(2, np.int64),
        np.full(1, np.inf),
    )


@compiled
def renew(shell: Shell, cloud: Cloud, centre: Floats) -> None:
    """List the rows now farthest from the centre."""
    left, at = cloud.left[0], 0
    distances, rows = np.empty(left + 1), np.empty(left + 1, np.int64)
    for block in range(cloud.left[1]):
        measure(cloud.blocks[block], centre, cloud.distance)
        for i in range(BLOCK):
            distances[at], rows[at] = cloud.distance[i], cloud.row[block * BLOCK + i]
            at += cloud.distance[i] < np.inf
    others = max(left - shell.row.size, 0)
    halve(distances, rows, np.empty(left), np.empty(left, np.int64), 0, left, others)
    order = others + np.argsort(-distances[others:left])
    shell.state[0], shell.state[1] = order.size, 0
    shell.row[: order.size] = rows[order]
    shell.distance[: order.size] = np.sqrt(distances[order])
    shell.centre[:] = centre
    shell.rest[0] = np.sqrt(distances[:others].max()) if others > 0 else -np.inf


@lean
def squared(points: Floats, row: int, centre: Floats) -> float:
    """A squared distance, summed in the order of the columns."""
    total = 0.0
    for column in range(centre.size):
        gap = points[row, column] - centre[column]
        total += gap * gap
    return total


@lean
def scan(shell: Shell, cloud: Cloud, centre: Floats) -> int:
    """The row farthest from the centre, or -1 when the list does not reach far enough to tell."""
    shift = 0.0
    for column in range(centre.size):
        shift += (shell.centre[column] - centre[column]) ** 2
    shift = np.sqrt(shift)
    best, found, at = -1.0, -1, shell.state[1]
    while at < shell.state[0] and cloud.place[shell.row[at]] == GONE:
        at += 1
    shell.state[1] = at
    for i in range(at, shell.state[0]):
        if (shell.distance[i] + shift) * SLACK < np.sqrt(max(best, 0.0)):
            return found
        row = shell.row[i]
        if cloud.place[row] == GONE:
            continue
        far = squared(cloud.points, row, centre)
        if far > best or (far == best and row < found):
            best, found = far, row
    return found if (shell.rest[0] + shift) * SLACK < np.sqrt(max(best, 0.0)) else -1


@compiled
def outermost(shell: Shell, cloud: Cloud, centre: Floats) -> int:
    """The row of the cloud farthest from the centre."""
    found = scan(shell, cloud, centre)
    if found >= 0:
        return found
    renew(shell, cloud, centre)
    found = scan(shell, cloud, centre)
    return found if found >= 0 else farthest(cloud, centre)  # too many at one distance for the list
