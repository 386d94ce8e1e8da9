"""The loops of growing trees and of falling through them."""

from __future__ import annotations

from typing import Any

import numpy as np

from worker.engine.arrays import Longs
from worker.engine.kernels.compiled import compiled
from worker.engine.tables.column import Floats, Mask

Bins = np.ndarray[Any, np.dtype[np.uint8]]


@compiled
def _added_up(bins: Bins, rows: Longs, responses: Floats, counts: Longs, sums: Floats) -> None:
    """For each feature and bin, how many of the rows it holds and the sums of their responses, in order."""
    for at in range(len(rows)):
        row = rows[at]
        for feature in range(bins.shape[1]):
            own = bins[row, feature]
            counts[feature, own] += 1
            for output in range(responses.shape[1]):
                sums[feature, own, output] += responses[at, output]


@compiled
def _by_mean(counts: Longs, sums: Floats, order: Longs) -> None:
    """Put bins in order of the mean response of their rows; equal ones stay as they stand."""
    means = sums / np.maximum(counts, 1)
    for start in range(1, len(order)):
        own, at = order[start], start
        while at > 0 and means[order[at - 1]] > means[own]:
            order[at] = order[at - 1]
            at -= 1
        order[at] = own


@compiled
def _squared_sum(numbers: Floats) -> float:
    """The sum of squares, in the order in which numpy adds up: eight sums side by side, then the rest."""
    whole, total = len(numbers) - len(numbers) % 8, 0.0
    if whole:
        parts = numbers[:8] * numbers[:8]
        for start in range(8, whole, 8):
            parts += numbers[start : start + 8] * numbers[start : start + 8]
        left = (parts[0] + parts[1]) + (parts[2] + parts[3])
        total = left + ((parts[4] + parts[5]) + (parts[6] + parts[7]))
    for at in range(whole, len(numbers)):
        total += numbers[at] * numbers[at]
    return total


@compiled
def _best_of(counts: Longs, sums: Floats, order: Longs, smallest: int) -> tuple[float, int]:
    """What the best split of one feature gains, and the last of the ordered bins that go left."""
    most, found, rows, whole = -1.0, 0, 0, counts.sum()
    running = np.zeros(sums.shape[1])
    for at in range(len(order)):
        rows += counts[order[at]]
        running += sums[order[at]]
        if rows >= smallest and whole - rows >= smallest:  # the total is 0: both sides have the same sum
            squares = _squared_sum(running)
            gain = squares / rows + squares / (whole - rows)
            if gain > most:
                most, found = gain, at
    return most, found


@compiled
def best_split(
    bins: Bins, rows: Longs, responses: Floats, ordered: Mask, leading: int, smallest: int, goes_left: Mask
) -> tuple[float, int]:
    """What the best split of the rows gains, and its feature; `goes_left` are the bins on its left.

    `bins` has a line for each row of the data, `responses` one for each of the rows, with a mean of 0. Bins
    without an order are laid out by their mean of the leading response.
    """
    counts = np.zeros((bins.shape[1], len(goes_left)), np.int64)
    sums = np.zeros((bins.shape[1], len(goes_left), responses.shape[1]))
    _added_up(bins, rows, responses, counts, sums)
    most, best = -1.0, -1
    for feature in range(bins.shape[1]):
        order = np.arange(len(goes_left))
        if not ordered[feature]:
            _by_mean(counts[feature], sums[feature, :, leading], order)
        gain, last = _best_of(counts[feature], sums[feature], order, smallest)
        if gain > most:
            most, best = gain, feature
            goes_left[:] = False
            goes_left[order[: last + 1]] = True
    return most, best


@compiled
def fall(bins: Bins, feature: Longs, left: Mask, children: Longs, leaves: Longs) -> None:
    """The leaf that each row comes to (`bins` are features × rows)."""
    for row in range(len(leaves)):
        at = 0
        while feature[at] >= 0:
            at = children[at, 0 if left[at, bins[feature[at], row]] else 1]
        leaves[row] = at
