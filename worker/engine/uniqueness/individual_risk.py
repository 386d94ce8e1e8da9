"""Risk of a row from the size of its class in the sample and in the population."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from worker.engine.tables.column import Floats
from worker.engine.tables.frequency import Counts

NEARLY_ALL = 0.05
"""Where so few are outside the sample, the formulas for one and two rows lose their digits."""
TERMS = 14


def individual_risk(sizes: Counts | Floats, weights: Floats | None) -> Floats:
    """Benedetti–Franconi: f rows stand for F persons, p = f ÷ F. Without weights the sample is everybody.

    f = 1: p/(1−p)·ln(1/p) · f = 2: p/(1−p) − (p/(1−p))²·ln(1/p) · any other f: p/(f−(1−p)).
    """
    f = sizes.astype(np.float64)
    if weights is None:
        return 1 / f
    whole = np.maximum(weights, f)
    p, q = f / whole, (whole - f) / whole
    with np.errstate(divide="ignore", invalid="ignore"):
        odds, log = p / q, -np.log(p)
        one, two = odds * log, odds - odds**2 * log
    near = q < NEARLY_ALL
    one = np.where(near, p * _series(q, lambda k: 1 / (k + 1)), one)
    two = np.where(near, p * _series(q, lambda k: 1 / ((k + 1) * (k + 2))), two)
    risk: Floats = np.where(f == 1, one, np.where(f == 2, two, p / (f - q)))
    return np.clip(risk, 0.0, 1.0)


def _series(q: Floats, factor: Callable[[int], float]) -> Floats:
    """Σ factor(k)·qᵏ, by Horner's rule."""
    total = np.zeros_like(q)
    for k in reversed(range(TERMS)):
        total = total * q + factor(k)
    return total


def household_risk(
    risks: Floats, households: np.ndarray[tuple[int], np.dtype[np.int64]], number: int
) -> Floats:
    """The risk that at least one member is found, 1 − Π(1 − r), per household."""
    with np.errstate(divide="ignore"):
        logs = np.log1p(-np.minimum(risks, 1.0))
    return np.asarray(-np.expm1(np.bincount(households, weights=logs, minlength=number)))
