"""Shares with their intervals, and what one share is above another."""

from __future__ import annotations

from dataclasses import dataclass
from math import hypot, sqrt

Z = 1.959963984540054
"""Of a normal distribution 95 % lie no further from the middle."""


@dataclass(frozen=True)
class Share:
    """What was found, and the 95 % interval it lies in."""

    value: float
    low: float
    high: float

    @classmethod
    def of(cls, hits: float, tries: float) -> Share:
        """Wilson's interval; hits of which chance decides count in part."""
        share, square = hits / tries, Z * Z
        middle = (share + square / (2 * tries)) / (1 + square / tries)
        half = Z / (1 + square / tries) * sqrt(share * (1 - share) / tries + square / (4 * tries * tries))
        return cls(share, min(share, max(0.0, middle - half)), max(share, min(1.0, middle + half)))

    def bounded(self) -> Share:
        """As a share: what is below nothing is nothing."""
        return Share(*(min(1.0, max(0.0, one)) for one in (self.value, self.low, self.high)))


def difference(one: Share, other: Share) -> Share:
    """How much more one is, by Newcombe's interval from those of both."""
    low = hypot(one.value - one.low, other.high - other.value)
    high = hypot(one.high - one.value, other.value - other.low)
    value = one.value - other.value
    return Share(value, value - low, value + high)


def advantage(success: Share, control: Share) -> Share | None:
    """What success is above the control, of what there was to gain: (s − c) / (1 − c).

    The interval follows from those of both as Newcombe's does. None where the control leaves nothing to gain.
    """
    left = 1 - control.value
    if left <= 0:
        return None
    value = (success.value - control.value) / left
    slope = (1 - success.value) / left**2
    low = hypot((success.value - success.low) / left, (control.high - control.value) * slope)
    high = hypot((success.high - success.value) / left, (control.value - control.low) * slope)
    return Share(value, value - low, value + high)
