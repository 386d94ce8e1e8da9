"""Straight lines between a few knots, for very many numbers."""

from __future__ import annotations

import numpy as np

from worker.engine.kernels.compiled import compiled
from worker.engine.tables.column import Floats

MOST_KNOTS = 256
"""A constant, so that the search is unrolled and many numbers are looked up at once."""


def interpolated(numbers: Floats, knots: Floats, values: Floats) -> Floats:
    """As `numpy.interp` with at most 256 knots, several times faster; 0 for NaN."""
    padded = np.full(MOST_KNOTS, np.inf)
    padded[: len(knots)] = knots
    heights = np.full(MOST_KNOTS, values[-1])
    heights[: len(values)] = values
    slopes = np.zeros(MOST_KNOTS)
    slopes[: len(knots) - 1] = np.diff(values) / np.diff(knots)
    fresh = np.empty(len(numbers))
    _interpolate(np.ascontiguousarray(numbers, np.float64), padded, heights, slopes, fresh)
    return fresh


@compiled
def _interpolate(numbers: Floats, knots: Floats, heights: Floats, slopes: Floats, fresh: Floats) -> None:
    none, one = np.uint64(0), np.uint64(1)
    for i in range(len(numbers)):
        number, at, step = numbers[i], none, np.uint64(MOST_KNOTS // 2)
        while step > none:  # without branches: every other guess would be wrong
            at = at + step * np.uint64(knots[at + step] <= number)
            step = step >> one
        height = heights[at] + max(number - knots[at], 0.0) * slopes[at]
        fresh[i] = height if number == number else 0.0
