"""Between which ends a share lies that was found among some trials."""

from __future__ import annotations

from math import sqrt

NORMAL_95 = 1.959963984540054


def wilson(successes: float, trials: float) -> tuple[float, float] | None:
    """The interval of Wilson at 95 %; expected successes may be no whole number."""
    if trials <= 0:
        return None
    share, spread = successes / trials, NORMAL_95**2 / trials
    middle = (share + spread / 2) / (1 + spread)
    width = sqrt(spread * (share * (1 - share) + spread / 4)) / (1 + spread)
    return max(middle - width, 0.0), min(middle + width, 1.0)
