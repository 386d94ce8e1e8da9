"""Population uniqueness, recomputed by other arithmetic than the search uses."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import partial

from worker.engine.errors import EngineError
from worker.engine.verification.finding import Finding, Params, WholeRelease, share, tally_of
from worker.engine.verification.grouping import Group
from worker.engine.verification.released import Released

SLUG = "population-uniqueness"
Tally = Mapping[int, int]


class Check:
    """Few people of the population are estimated to be unique."""

    def __init__(self, params: Params) -> None:
        self.slug = SLUG
        self.column: str | None = None
        self.required = share(params, "limit", 0.01)
        model, fraction = params.get("model", "dankar"), share(params, "sampling_fraction", 0.1)
        if model not in ESTIMATES or not fraction:
            raise EngineError("not-verified", "This estimate is not recomputed.", "model")
        self._figure = partial(_estimate, ESTIMATES[model], fraction)

    def find(self, group: Group, released: Released) -> Finding:
        """The sizes of these classes."""
        return WholeRelease.of(tally_of(group.sizes), self._figure, self.required)


def _estimate(model: Callable[[Tally, float], float], fraction: float, tally: Tally) -> float:
    if not tally.get(1):
        return 0.0
    if fraction == 1:
        return tally[1] / _rows(tally)
    found = model(tally, fraction)
    return found if found > 0 else math.nan


def _rows(tally: Tally) -> int:
    return sum(size * many for size, many in tally.items())


def _zayatz(tally: Tally, fraction: float) -> float:
    """P(unique in the population | unique in the sample), with class sizes as in the sample."""
    rows = _rows(tally)
    people = rows / fraction
    weights = {size: many * _once(people, rows, size) for size, many in tally.items()}
    chance = weights[1] / sum(weights.values())
    return tally[1] * chance / rows


def _once(people: float, rows: int, size: int) -> float:
    """Exactly one of `size` people drawn: a product instead of factorials, one factor per person."""
    log = math.log(size * rows / people)
    for i in range(size - 1):
        left = people - rows - i
        if left <= 0:
            return 0.0
        log += math.log(left / (people - 1 - i))
    return math.exp(log)


def _pitman(tally: Tally, fraction: float) -> float:
    """Both parameters by bisection of the score: θ for every α, then α."""
    n, u = _rows(tally), sum(tally.values())
    if u < 2 or u == n:
        return math.nan

    def score(alpha: float) -> float:
        theta = _theta(alpha, n, u)
        spent = sum(many * _inverses(-alpha, 1.0, size - 1) for size, many in tally.items() if size > 1)
        return (u - 1 - theta * _inverses(theta, alpha, u - 1)) / alpha - spent

    alpha = _root(score, 1e-6, 1 - 1e-6)
    if math.isnan(alpha):
        return math.nan
    theta = _theta(alpha, n, u)
    people = n / fraction
    return math.exp(math.lgamma(theta + 1) - math.lgamma(theta + alpha) + (alpha - 1) * math.log(people))


def _theta(alpha: float, n: int, u: int) -> float:
    def slope(log: float) -> float:
        theta = math.exp(log) - alpha
        return _inverses(theta, alpha, u - 1) - _inverses(theta, 1.0, n - 1)

    return math.exp(_root(slope, -30.0, 50.0)) - alpha


def _inverses(start: float, step: float, terms: int) -> float:
    """Σ 1 / (start + i·step) for i = 1 … terms: the first ones one by one, the rest by Euler–Maclaurin."""
    few = min(terms, 100)
    total = math.fsum(1 / (start + i * step) for i in range(1, few + 1))
    if terms > few:
        a, b = start + (few + 1) * step, start + terms * step
        total += math.log(b / a) / step + (1 / a + 1 / b) / 2
        total += step * (1 / a**2 - 1 / b**2) / 12 - step**3 * (1 / a**4 - 1 / b**4) / 120
    return total


def _root(function: Callable[[float], float], low: float, high: float) -> float:
    first, last = function(low), function(high)
    if math.isnan(first) or math.isnan(last) or first * last > 0:
        return math.nan
    for _ in range(64):
        middle = (low + high) / 2
        value = function(middle)
        if (value > 0) == (first > 0):
            low = middle
        else:
            high = middle
    return (low + high) / 2


def _snb(tally: Tally, fraction: float) -> float:
    """The two moment equations in ln α and logit β, by a damped secant of their slopes."""
    once, twice, f = tally.get(1, 0), tally.get(2, 0), fraction
    if not twice:
        return math.nan
    classes = _all_classes(tally, f)

    def gaps(x: float, y: float) -> tuple[float, float]:
        a, b = math.exp(x), 1 / (1 + math.exp(-y))
        w = (1 - f) * (1 - b)
        one = f * (b / (1 - w)) ** a * (1 + a * w / (1 - w))
        two = f * f * a * (1 - b) * b**a * (2 - (1 - a) * w) / (2 * (1 - w) ** (a + 2))
        return classes * one / once - 1, classes * two / twice - 1

    for a, b in ((0.5, 0.5), (0.1, 0.1), (1.0, 0.5), (1.0, 0.1), (0.1, 0.01), (5.0, 0.5), (0.01, 0.01)):
        x, y = _solved(gaps, math.log(a), math.log(b / (1 - b)))
        if not math.isnan(x):
            estimate: float = float(classes) * (1 / (1 + math.exp(-y))) ** math.exp(x) * f / _rows(tally)
            return estimate
    return math.nan


def _all_classes(tally: Tally, f: float) -> float:
    ahead = sum(m * i * f * f * (1 - f * f) ** (i - 1) for i, m in tally.items())
    seen_twice = sum(m * ((1 - f * f) ** i - (1 - f) ** i) for i, m in tally.items())
    unseen = sum(m * (1 - f) ** i for i, m in tally.items())
    singles = sum(m * i * f * (1 - f) ** (i - 1) for i, m in tally.items())
    return sum(tally.values()) + tally[1] * ahead / seen_twice * (unseen / singles) ** 2


def _solved(gaps: Callable[[float, float], tuple[float, float]], x: float, y: float) -> tuple[float, float]:
    h = 1e-6
    for _ in range(100):
        try:
            p, q = gaps(x, y)
            (a, c), (a2, c2) = gaps(x + h, y), gaps(x - h, y)
            (b, d), (b2, d2) = gaps(x, y + h), gaps(x, y - h)
        except (OverflowError, ZeroDivisionError, ValueError):
            return math.nan, math.nan
        a, b, c, d = (a - a2) / (2 * h), (b - b2) / (2 * h), (c - c2) / (2 * h), (d - d2) / (2 * h)
        if not (determinant := a * d - b * c) or math.isnan(determinant):
            return math.nan, math.nan
        dx, dy = (d * p - b * q) / determinant, (a * q - c * p) / determinant
        size = max(1.0, abs(dx), abs(dy))
        x, y = x - dx / size, y - dy / size
        if max(abs(dx), abs(dy)) < 1e-11:
            return x, y
    return math.nan, math.nan


def _dankar(tally: Tally, fraction: float) -> float:
    if fraction <= 0.1:
        return _pitman(tally, fraction)
    first, second = _snb(tally, fraction), _zayatz(tally, fraction)
    return min(first, second) if first > 0 else second


ESTIMATES: dict[str, Callable[[Tally, float], float]] = {
    "pitman": _pitman,
    "zayatz": _zayatz,
    "snb": _snb,
    "dankar": _dankar,
}
