"""Normal scores: each number by the quantile of the normal distribution that its rank stands for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from worker.engine.tables.column import Floats
from worker.engine.tables.keys import distinct

KNOTS = 256


def normal_quantiles(shares: Floats) -> Floats:
    """The normal quantile of each share between 0 and 1."""
    from scipy.special import ndtri

    found: Floats = ndtri(shares)
    return found


@dataclass(frozen=True)
class Scale:
    """A rising line through a few pairs of number and score."""

    numbers: Floats
    scores: Floats

    @classmethod
    def of(cls, known: Floats) -> Scale:
        """From numbers without NaN; equal numbers share the score of their middle rank."""
        if not len(known):
            return cls(np.zeros(1), np.zeros(1))
        values, counts = np.unique(known, return_counts=True)
        middle = (np.cumsum(counts) - counts / 2.0) / len(known)
        if len(values) > KNOTS:
            wanted = np.searchsorted(middle, np.arange(1, KNOTS - 1) / KNOTS)
            last = len(values) - 1
            at = distinct(np.concatenate([[0], np.minimum(wanted, last), [last]]))
            values, middle = values[at], middle[at]
        scores = normal_quantiles(middle)
        return cls(values, scores - float(np.average(scores)) if len(scores) == 1 else scores)

    def __call__(self, numbers: Floats) -> Floats:
        """The score of each number; 0 for NaN."""
        from worker.engine.synthesis.interpolation import interpolated

        return interpolated(numbers, self.numbers, self.scores)


def independent_draws(generator: Any, width: int, rows: int) -> Floats:
    """A row of standard normal draws for each row of data."""
    found: Floats = generator.standard_normal(rows * width).reshape(rows, width)
    return found
