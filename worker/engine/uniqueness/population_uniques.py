"""How many people are unique in the population, estimated from the class sizes of a sample.

A histogram tells how many classes there are of each size. Estimates are shares of the population; NaN when
a model does not fit the sample. The loops are compiled, and loaded when an estimate is asked for.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from worker.engine.uniqueness.smallest_first import Tally

SMALL_SAMPLE = 0.1
"""Up to this share of the population Pitman's model is the one to ask."""


@dataclass(frozen=True)
class Histogram(Tally):
    """A tally, and the share of the population that was sampled."""

    fraction: float = 1.0

    @property
    def population(self) -> float:
        """How many people there are."""
        return self.rows / self.fraction


def zayatz(found: Histogram) -> float:
    """Sample uniques times the chance that one of them is unique in the population, as Zayatz (1991)."""
    from worker.engine.uniqueness.loops import drawn_once

    population, rows, once = found.population, float(found.rows), found.with_size(1)
    sizes, shares = found.sizes.astype(float), found.counts / found.classes
    expected = drawn_once(population, rows, sizes, shares)
    if expected <= 0:
        return math.nan
    unique = drawn_once(population, rows, np.ones(1), np.array([once / found.classes])) / expected
    return once * unique / found.fraction / population


def pitman(found: Histogram) -> float:
    """Pitman's sampling formula fitted by maximum likelihood, as Hoshino (2001)."""
    from worker.engine.uniqueness.loops import PITMAN

    once, twice = found.with_size(1), max(found.with_size(2), 1)
    n, u = float(found.rows), float(found.classes)
    if not once or u < 2 or u == n:
        return math.nan
    c = once * (once - 1) / twice
    divisor = 2 * once * u + once * c - n * c
    theta = (n * u * c - once * (n - 1) * (2 * u + c)) / divisor if divisor else math.nan
    alpha = (theta * (once - n) + (n - 1) * once) / (n * u)
    starts = ((theta, alpha), (max(u, 1.0), 0.5), (1.0, 0.1), (u, 0.05), (1.0, 0.9))
    theta, alpha = _root(PITMAN, starts, (n, u), found)
    if math.isnan(theta):
        return math.nan
    log = math.lgamma(theta + 1) - math.lgamma(theta + alpha) + (alpha - 1) * math.log(found.population)
    return math.exp(log)


def snb(found: Histogram) -> float:
    """The shifted negative binomial model, as Chen & Keller-McNulty (1998); classes by Haas & Stokes (1998).

    Solved for the expected numbers of classes of one and of two rows.
    """
    from worker.engine.uniqueness.loops import SNB

    once, twice, f = found.with_size(1), found.with_size(2), found.fraction
    if not once or not twice or f >= 1:
        return math.nan
    classes = _population_classes(found)
    starts = ((0.5, 0.5), (0.1, 0.1), (1.0, 0.5), (1.0, 0.1), (0.1, 0.01), (5.0, 0.5), (0.01, 0.01))
    a, b = _root(SNB, starts, (classes, f, once, twice), found)
    return float(classes * b**a / found.population)


def _root(
    model: int, starts: Sequence[tuple[float, float]], numbers: Sequence[float], found: Histogram
) -> tuple[float, float]:
    """The root that is found first from some starting points; NaN when there is none near any of them."""
    from worker.engine.uniqueness.loops import newton

    told: tuple[Any, ...] = (np.array(numbers, float), found.sizes.astype(float), found.counts.astype(float))
    for x, y in starts:
        at = newton(model, x, y, *told)
        if not np.isnan(at[0]):
            return float(at[0]), float(at[1])
    return math.nan, math.nan


def _population_classes(found: Histogram) -> float:
    """The third estimator of Shlosser's family by Haas & Stokes."""
    i, counts, f = found.sizes.astype(float), found.counts.astype(float), found.fraction
    unseen = counts * (1 - f) ** i
    one = (i * f * f * (1 - f * f) ** (i - 1) * counts).sum()
    two = (counts * ((1 - f * f) ** i - (1 - f) ** i)).sum()
    four = (i * f * (1 - f) ** (i - 1) * counts).sum()
    return float(found.classes + found.with_size(1) * (one / two) * (unseen.sum() / four) ** 2)


def dankar(found: Histogram) -> float:
    """The rule of Dankar et al. (2012): Pitman up to a tenth of the population, else the lower of two."""
    if found.fraction <= SMALL_SAMPLE:
        return pitman(found)
    first, second = snb(found), zayatz(found)
    return min(first, second) if first > 0 else second


def asked(model: str, fraction: float) -> tuple[str, ...]:
    """The models of which one low estimate is enough."""
    if model != "dankar":
        return (model,)
    return ("pitman",) if fraction <= SMALL_SAMPLE else ("snb", "zayatz")


MODELS: dict[str, Callable[[Histogram], float]] = {
    "pitman": pitman,
    "zayatz": zayatz,
    "snb": snb,
    "dankar": dankar,
}


def unique_share(found: Histogram, model: str) -> float:
    """The share of the population that is unique; NaN when there are uniques but no estimate."""
    if not found.with_size(1):
        return 0.0
    if found.fraction == 1:
        return found.with_size(1) / found.rows
    estimate = MODELS[model](found)
    return estimate if estimate > 0 else math.nan
