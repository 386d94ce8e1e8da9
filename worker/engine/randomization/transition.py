"""Transition matrices between categories, as exact integer weights.

Every row of a matrix is a list of whole numbers; a probability is a weight divided by the row's total.
So rows sum to 1, a promised diagonal is kept and an invariant matrix leaves the frequencies as they are
exactly, not up to rounding.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction

import numpy as np

from worker.engine.randomization.alias import MOST_WEIGHT
from worker.engine.tables.column import Floats

Weights = list[list[int]]
MOST_CATEGORIES = 200


def exactly(number: float | Decimal) -> Fraction:
    """The decimal that somebody wrote, not the binary fraction next to it."""
    return Fraction(str(number))


def identity(size: int) -> Weights:
    """Everything stays as it is."""
    return [[int(i == j) for j in range(size)] for i in range(size)]


def uniform(keep: Fraction, groups: Sequence[Sequence[int]], size: int) -> Weights:
    """A category stays with probability `keep`; else one of its group's others, all alike."""
    weights = identity(size)
    for group in groups:
        others = len(group) - 1
        if others < 1:
            continue
        stay, leave = keep.numerator * others, keep.denominator - keep.numerator
        for i in group:
            for j in group:
                weights[i][j] = stay if i == j else leave
    return weights


def stated(matrix: Sequence[Sequence[float]]) -> Weights:
    """A matrix as somebody wrote it; what a row's decimals lack to 1 goes to its largest probability."""
    scale = 10**12
    weights = [[round(exactly(p) * scale) for p in row] for row in matrix]
    for row in weights:
        row[row.index(max(row))] += scale - sum(row)
    return weights


def require_matrix(matrix: Sequence[Sequence[float]], size: int) -> None:
    """Refuse anything but one row of probabilities per category."""
    if not size:
        raise ValueError("A matrix needs the list of categories that its rows and columns stand for.")
    if len(matrix) != size or any(len(row) != size for row in matrix):
        raise ValueError(f"The matrix must have {size} rows and columns, one per category.")
    for number, row in enumerate(matrix, start=1):
        if any(not 0 <= p <= 1 for p in row):
            raise ValueError(f"Row {number}: a probability lies between 0 and 1.")
        if abs(sum((exactly(p) for p in row), Fraction(0)) - 1) > Fraction(1, 10**9):
            raise ValueError(f"Row {number} must sum to 1.")


def widened(weights: Weights, known: Sequence[int], size: int) -> Weights:
    """The same matrix among more categories, which stay as they are."""
    wide = identity(size)
    for i, row in zip(known, weights, strict=False):
        wide[i] = [0] * size
        for j, weight in zip(known, row, strict=False):
            wide[i][j] = weight
    return wide


def proportional_flows(keep: Fraction, counts: Sequence[int], groups: Sequence[Sequence[int]]) -> Weights:
    """An invariant matrix: as many rows move from i to j as from j to i, more to frequent categories,
    and no category keeps less than `keep` of its rows."""
    scale = _scale(counts)
    leave = 1 - keep
    weights = _still(counts, scale)
    for group in groups:
        rows = sum(counts[i] for i in group)
        for i in group:
            for j in group:
                if i != j and counts[i] and counts[j]:
                    rest = rows - min(counts[i], counts[j])
                    top = scale * leave.numerator * counts[i] * counts[j]
                    _move(weights, i, j, top // (leave.denominator * rest))
    return weights


def balanced(weights: Weights, counts: Sequence[int]) -> Weights:
    """The invariant matrix next to another one: of every two opposite flows the smaller one is kept,
    so that the frequencies stay and no diagonal falls."""
    scale = _scale(counts)
    totals = [sum(row) for row in weights]
    fresh = _still(counts, scale)
    for i in range(len(counts)):
        for j in range(len(counts)):
            if i != j:
                there = scale * counts[i] * weights[i][j] // totals[i]
                back = scale * counts[j] * weights[j][i] // totals[j]
                _move(fresh, i, j, min(there, back))
    return fresh


def probabilities(weights: Weights) -> Floats:
    """The matrix as floating-point numbers."""
    return np.array([[weight / sum(row) for weight in row] for row in weights], dtype=np.float64)


def local_epsilon(weights: Weights, groups: Sequence[Sequence[int]]) -> float | None:
    """ln of the largest ratio of two rows of one group in one column; None when a zero makes it infinite."""
    worst = Fraction(1)
    for group in groups:
        totals = [sum(weights[i]) for i in group]
        for j in group:
            column = [Fraction(weights[i][j], total) for i, total in zip(group, totals, strict=True)]
            if min(column) == 0:
                if max(column) > 0:
                    return None
                continue
            worst = max(worst, max(column) / min(column))
    return math.log(worst)


def worst_epsilon(matrices: Sequence[Weights], groups: Sequence[Sequence[int]]) -> float | None:
    """The largest of several matrices; None when nothing bounds one of them, or there is none."""
    found = [local_epsilon(matrix, groups) for matrix in matrices]
    bounds = [one for one in found if one is not None]
    return max(bounds) if found and len(bounds) == len(found) else None


def _scale(counts: Sequence[int]) -> int:
    return max(1, MOST_WEIGHT // max(1, max(counts, default=1)))


def _still(counts: Sequence[int], scale: int) -> Weights:
    return [[scale * max(n, 1) if i == j else 0 for j in range(len(counts))] for i, n in enumerate(counts)]


def _move(weights: Weights, i: int, j: int, flow: int) -> None:
    weights[i][j] += flow
    weights[i][i] -= flow
