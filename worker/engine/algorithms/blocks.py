"""Points in small blocks of neighbours, from which points can be removed: exact nearest and farthest points.

Blocks come from halving the cloud at medians. Each knows its tight box, so that most blocks are ruled out by
their box alone. Distances are squared and summed column by column in one order, so that equal distances are
equal; the lowest row number wins.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from worker.engine.algorithms.compiled import compiled, lean

Longs = np.ndarray[Any, np.dtype[np.int64]]
Floats = np.ndarray[Any, np.dtype[np.float64]]

BLOCK = 64
AGAIN = 8 * BLOCK
"""Points that are sorted together once they have been neighbours."""
GONE = -1


class Cloud(NamedTuple):
    """`points[:, p]` is the point at place p, row `row[p]`; block b has places `64 b … 64 b + size[b]`.

    `place[r]` is -1 once row r is gone. The directory lists the blocks that are not empty: entry e is block
    `block[e]` with box `low[:, e] … high[:, e]`.
    """

    points: Floats
    row: Longs
    place: Longs
    size: Longs
    entry: Longs
    block: Longs
    low: Floats
    high: Floats
    bound: Floats
    distance: Floats
    left: Longs
    """Points left, entries in the directory, points when the blocks were made."""


def new_cloud(columns: Floats) -> Cloud:
    """All rows of a matrix given column by column, in blocks."""
    dimensions, size = columns.shape
    blocks = size // (BLOCK // 2) + 2
    cloud = Cloud(
        np.ascontiguousarray(columns, np.float64).copy(),
        np.arange(size),
        np.arange(size),
        np.zeros(blocks, np.int64),
        np.zeros(blocks, np.int64),
        np.zeros(blocks, np.int64),
        np.zeros((dimensions, blocks)),
        np.zeros((dimensions, blocks)),
        np.empty(blocks),
        np.empty(BLOCK),
        np.array([size, 0, size], np.int64),
    )
    make_blocks(cloud, max(size, 1))
    return cloud


@lean
def swap_points(cloud: Cloud, a: int, b: int) -> None:
    """Exchange two places."""
    for column in range(cloud.points.shape[0]):
        cloud.points[column, a], cloud.points[column, b] = cloud.points[column, b], cloud.points[column, a]
    cloud.row[a], cloud.row[b] = cloud.row[b], cloud.row[a]


@lean
def halve(cloud: Cloud, start: int, end: int, middle: int, column: int) -> None:
    """Bring the lower points of a span, by one column, before `middle`."""
    low, high = start, end - 1
    while low < high:
        pivot, i, j = cloud.points[column, (low + high) // 2], low, high
        while i <= j:
            while cloud.points[column, i] < pivot:
                i += 1
            while cloud.points[column, j] > pivot:
                j -= 1
            if i <= j:
                swap_points(cloud, i, j)
                i, j = i + 1, j - 1
        if middle <= j:
            high = j
        elif middle >= i:
            low = i
        else:
            return


@lean
def widest(cloud: Cloud, start: int, end: int) -> int:
    """The column in which a span of points is widest."""
    found, most = 0, -1.0
    for column in range(cloud.points.shape[0]):
        own = cloud.points[column, start:end]
        low, high = own[0], own[0]
        for value in own:
            low, high = min(low, value), max(high, value)
        if high - low > most:
            found, most = column, high - low
    return found


@lean
def gather_left(cloud: Cloud) -> None:
    """Move the points left to the front, by ascending place so that none is overwritten."""
    kept = 0
    for block in range(cloud.size.size):
        for place in range(block * BLOCK, block * BLOCK + cloud.size[block]):
            for column in range(cloud.points.shape[0]):
                cloud.points[column, kept] = cloud.points[column, place]
            cloud.row[kept] = cloud.row[place]
            kept += 1


@compiled
def sort_span(cloud: Cloud, start: int, end: int) -> None:
    """Sort a span of points into blocks of neighbours by halving it at medians."""
    starts, ends, depth = np.zeros(128, np.int64), np.zeros(128, np.int64), 1
    starts[0], ends[0] = start, end
    while depth > 0:
        depth -= 1
        start, end = starts[depth], ends[depth]
        if end - start <= BLOCK:
            continue
        middle = start + ((end - start + 2 * BLOCK - 1) // (2 * BLOCK)) * BLOCK
        halve(cloud, start, end, middle, widest(cloud, start, end))
        starts[depth], ends[depth] = start, middle
        starts[depth + 1], ends[depth + 1] = middle, end
        depth += 2


@compiled
def make_blocks(cloud: Cloud, span: int) -> None:
    """Sort the points at the front into blocks, all full but the last, and list the blocks.

    Points that were in blocks before are neighbours already: it is enough to sort shorter spans of them.
    """
    size = cloud.left[0]
    for start in range(0, size, span):
        sort_span(cloud, start, min(start + span, size))
    cloud.size[:] = 0
    count = (size + BLOCK - 1) // BLOCK
    for block in range(count):
        cloud.size[block] = min(BLOCK, size - block * BLOCK)
        cloud.entry[block], cloud.block[block] = block, block
        shrink_box(cloud, block)
    for place in range(size):
        cloud.place[cloud.row[place]] = place
    cloud.left[1], cloud.left[2] = count, size


@lean
def shrink_box(cloud: Cloud, entry: int) -> None:
    """The tight box of a block."""
    for column in range(cloud.points.shape[0]):
        shrink_side(cloud, entry, column)


@lean
def shrink_side(cloud: Cloud, entry: int, column: int) -> None:
    """The tight box of a block in one column."""
    start = cloud.block[entry] * BLOCK
    end = start + cloud.size[cloud.block[entry]]
    low, high = cloud.points[column, start], cloud.points[column, start]
    for place in range(start + 1, end):
        low, high = min(low, cloud.points[column, place]), max(high, cloud.points[column, place])
    cloud.low[column, entry], cloud.high[column, entry] = low, high


@lean
def remove(cloud: Cloud, row: int) -> None:
    """Take a row out of the cloud."""
    place = cloud.place[row]
    block = place // BLOCK
    cloud.size[block] -= 1
    last, entry = block * BLOCK + cloud.size[block], cloud.entry[block]
    cloud.place[cloud.row[last]] = place
    cloud.place[row] = GONE
    swap_points(cloud, place, last)
    cloud.left[0] -= 1
    if cloud.size[block] > 0:
        for column in range(cloud.points.shape[0]):
            gone = cloud.points[column, last]
            if gone == cloud.low[column, entry] or gone == cloud.high[column, entry]:
                shrink_side(cloud, entry, column)
        return
    cloud.left[1] -= 1
    end = cloud.left[1]
    cloud.block[entry], cloud.entry[cloud.block[end]] = cloud.block[end], entry
    for column in range(cloud.points.shape[0]):
        cloud.low[column, entry], cloud.high[column, entry] = cloud.low[column, end], cloud.high[column, end]


@lean
def measure(cloud: Cloud, block: int, point: Floats) -> int:
    """The squared distances of a block's points. Returns how many."""
    start, size = block * BLOCK, int(cloud.size[block])
    distance, own, at = cloud.distance[:size], cloud.points[0, start : start + size], point[0]
    for i in range(size):
        gap = own[i] - at
        distance[i] = gap * gap
    for column in range(1, point.size):
        own, at = cloud.points[column, start : start + size], point[column]
        for i in range(size):
            gap = own[i] - at
            distance[i] += gap * gap
    return size


