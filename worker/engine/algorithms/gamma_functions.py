"""Digamma and trigamma of many numbers at once, to about 13 digits, and log-binomials."""

from __future__ import annotations

import math

import numpy as np

from worker.engine.column import Floats

_SHIFTS = np.arange(15.0)[:, None]


def polygamma(x: Floats) -> tuple[Floats, Floats]:
    """The first and the second derivative of ln Γ at numbers above zero.

    Both follow from those fifteen further on, where few terms of their series are enough.
    """
    near = 1 / (x + _SHIFTS)
    far = 1 / (x + len(_SHIFTS))
    square = far * far
    series = square * (1 / 12 - square * (1 / 120 - square * (1 / 252 - square * (1 / 240 - square / 132))))
    slopes = square * (1 / 6 - square * (1 / 30 - square * (1 / 42 - square * (1 / 30 - square * 5 / 66))))
    digamma = -np.log(far) - 0.5 * far - series - near.sum(axis=0)
    trigamma = (1 + 0.5 * far + slopes) * far + (near * near).sum(axis=0)
    return digamma, trigamma


def log_binomial(n: float, k: float) -> float:
    """ln of n over k."""
    return math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)
