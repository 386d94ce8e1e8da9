"""Points in small blocks of neighbours, from which points can be removed.

Blocks come from halving the cloud at medians, and each knows its tight box.

Blocks and the list of boxes are read 64 numbers at a time, wherever they end: loops of a fixed length are
what the processor does eight at a time. So a point that is gone is infinitely far away, never left out.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from worker.engine.arrays import Longs
from worker.engine.kernels.compiled import compiled, lean

Floats = np.ndarray[Any, np.dtype[np.float64]]

BLOCK = 64
AGAIN = 8 * BLOCK
"""Points that are sorted together once they have been neighbours."""
LINE = 8
"""Numbers in a line of the cache."""
GONE = -1
STRIDE = 2_654_435_761
"""Multiples of it, modulo some size, are spread like drawn numbers."""


class Cloud(NamedTuple):
    """`blocks[b, :, i]` is the point at place 64 b + i, of row `row[64 b + i]`, infinite where none is.

    `place[r]` is -1 once row r is gone. Block b has the box `low[:, b] … high[:, b]`.
    """

    points: Floats
    """All points, row by row; a row may be gone."""
    blocks: Floats
    row: Longs
    place: Longs
    low: Floats
    high: Floats
    bound: Floats
    bits: Longs
    """The bounds as whole numbers: of numbers that are not negative, the order is the same."""
    distance: Floats
    left: Longs
    """Points left, blocks, points when the blocks were made."""


def new_cloud(points: Floats) -> Cloud:
    """All rows of a matrix in blocks."""
    size, dimensions = points.shape
    blocks = size // BLOCK + 1
    listed = (blocks // BLOCK + 1) * BLOCK
    bound = lined_up(listed)
    cloud = Cloud(
        np.ascontiguousarray(points, np.float64),
        lined_up(blocks, dimensions, BLOCK),
        scrambled(size, blocks * BLOCK),
        np.zeros(size, np.int64),
        lined_up(dimensions, listed),
        lined_up(dimensions, listed),
        bound,
        bound.view(np.int64),
        lined_up(BLOCK),
        np.array([size, 0, size], np.int64),
    )
    make_blocks(cloud, max(size, 1))
    return cloud


def scrambled(size: int, room: int) -> Longs:
    """Rows in another order than they came: of sorted rows, each would be nearer than those before it."""
    step = max(int(0.618 * size), 1)
    while math.gcd(step, size) > 1:
        step += 1
    rows = np.zeros(room, np.int64)
    rows[:size] = np.arange(size) * step % size
    return rows


def lined_up(*shape: int) -> Floats:
    """Room for numbers that begins with a line of the cache: eight are read or written at once then."""
    count = math.prod(shape)
    room = np.empty(count + LINE)
    skipped = -(room.ctypes.data // room.itemsize) % LINE
    return room[skipped : skipped + count].reshape(shape)


@lean
def part(key: Floats, row: Longs, spare: Floats, spare_row: Longs, low: int, high: int, pivot: float) -> int:
    """Bring the keys of a span that are below the pivot to its front. Returns where they end."""
    cut, others = low, 0
    for i in range(low, high):  # no branches: which way a key goes cannot be guessed
        own, own_row = key[i], row[i]
        key[cut], row[cut] = own, own_row
        spare[others], spare_row[others] = own, own_row
        below = own < pivot
        cut += below
        others += 1 - below
    for i in range(others):
        key[cut + i], row[cut + i] = spare[i], spare_row[i]
    return cut


@lean
def halve(
    key: Floats, row: Longs, spare: Floats, spare_row: Longs, start: int, end: int, middle: int
) -> None:
    """Bring the lower keys of a span before `middle`."""
    low, high, turn = start, end, 1
    while low < middle < high:
        # Ends and middle would be a bad choice: distances that fall and rise again are common.
        span, turn = high - low, turn + 3
        a, b = key[low + turn * STRIDE % span], key[low + (turn + 1) * STRIDE % span]
        c = key[low + (turn + 2) * STRIDE % span]
        pivot = max(min(a, b), min(max(a, b), c))
        cut = part(key, row, spare, spare_row, low, high, pivot)
        if cut > middle:
            high = cut
        elif cut > low:
            low = cut
        else:  # none is lower than the pivot: go on behind all that equal it
            low = part(key, row, spare, spare_row, low, high, np.nextafter(pivot, np.inf))


@lean
def enclose(points: Floats, row: Longs, low: Floats, high: Floats) -> None:
    """The box of some rows."""
    low[:], high[:] = np.inf, -np.inf
    for own in row:
        for column in range(low.size):
            value = points[own, column]
            low[column], high[column] = min(low[column], value), max(high[column], value)


@compiled
def sort_span(points: Floats, row: Longs) -> None:
    """Sort rows into blocks of neighbours, by halving them at medians across the longest side of their cell.

    A cell is what the halvings before left of the box of all: the tight box would take longer than it saves.
    """
    size, dimensions = row.size, points.shape[1]
    key, spare, spare_row = np.empty(size), np.empty(size), np.empty(size, np.int64)
    starts, ends, depth = np.zeros(128, np.int64), np.zeros(128, np.int64), 1
    low, high = np.empty((128, dimensions)), np.empty((128, dimensions))
    ends[0] = size
    enclose(points, row, low[0], high[0])
    while depth > 0:
        depth -= 1
        start, end = starts[depth], ends[depth]
        if end - start <= BLOCK:
            continue
        column = np.argmax(high[depth] - low[depth])
        for i in range(start, end):
            key[i] = points[row[i], column]
        middle = start + ((end - start + 2 * BLOCK - 1) // (2 * BLOCK)) * BLOCK
        halve(key, row, spare, spare_row, start, end, middle)
        starts[depth], ends[depth] = start, middle
        starts[depth + 1], ends[depth + 1] = middle, end
        low[depth + 1], high[depth + 1] = low[depth], high[depth]
        high[depth, column] = low[depth + 1, column] = key[middle]
        depth += 2


@compiled
def make_blocks(cloud: Cloud, span: int) -> None:
    """Sort the rows at the front of the places into blocks, all full but the last.

    Rows that were in blocks before are neighbours already: it is enough to sort shorter spans of them.
    """
    size = cloud.left[0]
    for start in range(0, size, span):
        sort_span(cloud.points, cloud.row[start : min(start + span, size)])
    count = (size + BLOCK - 1) // BLOCK
    cloud.left[1], cloud.left[2] = count, size
    cloud.low[:], cloud.high[:] = np.inf, -np.inf
    for block in range(count):
        fill_block(cloud, block, min(BLOCK, size - block * BLOCK))
        for column in range(cloud.points.shape[1]):
            shrink_side(cloud, block, column)


@lean
def fill_block(cloud: Cloud, block: int, size: int) -> None:
    """Copy the points of a block from their rows."""
    cloud.blocks[block] = np.inf
    for i in range(size):
        row = cloud.row[block * BLOCK + i]
        cloud.place[row] = block * BLOCK + i
        for column in range(cloud.points.shape[1]):
            cloud.blocks[block, column, i] = cloud.points[row, column]


@lean
def gather_left(cloud: Cloud) -> None:
    """Move the rows left to the front of the places, by ascending place so that none is overwritten."""
    kept = 0
    for place in range(cloud.left[2]):
        row = cloud.row[place]
        cloud.row[kept] = row
        kept += cloud.place[row] != GONE


@lean
def shrink_side(cloud: Cloud, block: int, column: int) -> None:
    """The tight box of a block in one column; a side of nothing reaches from infinity back."""
    own, spare, half = cloud.blocks[block, column], cloud.distance, BLOCK // 2
    for i in range(half):
        spare[i] = min(own[i], own[i + half])
    cloud.low[column, block] = least(spare)
    for i in range(half):
        a, b = own[i], own[i + half]
        spare[i] = min(-a if a < np.inf else np.inf, -b if b < np.inf else np.inf)
    cloud.high[column, block] = -least(spare)


@lean
def least(numbers: Floats) -> float:
    """The least of 32 numbers, which are spoilt: halves are compared, so that eight are compared at once."""
    for i in range(16):
        numbers[i] = min(numbers[i], numbers[i + 16])
    for i in range(8):
        numbers[i] = min(numbers[i], numbers[i + 8])
    for i in range(4):
        numbers[i] = min(numbers[i], numbers[i + 4])
    found: float = min(min(numbers[0], numbers[1]), min(numbers[2], numbers[3]))
    return found


@lean
def remove(cloud: Cloud, row: int) -> None:
    """Take a row out of the cloud."""
    block, i = divmod(cloud.place[row], BLOCK)
    cloud.place[row] = GONE
    cloud.left[0] -= 1
    for column in range(cloud.points.shape[1]):
        gone = cloud.points[row, column]
        cloud.blocks[block, column, i] = np.inf
        if gone == cloud.low[column, block] or gone == cloud.high[column, block]:
            shrink_side(cloud, block, column)
