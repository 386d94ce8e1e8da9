"""Digamma, trigamma and log-binomials of single numbers, to about 13 digits."""

from __future__ import annotations

import math

_FROM = 15.0


def digamma(x: float) -> float:
    """The derivative of ln Γ, for x > 0 or x no whole number."""
    if x <= 0:
        return digamma(1 - x) - math.pi / math.tan(math.pi * x)
    total = 0.0
    while x < _FROM:
        total -= 1 / x
        x += 1
    square = 1 / (x * x)
    series = square * (1 / 12 - square * (1 / 120 - square * (1 / 252 - square * (1 / 240 - square / 132))))
    return total + math.log(x) - 0.5 / x - series


def trigamma(x: float) -> float:
    """The derivative of digamma, for x > 0."""
    total = 0.0
    while x < _FROM:
        total += 1 / (x * x)
        x += 1
    square = 1 / (x * x)
    series = square * (1 / 6 - square * (1 / 30 - square * (1 / 42 - square * (1 / 30 - square * 5 / 66))))
    return total + (1 + 0.5 / x + series) / x


def log_binomial(n: float, k: float) -> float:
    """ln of n over k."""
    return math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)