@lean
def far_bounds(cloud: Cloud, point: Floats) -> int:
    """No point of a block is farther than its bound. Returns the entry of the largest bound."""
    count = cloud.left[1]
    bound = cloud.bound[:count]
    bound[:] = 0.0
    for column in range(point.size):
        low, high, at = cloud.low[column, :count], cloud.high[column, :count], point[column]
        for i in range(count):
            gap = max(at - low[i], high[i] - at)
            bound[i] += gap * gap
    found = 0
    for i in range(count):
        if bound[i] > bound[found]:
            found = i
    return found


@lean
def near_bounds(cloud: Cloud, point: Floats) -> None:
    """No point of a block is nearer than its bound."""
    count = cloud.left[1]
    bound = cloud.bound[:count]
    bound[:] = 0.0
    for column in range(point.size):
        low, high, at = cloud.low[column, :count], cloud.high[column, :count], point[column]
        for i in range(count):
            gap = max(low[i] - at, at - high[i], 0.0)
            bound[i] += gap * gap


@lean
def farthest_in(cloud: Cloud, entry: int, point: Floats, best: float, row: int) -> tuple[float, int]:
    """The farthest point of a block, if it beats the best so far."""
    block = cloud.block[entry]
    size, hits = measure(cloud, block, point), 0
    for i in range(size):
        hits += cloud.distance[i] >= best
    if hits == 0:
        return best, row
    for i in range(size):
        far, own = cloud.distance[i], cloud.row[block * BLOCK + i]
        if far > best or (far == best and own < row):
            best, row = far, own
    return best, row


@lean
def farthest(cloud: Cloud, point: Floats) -> int:
    """The row farthest from a point."""
    first = far_bounds(cloud, point)
    best, row = farthest_in(cloud, first, point, -1.0, -1)
    for entry in range(cloud.left[1]):
        if cloud.bound[entry] >= best and entry != first:
            best, row = farthest_in(cloud, entry, point, best, row)
    return row


@lean
def insert(near: Floats, rows: Longs, distance: float, row: int) -> None:
    """Keep a point among the nearest, which are sorted."""
    at = near.size - 1
    while at > 0 and (near[at - 1] > distance or (near[at - 1] == distance and rows[at - 1] > row)):
        near[at], rows[at] = near[at - 1], rows[at - 1]
        at -= 1
    near[at], rows[at] = distance, row


@lean
def nearest_in(cloud: Cloud, entry: int, point: Floats, near: Floats, rows: Longs) -> None:
    """Take in the points of a block that are among the nearest."""
    block, last = cloud.block[entry], near.size - 1
    size, hits, most = measure(cloud, block, point), 0, near[last]
    for i in range(size):
        hits += cloud.distance[i] <= most
    if hits == 0:
        return
    for i in range(size):
        distance = cloud.distance[i]
        if distance <= near[last]:
            row = cloud.row[block * BLOCK + i]
            if distance < near[last] or row < rows[last]:
                insert(near, rows, distance, row)


@lean
def nearest(cloud: Cloud, point: Floats, near: Floats, rows: Longs) -> None:
    """The rows nearest to a point, as many as there is room for, into `rows`."""
    near[:] = np.inf
    rows[:] = np.iinfo(np.int64).max
    near_bounds(cloud, point)
    first = 0
    for entry in range(cloud.left[1]):
        if cloud.bound[entry] < cloud.bound[first]:
            first = entry
    nearest_in(cloud, first, point, near, rows)
    for entry in range(cloud.left[1]):
        if entry != first and cloud.bound[entry] <= near[near.size - 1]:
            nearest_in(cloud, entry, point, near, rows)
