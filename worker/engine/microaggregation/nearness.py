"""The exact nearest and farthest points of a cloud in blocks.

Most blocks are ruled out by their box alone. Distances are squared and summed column by column in one order,
so that equal distances are equal; the lowest row number wins.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from worker.engine.arrays import Longs
from worker.engine.kernels.compiled import inlined, lean
from worker.engine.kernels.making import Borrowed
from worker.engine.microaggregation.blocks import BLOCK, Cloud

Floats = np.ndarray[Any, np.dtype[np.float64]]

MOST = np.finfo(np.float64).max
INFINITE = np.int64(0x7FF0000000000000)
"""The bits of an infinite bound."""

lowest = Borrowed("numba.cpython.unsafe.numbers", "trailing_zeros")
"""The place of the lowest bit."""


@lean
def measure(own: Floats, point: Floats, distance: Floats) -> None:
    """The squared distances of a block's points."""
    at = point[0]
    for i in range(BLOCK):
        gap = own[0, i] - at
        distance[i] = gap * gap
    for column in range(1, point.size):
        at = point[column]
        for i in range(BLOCK):
            gap = own[column, i] - at
            distance[i] += gap * gap


@lean
def up_to(numbers: Floats, most: float) -> np.uint64:
    """The places of 64 numbers that are at most so large, as bits."""
    found = np.uint64(0)
    for i in range(BLOCK):
        found |= np.uint64(numbers[i] <= most) << np.uint64(i)
    return found


@lean
def at_least(numbers: Floats, least: float) -> np.uint64:
    """The places of 64 numbers that are at least so large and finite, as bits."""
    found = np.uint64(0)
    for i in range(BLOCK):
        found |= np.uint64(least <= numbers[i] <= MOST) << np.uint64(i)
    return found


@lean
def far_bounds(low: Floats, high: Floats, bound: Floats, point: Floats, count: int) -> None:
    """No point of a block is farther than its bound; that of an empty one is infinite, and passed over."""
    for start in range(0, count, BLOCK):
        own = bound[start : start + BLOCK]
        for i in range(BLOCK):
            own[i] = 0.0
        for column in range(point.size):
            lows, highs = low[column, start : start + BLOCK], high[column, start : start + BLOCK]
            at = point[column]
            for i in range(BLOCK):
                gap = max(at - lows[i], highs[i] - at)
                own[i] += gap * gap


@lean
def near_bounds(low: Floats, high: Floats, bound: Floats, point: Floats, count: int) -> None:
    """No point of a block is nearer than its bound."""
    for start in range(0, count, BLOCK):
        own = bound[start : start + BLOCK]
        for i in range(BLOCK):
            own[i] = 0.0
        for column in range(point.size):
            lows, highs = low[column, start : start + BLOCK], high[column, start : start + BLOCK]
            at = point[column]
            for i in range(BLOCK):
                gap = max(lows[i] - at, at - highs[i], 0.0)
                own[i] += gap * gap


@lean
def farthest_in(cloud: Cloud, block: int, point: Floats, best: float, row: int) -> tuple[float, int]:
    """The farthest point of a block, if it beats the best so far."""
    measure(cloud.blocks[block], point, cloud.distance)
    hits = at_least(cloud.distance, best)
    while hits:
        i = lowest(hits)
        hits &= hits - np.uint64(1)
        far, own = cloud.distance[i], cloud.row[block * BLOCK + i]
        if far > best or (far == best and own < row):
            best, row = far, own
    return best, row


@inlined
def farthest(cloud: Cloud, point: Floats) -> int:
    """The row farthest from a point."""
    count = cloud.left[1]
    far_bounds(cloud.low, cloud.high, cloud.bound, point, count)
    most, first = np.int64(-1), 0
    for block in range(count):
        most = max(most, cloud.bits[block] if cloud.bits[block] < INFINITE else np.int64(-1))
    while cloud.bits[first] != most:
        first += 1
    best, row = farthest_in(cloud, first, point, 0.0, cloud.place.size)
    cloud.bound[first] = -1.0
    for start in range(0, count, BLOCK):
        hits = at_least(cloud.bound[start : start + BLOCK], best)
        while hits:
            block = start + lowest(hits)
            hits &= hits - np.uint64(1)
            if cloud.bound[block] >= best:
                best, row = farthest_in(cloud, block, point, best, row)
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
def nearest_in(cloud: Cloud, block: int, point: Floats, near: Floats, rows: Longs) -> None:
    """Take in the points of a block that are among the nearest."""
    measure(cloud.blocks[block], point, cloud.distance)
    last = near.size - 1
    hits = up_to(cloud.distance, near[last])
    while hits:
        i = lowest(hits)
        hits &= hits - np.uint64(1)
        distance = cloud.distance[i]
        if distance <= near[last]:
            row = cloud.row[block * BLOCK + i]
            if distance < near[last] or row < rows[last]:
                insert(near, rows, distance, row)


@lean
def closest_block(bits: Longs, count: int) -> int:
    """The block of the least bound, given the bits of the bounds."""
    fewest, found = INFINITE, 0
    for block in range(count):
        fewest = min(fewest, bits[block])
    while bits[found] != fewest:
        found += 1
    return found


@inlined
def nearest(cloud: Cloud, point: Floats, first: int, near: Floats, rows: Longs) -> None:
    """The rows nearest to a point, as many as there is room for, into `rows`. Block `first` comes first."""
    count, last = cloud.left[1], near.size - 1
    near[:] = MOST  # less than the distance of points that are gone
    rows[:] = cloud.place.size
    near_bounds(cloud.low, cloud.high, cloud.bound, point, count)
    nearest_in(cloud, first, point, near, rows)
    cloud.bound[first] = np.inf
    while near[last] == MOST:  # until there are enough, the closest block counts: all others may be far
        closest = closest_block(cloud.bits, count)
        nearest_in(cloud, closest, point, near, rows)
        cloud.bound[closest] = np.inf
    for start in range(0, count, BLOCK):
        hits = up_to(cloud.bound[start : start + BLOCK], near[last])
        while hits:
            block = start + lowest(hits)
            hits &= hits - np.uint64(1)
            if cloud.bound[block] <= near[last]:
                nearest_in(cloud, block, point, near, rows)
