"""From values to places on a sheet: linear, logarithmic, and the round numbers beside an axis."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from stewardapp.presenters.chart_table import scaled
from worker.engine.contracts.chart import Axis

TICKS = 5
ROUND = (1, 2, 5, 10)


@dataclass(frozen=True)
class Scale:
    """Where the values from `low` to `high` stand between two places."""

    axis: Axis
    low: float
    high: float
    start: float
    end: float

    @property
    def logarithmic(self) -> bool:
        """Whether equal factors lie equally far apart."""
        return self.axis.scale == "log"

    def at(self, value: float) -> float:
        """The place of a value; what lies outside stands at the edge."""
        low, high, one = (self._bent(each) for each in (self.low, self.high, value))
        share = (one - low) / (high - low) if high > low else 0.5
        return self.start + min(max(share, 0.0), 1.0) * (self.end - self.start)

    def _bent(self, value: float) -> float:
        return math.log10(max(value, 1e-12)) if self.logarithmic else value

    def ticks(self) -> list[tuple[float, str]]:
        """Round values with their places and words."""
        values = _decades(self.low, self.high) if self.logarithmic else _round_values(self.low, self.high)
        return [(self.at(one), scaled(one, self.axis)) for one in values]


def scale_of(
    axis: Axis, values: Sequence[float], start: float, end: float, *, from_zero: bool = False
) -> Scale:
    """A scale that holds all values; of shares the whole, where they come near it."""
    found = [one for one in values if math.isfinite(one)] or [0.0, 1.0]
    if axis.scale == "log":
        positive = [one for one in found if one > 0] or [1.0]
        return Scale(axis, min(positive), max(positive), start, end)
    low, high = min(found), max(found)
    if from_zero:
        low, high = min(low, 0.0), max(high, 0.0)
    step = _step(low, high)
    high = step * math.ceil(round(high / step, 9)) if high > low else low + 1.0
    low = step * math.floor(round(low / step, 9))
    return Scale(axis, low, high, start, end)


def _step(low: float, high: float) -> float:
    """The round distance of about as many ticks as there is room for."""
    rough = (high - low) / TICKS if high > low else 1.0
    power = 10.0 ** math.floor(math.log10(rough))
    return next(one * power for one in ROUND if one * power >= rough * 0.999)


def _round_values(low: float, high: float) -> list[float]:
    step = _step(low, high)
    first, last = math.ceil(round(low / step, 9)), math.floor(round(high / step, 9))
    return [round(number * step, 12) for number in range(first, last + 1)]


def _decades(low: float, high: float) -> list[float]:
    """Powers of ten; the ends where there is none between them."""
    first, last = math.ceil(round(math.log10(low), 9)), math.floor(round(math.log10(high), 9))
    return [float(f"1e{power}") for power in range(first, last + 1)] or [low, high]
