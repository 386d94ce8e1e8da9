"""The distribution of a column before and after as two rows of bars, from a chart that a measure drew."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from worker.engine.contracts.chart import Chart, Series

BARS = 10
FULL = 100


class Shapes(NamedTuple):
    """Heights in per cent of the highest bar of both."""

    before: list[int]
    after: list[int]


def shapes(chart: Chart) -> Shapes | None:
    """The two sides of a chart of shares or of quantiles; none of any other."""
    if len(chart.series) != 2:
        return None
    sides = _bars(chart.series) if chart.kind == "bar" else _of_quantiles(chart.series)
    highest = max((height for side in sides for height in side), default=0)
    if not highest:
        return None
    before, after = ([round(FULL * height / highest) for height in side] for side in sides)
    return Shapes(before, after)


def _bars(series: Sequence[Series]) -> list[list[float]]:
    return [[float(y) for y in one.y] for one in series]


def _of_quantiles(series: Sequence[Series]) -> list[list[float]]:
    """How much of each side lies in equal steps from the lowest to the highest number of both."""
    numbers = [[float(y) for y in one.y] for one in series]
    if not all(numbers):
        return []
    low, high = min(map(min, numbers)), max(map(max, numbers))
    if not high > low:
        return []
    borders = [low + (high - low) * step / BARS for step in range(BARS + 1)]
    return [_between(borders, one.x, side) for one, side in zip(series, numbers, strict=True)]


def _between(borders: Sequence[float], shares: Sequence[Any], numbers: Sequence[float]) -> list[float]:
    reached = [_share_below(border, shares, numbers) for border in borders]
    reached[-1] = float(shares[-1])  # the last border lies in the last step
    return [upper - lower for lower, upper in pairwise(reached)]


def _share_below(border: float, shares: Sequence[Any], numbers: Sequence[float]) -> float:
    """The share of rows below a number, on the line between two quantiles."""
    place = bisect_right(numbers, border)
    if place == 0 or place == len(numbers):
        return float(shares[place - 1]) if place else 0.0
    low, high = numbers[place - 1], numbers[place]
    part = (border - low) / (high - low)
    return float(shares[place - 1]) + part * (float(shares[place]) - float(shares[place - 1]))
