"""Compiled loops that propose cuts of multidimensional regions: at medians, or into the children of a value.

Rows are kept physically in the order of their regions, so that a region is a span of every array. A cut only
reorders rows inside its span: it may be refused afterwards, and nothing has to be put back.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from worker.engine.arrays import Longs
from worker.engine.kernels.compiled import compiled, inlined, lean

Ints = np.ndarray[Any, np.dtype[np.int32]]
Floats = np.ndarray[Any, np.dtype[np.float64]]

LOW = (1 << 32) - 1
WAYS = 3
"""A column is cut between missing and known, then at its median, then just after its median."""


class Rows(NamedTuple):
    """The rows in their present order, with the codes of all columns; `number` is where each was at first."""

    codes: Ints
    number: Ints
    weight: Longs


class Axes(NamedTuple):
    """What is known of the columns. An ordered column has ranks, the missing ones first, and a number for
    each; a tree has for each level the group of each value (`maps`) and what showing it loses (`numbers`)."""

    is_tree: Longs
    missing: Longs
    span: Floats
    size: Longs
    number_at: Longs
    numbers: Floats
    map_at: Longs
    maps: Ints


class Room(NamedTuple):
    """Room to work in: the part of each row of a region, where the parts end, and a copy of the rows."""

    part: Ints
    end: Longs
    rows: Longs
    tally: Longs
    spare: Rows


class Open(NamedTuple):
    """The regions still to be cut: their spans, the level of each tree, and how many ways were tried."""

    start: Longs
    end: Longs
    levels: Longs
    tried: Longs


@compiled
def propose(
    rows: Rows, axes: Axes, regions: Open, smallest: int, relaxed: bool, room: Room, ends: Longs, cut: Longs
) -> Longs:
    """The next cut of every region whose parts all hold enough rows: how many parts, 0 when there is none.

    `ends` takes the ends of all parts one after the other, `cut` the column of each region.
    """
    parts, total = np.zeros(regions.start.size, np.int64), 0
    for region in range(regions.start.size):
        number = _next_cut(rows, axes, regions, region, smallest, relaxed, room, cut)
        parts[region] = number
        for part in range(number):
            ends[total] = regions.start[region] + room.end[part]
            total += 1
    return parts


@compiled
def _next_cut(
    rows: Rows, axes: Axes, regions: Open, region: int, smallest: int, relaxed: bool, room: Room, cut: Longs
) -> int:
    start, end, levels = regions.start[region], regions.end[region], regions.levels[region]
    columns = rows.codes.shape[1]
    if end - start < 2 or _heavy(rows, start, end) < 2 * smallest:
        return 0
    widths = np.zeros(columns)
    for column in range(columns):
        widths[column] = _width(rows, axes, column, start, end, levels)
    order = _widest_first(widths)
    while regions.tried[region] < WAYS * columns:
        column, way = order[regions.tried[region] // WAYS], regions.tried[region] % WAYS
        if widths[column] <= 0.0:
            return 0
        regions.tried[region] += 1
        parts = _assign(rows, axes, column, start, end, levels[column], way, relaxed, room)
        if parts > 1 and _all_large(rows, start, end, parts, smallest, room):
            _gather(rows, start, end, parts, room)
            cut[region] = column
            return parts
    return 0


@lean
def _heavy(rows: Rows, start: int, end: int) -> int:
    """How many rows a span stands for."""
    heavy = np.int64(0)
    for i in range(start, end):
        heavy += rows.weight[i]
    return int(heavy)


@compiled
def _widest_first(widths: Floats) -> Longs:
    """The columns by width; of equal ones the first comes first."""
    order = np.arange(widths.size)
    for i in range(1, widths.size):
        column, at = order[i], i
        while at > 0 and widths[order[at - 1]] < widths[column]:
            order[at] = order[at - 1]
            at -= 1
        order[at] = column
    return order


@lean
def _width(rows: Rows, axes: Axes, column: int, start: int, end: int, levels: Longs) -> float:
    """The part of a column that a region spans; a tree first sinks to where the region's rows differ."""
    codes, at = rows.codes[start:end, column], axes.number_at[column]
    if axes.is_tree[column] == 0:
        low, high = codes[0], codes[0]
        for code in codes:
            low, high = min(low, code), max(high, code)
        if low < axes.missing[column]:
            return 1.0 if high >= axes.missing[column] else 0.0
        return float((axes.numbers[at + high] - axes.numbers[at + low]) / axes.span[column])
    while levels[column] > 0:
        below = axes.map_at[column] + (levels[column] - 1) * axes.size[column]
        for code in codes:
            if axes.maps[below + code] != axes.maps[below + codes[0]]:
                return float(axes.numbers[at + levels[column] * axes.size[column] + codes[0]])
        levels[column] -= 1
    return 0.0


