"""Location and covariance that outliers cannot pull: the minimum covariance determinant.

Rousseeuw and Van Driessen (1999): of many small random starts, concentrate the most promising ones on
the half of the rows with the smallest determinant; then weigh rows by their distance from it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.random import Generator

from worker.engine.tables.column import Floats

STARTS, PROMISING, MOST_STEPS = 60, 6, 50
CUT = 0.975
_Rows = np.ndarray[Any, np.dtype[np.intp]]


def minimum_covariance_determinant(rows: Floats, generator: Generator) -> tuple[Floats, Floats]:
    """Mean and covariance of complete rows, consistent for normal data."""
    count, width = rows.shape
    half = (count + width + 1) // 2
    starts = [_start(rows, half, generator) for _ in range(STARTS)]
    starts.sort(key=lambda chosen: _determinant(rows[chosen]))
    finished = [_concentrated(rows, chosen, half) for chosen in starts[:PROMISING]]
    best = min(finished, key=lambda chosen: _determinant(rows[chosen]))
    mean, matrix = _moments(rows[best])
    matrix = matrix * _consistency(half / count, width)
    near = _distances(rows, mean, matrix) <= _quantile(CUT, width)
    mean, matrix = _moments(rows[near])
    return mean, matrix * _consistency(CUT, width)


def _start(rows: Floats, half: int, generator: Generator) -> _Rows:
    """Two steps from as few rows as can span all directions."""
    few = generator.choice(len(rows), min(len(rows), rows.shape[1] + 1), replace=False)
    for _ in range(2):
        few = _nearest(rows, few, half)
    return np.asarray(few)


def _concentrated(rows: Floats, chosen: _Rows, half: int) -> _Rows:
    for _ in range(MOST_STEPS):
        fresh = _nearest(rows, chosen, half)
        if np.array_equal(np.sort(fresh), np.sort(chosen)):
            break
        chosen = fresh
    return chosen


def _nearest(rows: Floats, chosen: _Rows, half: int) -> _Rows:
    mean, matrix = _moments(rows[chosen])
    found: _Rows = np.argpartition(_distances(rows, mean, matrix), half - 1)[:half]
    return found


def _moments(rows: Floats) -> tuple[Floats, Floats]:
    matrix = np.atleast_2d(np.cov(rows, rowvar=False))
    return rows.mean(axis=0), matrix


def _distances(rows: Floats, mean: Floats, matrix: Floats) -> Floats:
    centred = rows - mean
    found: Floats = np.einsum("ij,ij->i", centred @ np.linalg.pinv(matrix, hermitian=True), centred)
    return found


def _determinant(rows: Floats) -> float:
    return float(np.linalg.slogdet(_moments(rows)[1])[1])


def _quantile(share: float, width: int) -> float:
    from scipy.special import gammaincinv

    return 2.0 * float(gammaincinv(width / 2.0, share))


def _consistency(share: float, width: int) -> float:
    """What the covariance of the nearest `share` of normal rows lacks."""
    from scipy.special import gammainc

    return share / float(gammainc(width / 2.0 + 1.0, _quantile(share, width) / 2.0))
