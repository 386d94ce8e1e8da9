"""The loops of looking for the nearest record, and of counting whom a predicate fits.

A cell is a number, or a code of 0 and more for a text: then its number is 0. Two cells are apart by how far
their numbers are, or by 1 where their codes differ.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from worker.engine.arrays import Longs
from worker.engine.kernels.compiled import compiled, inlined

Floats = np.ndarray[Any, np.dtype[np.float64]]
Codes = np.ndarray[Any, np.dtype[np.int32]]
Boxes = tuple[Floats, Floats, Longs]
"""Of each block and column the least and the greatest number, and a bit for each code that occurs."""

EQUAL = 1e-12
"""Distances that differ by less are one: sums of the same parts in another order."""
NUMBER = -1


@inlined
def apart(
    numbers: Floats,
    codes: Codes,
    row: int,
    others: Floats,
    beside: Codes,
    at: int,
    squared: bool,
    most: float,
) -> float:
    """The sum over the columns, or more than `most` as soon as it is."""
    total = 0.0
    for column in range(numbers.shape[1]):
        step = 1.0
        if codes[row, column] == beside[at, column]:
            step = abs(numbers[row, column] - others[at, column])
        total += step * step if squared else step
        if total > most:
            return total
    return total


@inlined
def at_least(number: float, code: int, low: float, high: float, occurring: int) -> float:
    """How far a cell is from every cell of a block in one column, at the least."""
    if code == NUMBER:
        return min(max(low - number, number - high, 0.0), 1.0)
    return 1.0 - ((occurring >> (code & 63)) & 1)


@compiled
def bounded(numbers: Floats, codes: Codes, row: int, boxes: Boxes, squared: bool, bounds: Floats) -> int:
    """How far the row is from the records of each block at the least; the block with the smallest bound."""
    lows, highs, occurring = boxes
    nearest = 0
    for block in range(lows.shape[0]):
        bounds[block] = 0.0
        for column in range(numbers.shape[1]):
            number, code = numbers[row, column], codes[row, column]
            step = at_least(number, code, lows[block, column], highs[block, column], occurring[block, column])
            bounds[block] += step * step if squared else step
        if bounds[block] < bounds[nearest]:
            nearest = block
    return nearest


@compiled
def closest(
    numbers: Floats,
    codes: Codes,
    others: Floats,
    beside: Codes,
    order: Longs,
    boxes: Boxes,
    size: int,
    squared: bool,
    first: Floats,
    second: Floats,
    tied: Longs,
    where: Longs,
) -> None:
    """For each row the sums of its nearest and second nearest record, how many are nearest, and the first.

    Records lie in blocks of a size; a block that is too far as a whole is passed over.
    """
    bounds = np.empty(boxes[0].shape[0])
    for row in range(numbers.shape[0]):
        best, next_best, ties, place = np.inf, np.inf, 0, -1
        start = bounded(numbers, codes, row, boxes, squared, bounds)
        for turn in range(len(bounds) + 1):
            block = turn - 1 if turn else start
            if (turn and block == start) or bounds[block] > next_best + EQUAL:
                continue
            for at in range(block * size, min((block + 1) * size, others.shape[0])):
                sum_ = apart(numbers, codes, row, others, beside, at, squared, next_best + EQUAL)
                if sum_ < best - EQUAL:
                    best, next_best, ties, place = sum_, best, 1, order[at]
                elif sum_ <= best + EQUAL:
                    next_best, place = best, min(place, order[at])
                    ties += 1
                elif sum_ < next_best:
                    next_best = sum_
        first[row], second[row], tied[row], where[row] = best, next_best, ties, place


@compiled
def common(
    numbers: Floats,
    codes: Codes,
    others: Floats,
    beside: Codes,
    first: Floats,
    more_numbers: Floats,
    more_codes: Codes,
    more_others: Floats,
    more_beside: Codes,
    more_first: Floats,
    both: Longs,
) -> None:
    """For each row how many records are nearest by one set of columns and by the other too."""
    for row in range(numbers.shape[0]):
        most, further, found = first[row] + EQUAL, more_first[row] + EQUAL, 0
        for at in range(others.shape[0]):
            if apart(numbers, codes, row, others, beside, at, False, most) > most:
                continue
            far = apart(more_numbers, more_codes, row, more_others, more_beside, at, False, further)
            found += far <= further
        both[row] = found


IS, IS_NOT, AT_LEAST, AT_MOST, ABOVE, BELOW = range(6)


@inlined
def fits(sign: int, number: float, code: int, value: float, label: int) -> bool:
    """Whether a cell is as a condition says; a text is neither more nor less than anything."""
    if sign in (IS, IS_NOT) or label != NUMBER or code != NUMBER:
        same = code == label and number == value
        return same != (sign == IS_NOT)
    if sign == AT_LEAST:
        return number >= value
    if sign == AT_MOST:
        return number <= value
    return number > value if sign == ABOVE else number < value


@compiled
def fitting(
    numbers: Floats,
    codes: Codes,
    columns: Longs,
    signs: Longs,
    values: Floats,
    labels: Codes,
    counts: Longs,
) -> None:
    """How many rows each predicate fits, a line of conditions each; nobody looks further than the second."""
    for one in range(columns.shape[0]):
        found = 0
        for row in range(numbers.shape[0]):
            all_ = True
            for part in range(columns.shape[1]):
                at = columns[one, part]
                if not fits(
                    signs[one, part], numbers[row, at], codes[row, at], values[one, part], labels[one, part]
                ):
                    all_ = False
                    break
            found += all_
            if found > 1:
                break
        counts[one] = found
