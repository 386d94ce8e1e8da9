"""Sorted lists as distinct keys and their counts; two of these as one."""

from __future__ import annotations

from typing import Any

import numpy as np

from worker.engine.kernels.compiled import compiled

Array = np.ndarray[Any, Any]


@compiled
def merge(keys: Array, counts: Array, others: Array, more: Array, out: Array, totals: Array) -> int:
    """Fill `out` and `totals`; how many distinct keys there are."""
    left = right = size = 0
    while left < len(keys) and right < len(others):
        here, there = keys[left], others[right]
        out[size] = min(here, there)
        totals[size] = 0
        if here <= there:
            totals[size] += counts[left]
            left += 1
        if there <= here:
            totals[size] += more[right]
            right += 1
        size += 1
    for rest in range(left, len(keys)):
        out[size], totals[size] = keys[rest], counts[rest]
        size += 1
    for rest in range(right, len(others)):
        out[size], totals[size] = others[rest], more[rest]
        size += 1
    return size


@compiled
def run_lengths(keys: Array, counts: Array) -> int:
    """Each key of a sorted list once, in its own place, and how often it occurred; how many there are."""
    size = 0
    for at in range(len(keys)):
        if at and keys[at] == keys[size - 1]:
            counts[size - 1] += 1
        else:
            keys[size], counts[size] = keys[at], 1
            size += 1
    return size
