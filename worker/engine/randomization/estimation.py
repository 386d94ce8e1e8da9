"""From the frequencies after a known random change back to those before, with standard errors."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from worker.engine.tables.column import Floats

NORMAL95 = 1.959963984540054


@dataclass(frozen=True)
class Estimate:
    """Unbiased estimates of the original counts."""

    counts: Floats
    variances: Floats

    @property
    def standard_errors(self) -> Floats:
        """Square roots of the variances."""
        return np.sqrt(self.variances)

    def __add__(self, other: Estimate) -> Estimate:
        return Estimate(self.counts + other.counts, self.variances + other.variances)


def original_counts(matrix: Floats, released: Floats) -> Estimate | None:
    """t = λ·P⁻¹, with the variance that the random change alone causes. None when P has no inverse, or no
    category at all."""
    if not matrix.size or np.linalg.cond(matrix) > 1e12:
        return None
    back = np.linalg.inv(matrix)
    counts = released @ back
    shares = np.clip(counts, 0.0, None)
    noise = np.diag(shares @ matrix) - (matrix * shares[:, None]).T @ matrix
    return Estimate(counts, np.clip(np.diag(back.T @ noise @ back), 0.0, None))


def response_share(observed: float, rows: int, keep: float, other: float) -> tuple[float, float]:
    """T = (λ − q)/(p − q) and its standard error √(λ(1 − λ)/(n(p − q)²))."""
    if not rows:
        return 0.0, 0.0
    error = math.sqrt(observed * (1.0 - observed) / rows) / (keep - other)
    return (observed - other) / (keep - other), error


def central_error95(epsilon: float, rows: int) -> float:
    """Half-width at 95 % of a share whose count got two-sided geometric noise once, for the same ε."""
    if not rows or epsilon <= 0:
        return math.inf
    ratio = math.exp(-epsilon)
    width = max(0, math.ceil(math.log(0.05 * (1.0 + ratio) / 2.0) / -epsilon - 1.0))
    return width / rows