@inlined
def _assign(
    rows: Rows,
    axes: Axes,
    column: int,
    start: int,
    end: int,
    level: int,
    way: int,
    relaxed: bool,
    room: Room,
) -> int:
    """Give each row of a region its part. Returns how many parts there are; fewer than 2 is no cut."""
    codes = rows.codes[start:end, column]
    if axes.is_tree[column]:
        return _children(axes, column, codes, level, room) if way == 0 else 0
    if way == 0:
        return _cut_at(codes, axes.missing[column], room) if axes.missing[column] else 0
    if relaxed:
        return _even_halves(rows, codes, start, room) if way == 1 else 0
    return _cut_at(codes, _median(rows, codes, start, way == 2, room), room)


@lean
def _cut_at(codes: Ints, position: int, room: Room) -> int:
    """Below and from a code on."""
    above = 0
    for i in range(codes.size):
        room.part[i] = 1 if codes[i] >= position else 0
        above += room.part[i]
    return 2 if 0 < above < codes.size else 0


@compiled
def _median(rows: Rows, codes: Ints, start: int, after: bool, room: Room) -> int:
    """The lowest code of the upper half. The median goes to the half that leaves both more even; with
    `after` to the other one. A code that leaves one half empty means there is no such cut."""
    low, high = codes.min(), codes.max()
    if high - low < 4 * codes.size + 64:
        return _median_counted(rows, codes, start, low, high, after, room)
    places, total = np.empty(codes.size, np.int64), np.int64(0)
    for i in range(codes.size):
        places[i] = (np.int64(codes[i]) << 32) | np.int64(i)
        total += rows.weight[start + i]
    places = np.sort(places)
    below, first, last = np.int64(0), 0, 0
    while True:
        middle = np.int64(0)
        while last < places.size and places[last] >> 32 == places[first] >> 32:
            middle += rows.weight[start + (places[last] & LOW)]
            last += 1
        if 2 * (below + middle) >= total:
            break
        below, first = below + middle, last
    upper = (total - 2 * below > 2 * (below + middle) - total) != after
    if upper and last == places.size:
        return int(high) + 1
    return int(places[last if upper else first] >> 32)


@lean
def _median_counted(rows: Rows, codes: Ints, start: int, low: int, high: int, after: bool, room: Room) -> int:
    """The same where the codes lie close together: by counting them."""
    tally, total, below = room.tally, np.int64(0), np.int64(0)
    for i in range(codes.size):
        tally[codes[i] - low] += rows.weight[start + i]
        total += rows.weight[start + i]
    code = low
    while 2 * (below + tally[code - low]) < total:
        below += tally[code - low]
        code += 1
    middle, above = tally[code - low], code + 1
    while above <= high and tally[above - low] == 0:
        above += 1
    for code_left in range(high - low + 1):
        tally[code_left] = 0
    upper = (total - 2 * below > 2 * (below + middle) - total) != after
    return int(above) if upper else int(code)


@compiled
def _even_halves(rows: Rows, codes: Ints, start: int, room: Room) -> int:
    """The lower half of the rows below, the others above; of equal values, earlier rows first."""
    places = np.empty(codes.size, np.int64)
    for i in range(codes.size):
        places[i] = (np.int64(codes[i]) << 32) | np.int64(rows.number[start + i])
    ordered = np.sort(places)
    last = ordered[(codes.size - 1) // 2]
    for i in range(codes.size):
        room.part[i] = 1 if places[i] > last else 0
    return 2


@lean
def _children(axes: Axes, column: int, codes: Ints, level: int, room: Room) -> int:
    """One part for each child of the region's value."""
    below, count = axes.map_at[column] + (level - 1) * axes.size[column], 0
    if level == 0:
        return 0
    for i in range(codes.size):
        child = axes.maps[below + codes[i]]
        if room.tally[child] == 0:
            count += 1
            room.tally[child] = count
        room.part[i] = np.int32(room.tally[child] - 1)
    for code in codes:
        room.tally[axes.maps[below + code]] = 0
    return count


@lean
def _all_large(rows: Rows, start: int, end: int, parts: int, smallest: int, room: Room) -> bool:
    """Whether every part holds enough rows; decided before any row is moved."""
    for part in range(parts):
        room.rows[part], room.end[part] = 0, 0
    for i in range(end - start):
        room.rows[room.part[i]] += rows.weight[start + i]
        room.end[room.part[i]] += 1
    least = room.rows[0]
    for part in range(parts):
        least = min(least, room.rows[part])
    return bool(least >= smallest)


@lean
def _gather(rows: Rows, start: int, end: int, parts: int, room: Room) -> None:
    """Bring the rows of each part together, in their present order. `room.end` then tells where parts end."""
    size, spare, at = end - start, room.spare, np.int64(0)
    for part in range(parts):
        number = room.end[part]
        room.end[part] = at
        at += number
    for i in range(size):
        to = room.end[room.part[i]]
        room.end[room.part[i]] += 1
        for column in range(rows.codes.shape[1]):
            spare.codes[to, column] = rows.codes[start + i, column]
        spare.number[to], spare.weight[to] = rows.number[start + i], rows.weight[start + i]
    for i in range(size):
        for column in range(rows.codes.shape[1]):
            rows.codes[start + i, column] = spare.codes[i, column]
        rows.number[start + i], rows.weight[start + i] = spare.number[i], spare.weight[i]
