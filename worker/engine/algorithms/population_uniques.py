"""How many people are unique in the population, estimated from the class sizes of a sample.

A histogram tells how many classes there are of each size. Estimates are shares of the population; NaN when
a model does not fit the sample.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from worker.engine.algorithms.gamma_functions import log_binomial, polygamma
from worker.engine.column import Floats
from worker.engine.frequency import Counts

Equations = Callable[[Floats], tuple[Floats, Floats]]
STEPS = 60


@dataclass(frozen=True)
class Histogram:
    """`counts[i]` classes of `sizes[i]` rows each, and the share of the population that was sampled."""

    sizes: Counts
    counts: Counts
    fraction: float

    @classmethod
    def of(cls, sizes: Counts, fraction: float) -> Histogram:
        """From the size of every class."""
        distinct, counts = np.unique(sizes, return_counts=True)
        return cls(distinct.astype(np.int64), counts.astype(np.int64), fraction)

    def with_size(self, size: int) -> int:
        """How many classes have this size."""
        return int(self.counts[self.sizes == size].sum())

    @property
    def classes(self) -> int:
        """How many classes there are."""
        return int(self.counts.sum())

    @property
    def rows(self) -> int:
        """How many rows the sample has."""
        return int((self.sizes * self.counts).sum())

    @property
    def population(self) -> float:
        """How many people there are."""
        return self.rows / self.fraction


def zayatz(found: Histogram) -> float:
    """Sample uniques times the chance that one of them is unique in the population, as Zayatz (1991)."""
    population, rows = found.population, found.rows
    once = np.array([_drawn_once(population, rows, int(size)) for size in found.sizes])
    shares = found.counts / found.classes
    expected = float((shares * once).sum())
    if expected <= 0:
        return math.nan
    unique = float(shares[found.sizes == 1].sum()) * _drawn_once(population, rows, 1) / expected
    return found.with_size(1) * unique / found.fraction / population


def _drawn_once(population: float, rows: int, size: int) -> float:
    """The chance that exactly one of `size` people is among the rows drawn."""
    if population - size < rows - 1:
        return 0.0
    log = log_binomial(population - size, rows - 1) - log_binomial(population, rows)
    return size * math.exp(log)


def pitman(found: Histogram) -> float:
    """Pitman's sampling formula fitted by maximum likelihood, as Hoshino (2001)."""
    once, twice = found.with_size(1), max(found.with_size(2), 1)
    n, u = float(found.rows), float(found.classes)
    if not once or u < 2 or u == n:
        return math.nan
    c = once * (once - 1) / twice
    divisor = 2 * once * u + once * c - n * c
    theta = (n * u * c - once * (n - 1) * (2 * u + c)) / divisor if divisor else math.nan
    alpha = (theta * (once - n) + (n - 1) * once) / (n * u)
    for start in ((theta, alpha), (max(u, 1.0), 0.5), (1.0, 0.1), (u, 0.05), (1.0, 0.9)):
        theta, alpha = _newton(_pitman_equations(found, n, u), start, _pitman_allows)
        if not math.isnan(theta):
            population = found.population
            log = math.lgamma(theta + 1) - math.lgamma(theta + alpha) + (alpha - 1) * math.log(population)
            return math.exp(log)
    return math.nan


def _pitman_allows(theta: float, alpha: float) -> bool:
    return 0 < alpha < 1 and theta > -alpha


def _pitman_equations(found: Histogram, n: float, u: float) -> Equations:
    """The derivatives of the log-likelihood by θ and α, and theirs."""
    big = found.sizes > 1
    sizes, counts = found.sizes[big].astype(float), found.counts[big].astype(float)
    points = np.concatenate([np.zeros(5), sizes])

    def equations(at: Floats) -> tuple[Floats, Floats]:
        t, a = float(at[0]), float(at[1])
        points[:5] = u + t / a, t / a + 1, n + t, t + 1, 1 - a
        points[5:] = sizes - a
        digamma, trigamma = polygamma(points)
        s0 = (digamma[0] - digamma[1]) / a  # Σ 1 / (t + i a), i = 1 … u − 1
        q0 = (trigamma[1] - trigamma[0]) / (a * a)  # Σ 1 / (t + i a)²
        s1 = (u - 1 - t * s0) / a  # Σ i / (t + i a)
        q1 = (s0 - t * q0) / a  # Σ i / (t + i a)²
        q2 = (s1 - t * q1) / a  # Σ i² / (t + i a)²
        d = counts @ (digamma[5:] - digamma[4])
        e = counts @ (trigamma[4] - trigamma[5:])
        values = np.array([s0 - digamma[2] + digamma[3], s1 - d])
        slopes = np.array([[trigamma[3] - trigamma[2] - q0, -q1], [-q1, -q2 - e]])
        return values, slopes

    return equations


