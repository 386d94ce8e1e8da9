"""Counting few codes with several accumulators, so that equal neighbours need not wait for each other."""

from __future__ import annotations

from typing import Any

import numpy as np

from worker.engine.arrays import Longs
from worker.engine.kernels.compiled import compiled

Codes = np.ndarray[Any, np.dtype[Any]]


@compiled
def tallied(codes: Codes, size: int) -> Longs:
    """How often each code below `size` occurs."""
    one, two = np.zeros(size, np.int64), np.zeros(size, np.int64)
    three, four = np.zeros(size, np.int64), np.zeros(size, np.int64)
    whole = len(codes) // 4 * 4
    for at in range(0, whole, 4):
        one[np.uint32(codes[at])] += 1
        two[np.uint32(codes[at + 1])] += 1
        three[np.uint32(codes[at + 2])] += 1
        four[np.uint32(codes[at + 3])] += 1
    for at in range(whole, len(codes)):
        one[np.uint32(codes[at])] += 1
    return one + two + three + four
