"""Swap values in pairs that are at most so many ranks apart."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.random import Generator

from worker.engine.kernels.compiled import compiled
from worker.engine.tables.column import Floats
from worker.engine.tables.drawing import Words, words
from worker.engine.tables.ordering import gathered, order_of, scattered

TRIES = 24
_Flags = np.ndarray[Any, np.dtype[np.uint8]]


def swapped(keys: Floats, values: Any, reach: int, generator: Generator) -> tuple[Any, int]:
    """`values` after swapping, and the largest difference of ranks; `keys` say what the ranks are.

    Equal keys are ranked at random: else a group of equals larger than the reach could not be left.
    """
    order = order_of(keys, generator)
    moved = gathered(values, order)
    used = np.zeros(len(order), np.uint8)
    largest = _swap(reach, words(generator, 64, len(order)), used, moved)
    return scattered(moved, order), int(largest)


@compiled
def _swap(reach: int, draws: Words, used: _Flags, moved: Any) -> int:
    count, largest = len(moved), 0
    for i in range(count):
        end = min(i + reach, count - 1)
        if used[i] or end == i:
            continue
        j = _choose(i, end, draws[i], used)
        if j > i:
            used[j] = 1
            moved[i], moved[j] = moved[j], moved[i]
            largest = max(largest, j - i)
    return largest


@compiled
def _choose(i: Any, end: Any, word: Any, used: _Flags) -> Any:
    """A free place in (i, end], all alike; i when there is none."""
    span = np.uint64(end - i)
    state = word
    for _ in range(TRIES):
        at = i + 1 + np.int64(((state >> np.uint64(32)) * span) >> np.uint64(32))
        if not used[at]:
            return at
        state = _mixed(state + np.uint64(0x9E3779B97F4A7C15))
    start = i + 1 + np.int64(((state >> np.uint64(32)) * span) >> np.uint64(32))
    for at in range(start, end + 1):
        if not used[at]:
            return at
    for at in range(start - 1, i, -1):
        if not used[at]:
            return at
    return i


@compiled
def _mixed(state: Any) -> Any:
    """Further bits from bits that were drawn (the finalizer of SplitMix64)."""
    state = (state ^ (state >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    state = (state ^ (state >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return state ^ (state >> np.uint64(31))