def snb(found: Histogram) -> float:
    """The shifted negative binomial model, as Chen & Keller-McNulty (1998); classes by Haas & Stokes (1998).

    Solved for the expected numbers of classes of one and of two rows.
    """
    once, twice, f = found.with_size(1), found.with_size(2), found.fraction
    if not once or not twice or f >= 1:
        return math.nan
    classes = _population_classes(found)

    def values(at: Floats) -> Floats:
        a, b = float(at[0]), float(at[1])
        w = (1 - f) * (1 - b)
        base, rest = a * math.log(b), -math.log1p(-w)
        first = math.log(classes * f) + base + a * rest + math.log1p(a * w / (1 - w))
        second = math.log(classes * f * f * a * (1 - b) / 2) + base + (a + 2) * rest
        second += math.log(2 - (1 - a) * w)
        return np.array([first - math.log(once), second - math.log(twice)])

    for start in ((0.5, 0.5), (0.1, 0.1), (1.0, 0.5), (1.0, 0.1), (0.1, 0.01), (5.0, 0.5), (0.01, 0.01)):
        a, b = _newton(_by_differences(values), start, _snb_allows)
        if not math.isnan(a):
            return float(classes * b**a / found.population)
    return math.nan


def _snb_allows(a: float, b: float) -> bool:
    return 1e-12 < a < 1e12 and 1e-12 < b < 1 - 1e-5


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
    if found.fraction <= 0.1:
        return pitman(found)
    first, second = snb(found), zayatz(found)
    return min(first, second) if first > 0 else second


MODELS: dict[str, Callable[[Histogram], float]] = {
    "pitman": pitman,
    "zayatz": zayatz,
    "snb": snb,
    "dankar": dankar,
}


def _newton(
    equations: Equations, start: tuple[float, float], allows: Callable[[float, float], bool]
) -> tuple[float, float]:
    """A root by Newton's method with steps halved while they do not help; NaN when there is none near."""
    at = np.array(start)
    if not np.isfinite(at).all() or not allows(*at):
        return math.nan, math.nan
    values, slopes = equations(at)
    for _ in range(STEPS):
        try:
            step: Floats = np.asarray(np.linalg.solve(slopes, values), np.float64)
        except np.linalg.LinAlgError:
            break
        if not np.isfinite(step).all():
            break
        if (np.abs(step) <= 1e-10 * (np.abs(at) + 1e-10)).all():
            return float(at[0]), float(at[1])
        moved = _shorter(equations, allows, at, values, step)
        if moved is None:
            break
        at, values, slopes = moved
    return math.nan, math.nan


def _shorter(
    equations: Equations, allows: Callable[[float, float], bool], at: Floats, values: Floats, step: Floats
) -> tuple[Floats, Floats, Floats] | None:
    """The step, halved until it is allowed and comes nearer to the root."""
    size = np.abs(values).max()
    for _ in range(30):
        fresh = at - step
        if allows(*fresh):
            found, slopes = equations(fresh)
            if np.isfinite(found).all() and np.abs(found).max() < size:
                return fresh, found, slopes
        step = step / 2
    return None


def _by_differences(values: Callable[[Floats], Floats]) -> Equations:
    """Slopes by central differences."""

    def equations(at: Floats) -> tuple[Floats, Floats]:
        slopes = np.empty((2, 2))
        for column in range(2):
            step = np.zeros(2)
            step[column] = 1e-6 * at[column]
            slopes[:, column] = (values(at + step) - values(at - step)) / (2 * step[column])
        return values(at), slopes

    return equations
