"""How strongly two columns hang together: Cramér's V, rank correlation, correlation ratio."""

from __future__ import annotations

import numpy as np

from worker.engine.tables.column import Codes, Floats
from worker.engine.tables.keys import grouped


def cramers_v(one: Codes, other: Codes, sizes: tuple[int, int]) -> float | None:
    """Of two columns of categories, without correction for small samples; None where one is constant."""
    rows = len(one)
    first, second = np.bincount(one, minlength=sizes[0]), np.bincount(other, minlength=sizes[1])
    least = min(int((first > 0).sum()), int((second > 0).sum())) - 1
    if least < 1:
        return None
    pairs = grouped(one.astype(np.int64) * sizes[1] + other, None, sizes[0] * sizes[1])
    expected = first[pairs.keys // sizes[1]].astype(np.float64) * second[pairs.keys % sizes[1]]
    mean_square = float((np.square(pairs.counts.astype(np.float64)) / expected).sum()) - 1
    return float(np.sqrt(min(max(mean_square / least, 0.0), 1.0))) if rows else None


def rank_correlation(one: Codes, other: Codes) -> float | None:
    """Spearman's, of the places of numbers in their order, equal ones sharing their mean rank; None where
    one is constant."""
    x, y = (_centred(_ranks(places)) for places in (one, other))
    size = float(np.sqrt(np.dot(x, x)) * np.sqrt(np.dot(y, y)))
    return min(max(float(np.dot(x, y)) / size, -1.0), 1.0) if size else None


def correlation_ratio(codes: Codes, numbers: Floats, size: int) -> float | None:
    """The part of a number's deviation that categories explain, as a root: η; None where it has none."""
    apart = _centred(numbers)
    whole = float(np.dot(apart, apart))
    if not whole:
        return None
    rows = np.bincount(codes, minlength=size)
    sums = np.bincount(codes, apart, size)
    between = float((np.square(sums) / np.maximum(rows, 1)).sum())
    return float(np.sqrt(min(between / whole, 1.0)))


def _centred(numbers: Floats) -> Floats:
    """Around their mean; all 0 where all are one number, whatever their mean is rounded to."""
    if not len(numbers) or numbers.min() == numbers.max():
        return np.zeros(len(numbers))
    return np.asarray(numbers - numbers.mean())


def _ranks(places: Codes) -> Floats:
    """Counted, not sorted: the order is known."""
    rows = np.bincount(places)
    return np.asarray((np.cumsum(rows) - (rows - 1) / 2)[places]) if len(places) else np.zeros(0)
