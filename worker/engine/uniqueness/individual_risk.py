"""Risk of a row from the size of its class in the sample and in the population."""

from __future__ import annotations

import numpy as np

from worker.engine.tables.column import Floats
from worker.engine.tables.frequency import Counts


def individual_risk(sizes: Counts, weights: Floats | None) -> Floats:
    """Benedetti–Franconi: f rows stand for F persons, p = f ÷ F. Without weights the sample is everybody.

    f = 1: p/(1−p)·ln(1/p) · f = 2: p/(1−p) − (p/(1−p))²·ln(1/p) · f ≥ 3, or between 1 and 2: p/(f−(1−p)).
    """
    f = sizes.astype(np.float64)
    if weights is None:
        return 1 / f
    whole = np.maximum(weights, f)
    p = f / whole
    q = 1 - p
    with np.errstate(divide="ignore", invalid="ignore"):
        odds = p / q
        one = odds * np.log(1 / p)
        two = odds - odds**2 * np.log(1 / p)
        more = p / (f - q)
    risk = np.where(f == 1, one, np.where(f == 2, two, more))
    sampled: Floats = np.where(q <= 0, 1 / f, risk)
    return np.clip(sampled, 0.0, 1.0)


def household_risk(
    risks: Floats, households: np.ndarray[tuple[int], np.dtype[np.int64]], number: int
) -> Floats:
    """The risk that at least one member is found, 1 − Π(1 − r), per household."""
    with np.errstate(divide="ignore"):
        logs = np.log1p(-np.minimum(risks, 1.0))
    return np.asarray(1 - np.exp(np.bincount(households, weights=logs, minlength=number)))
