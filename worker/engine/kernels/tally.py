"""How often each small code occurs."""

from __future__ import annotations

from typing import Any

import numpy as np

from worker.engine.algorithms.compiled import compiled

Array = np.ndarray[Any, Any]
LANES = 4
"""Neighbours count in different places: equal codes in a row would wait for one another."""


def tallied(codes: Array, width: int) -> Array:
    """The number of rows of each code below `width`."""
    counts = np.zeros((LANES, width), np.int64)
    _tally(codes, counts)
    total: Array = counts.sum(axis=0)
    return total


@compiled
def _tally(codes: Array, counts: Array) -> None:
    whole = len(codes) - len(codes) % 4
    for i in range(0, whole, 4):
        counts[0, np.uint32(codes[i])] += 1
        counts[1, np.uint32(codes[i + 1])] += 1
        counts[2, np.uint32(codes[i + 2])] += 1
        counts[3, np.uint32(codes[i + 3])] += 1
    for i in range(whole, len(codes)):
        counts[0, np.uint32(codes[i])] += 1
