"""Kernels that write over boxes of a lattice: everything below a node, or everything above it.

A box is handled as runs along the last column; `spans` is room for the first node of each run.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from worker.engine.arrays import Longs
from worker.engine.kernels.compiled import compiled

Floats = np.ndarray[Any, np.dtype[np.float64]]
Flags = np.ndarray[Any, np.dtype[np.uint8]]

ADD, MULTIPLY, LARGEST = 0, 1, 2


class Shape(NamedTuple):
    """A lattice as kernels see it; levels are counted from `lowest`."""

    counts: Longs
    lowest: Longs
    strides: Longs
    parts_of_stride: Floats
    """1 / stride: dividing by multiplying is exact for numbers of up to 2²² and much faster."""
    spans: Longs
    parts: Floats


@compiled
def steps_of(shape: Shape, node: int, levels: Longs) -> None:
    """The levels of a node."""
    place, before = float(node) + 0.5, 0
    for column in range(levels.size):
        steps = int(place * shape.parts_of_stride[column])
        levels[column] = shape.lowest[column] + steps - before * shape.counts[column]
        before = steps


@compiled
def node_of(shape: Shape, levels: Longs) -> int:
    """The node at some levels."""
    node = 0
    for column in range(levels.size):
        node += shape.strides[column] * (levels[column] - shape.lowest[column])
    return node


@compiled
def runs_below(shape: Shape, levels: Longs) -> int:
    """List the runs of the box from the lattice's bottom up to some levels."""
    count = 1
    shape.spans[0] = 0
    for column in range(levels.size - 1):
        before, stride = count, shape.strides[column]
        for step in range(1, levels[column] - shape.lowest[column] + 1):
            for i in range(before):
                shape.spans[count] = shape.spans[i] + step * stride
                count += 1
    return count


@compiled
def runs_above(shape: Shape, levels: Longs) -> int:
    """List the runs of the box from some levels up to the lattice's top."""
    count = 1
    shape.spans[0] = node_of(shape, levels)
    for column in range(levels.size - 1):
        before, stride = count, shape.strides[column]
        above = shape.lowest[column] + shape.counts[column] - 1 - levels[column]
        for step in range(1, above + 1):
            for i in range(before):
                shape.spans[count] = shape.spans[i] + step * stride
                count += 1
    return count


@compiled
def mark_below(shape: Shape, levels: Longs, flags: Flags, flag: int) -> None:
    """Set a flag on a node and everything below it."""
    last = levels.size - 1
    length = levels[last] - shape.lowest[last] + 1
    for run in range(runs_below(shape, levels)):
        start = shape.spans[run]
        for node in range(start, start + length):
            flags[node] |= np.uint8(flag)


@compiled
def mark_above(shape: Shape, levels: Longs, flags: Flags, flag: int) -> None:
    """Set a flag on a node and everything above it."""
    last = levels.size - 1
    length = shape.lowest[last] + shape.counts[last] - levels[last]
    for run in range(runs_above(shape, levels)):
        start = shape.spans[run]
        for node in range(start, start + length):
            flags[node] |= np.uint8(flag)


@compiled
def raise_above(shape: Shape, levels: Longs, bounds: Floats, value: float) -> None:
    """No node above scores better than this."""
    last = levels.size - 1
    length = shape.lowest[last] + shape.counts[last] - levels[last]
    for run in range(runs_above(shape, levels)):
        start = shape.spans[run]
        for node in range(start, start + length):
            bounds[node] = max(bounds[node], value)


@compiled
def combined(operation: int, a: float, b: float) -> float:
    """One step of a sum, a product or a maximum."""
    if operation == ADD:
        return a + b
    if operation == MULTIPLY:
        return a * b
    return max(a, b)


@compiled
def raise_below(
    shape: Shape, levels: Longs, bounds: Floats, table: Floats, operation: int, shift: float
) -> None:
    """Raise the bounds below a node to what `table[column, level]` adds up to, plus a shift."""
    count, last, first = 1, levels.size - 1, 0.0
    shape.spans[0] = 0
    shape.parts[0] = 1.0 if operation == MULTIPLY else 0.0
    for column in range(last):
        before, low = count, shape.lowest[column]
        for step in range(levels[column] - low, -1, -1):
            add, to = table[column, low + step], 0 if step == 0 else count
            for i in range(before):
                shape.spans[to + i] = shape.spans[i] + step * shape.strides[column]
                shape.parts[to + i] = combined(operation, shape.parts[i], add)
            count += 0 if step == 0 else before
    low = shape.lowest[last]
    for run in range(count):
        start, first = shape.spans[run], shape.parts[run]
        for step in range(levels[last] - low + 1):
            value = combined(operation, first, table[last, low + step]) + shift
            bounds[start + step] = max(bounds[start + step], value)
