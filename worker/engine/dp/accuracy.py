"""How large noise is and how far it reaches, from the parameters alone: closed forms, no data, no sampler.

Pages show these figures before anything is spent. The sampler's own map has the last word on privacy
(`mechanisms.py`); tests compare both.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from statistics import NormalDist
from typing import Literal

Distribution = Literal["laplace", "gaussian"]
CONFIDENCE = 0.95
ROUNDED_UP = 2.0**-52
LEAST_DELTA = Decimal("1e-15")
"""For each row of a person: what is rounded up would take the rest."""
EXACT_UP_TO = 2_000.0
"""Above this scale the discrete Gaussian is the continuous one to more digits than are shown."""


@dataclass(frozen=True)
class Noise:
    """What is added to every count: its distribution, its scale, and what it was made for.

    `sensitivity` is how much one person changes the counts: their sum of changes (L1) for the Laplace
    distribution; for the Gaussian the root of the sum of squares (L2), given squared.
    """

    distribution: Distribution
    scale: float
    sensitivity: int
    epsilon: Decimal
    delta: Decimal = Decimal(0)

    @property
    def variance(self) -> float:
        """The variance of the noise on one count."""
        if self.distribution == "gaussian":
            return self.scale**2
        p = math.exp(-1 / self.scale)
        return 2 * p / (1 - p) ** 2

    def error(self, cells: int = 1) -> int:
        """The half-width that the error of one count, or of all so many counts, does not exceed at 95 %."""
        return half_width(self.distribution, self.scale, 1 - CONFIDENCE ** (1 / max(cells, 1)))


def laplace_noise(sensitivity: int, epsilon: Decimal) -> Noise:
    """Discrete Laplace noise of scale sensitivity/ε: pure ε when one person changes that much in all."""
    return Noise("laplace", float(sensitivity / epsilon), sensitivity, epsilon)


def gaussian_noise(squared_sensitivity: int, epsilon: Decimal, delta: Decimal) -> Noise:
    """Discrete Gaussian noise of the smallest scale whose zCDP conversion stays within (ε, δ)."""
    rho = _rho(float(epsilon), float(delta))
    scale = math.sqrt(squared_sensitivity / (2 * rho))
    return Noise("gaussian", scale, squared_sensitivity, epsilon, delta)


@cache
def _rho(epsilon: float, delta: float) -> float:
    """The largest ρ for which ρ-zCDP is (ε, δ)-differentially private, by bisection."""
    low, high = 0.0, epsilon + 1.0
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if delta_of_rho(middle, epsilon) <= delta else (low, middle)
    return low * (1 - 1e-9)


def delta_of_rho(rho: float, epsilon: float) -> float:
    """δ at ε of a ρ-zCDP mechanism: min over α of exp((α−1)(αρ−ε)) (1−1/α)^α / (α−1)."""
    if rho <= 0:
        return 0.0

    def log_delta(alpha: float) -> float:
        gap = alpha - 1
        return gap * (alpha * rho - epsilon) + alpha * math.log1p(-1 / alpha) - math.log(gap)

    low, high = 1.0 + 1e-12, max((epsilon + 1) / (2 * rho) + 2, 3.0)
    for _ in range(300):  # golden section; the function is convex in α
        left, right = high - (high - low) * 0.6180339887, low + (high - low) * 0.6180339887
        low, high = (low, right) if log_delta(left) < log_delta(right) else (left, high)
    return math.exp(min(log_delta((low + high) / 2), 0.0))


def half_width(distribution: Distribution, scale: float, alpha: float) -> int:
    """The smallest whole number that the noise exceeds in size with probability at most α."""
    if distribution == "laplace":
        ratio = math.exp(-1 / scale)  # P(|X| > a) = 2 ratio^(a+1) / (1 + ratio)
        if not ratio or 2 * ratio <= alpha * (1 + ratio):
            return 0
        return math.ceil(scale * math.log(2 / (alpha * (1 + ratio))) - 1 - 1e-12)
    if scale > EXACT_UP_TO:
        return math.ceil(scale * NormalDist().inv_cdf(1 - alpha / 2))
    return _gaussian_half_width(scale, alpha)


@cache
def _gaussian_half_width(scale: float, alpha: float) -> int:
    reach = math.ceil(scale * 40) + 2
    weights = [math.exp(-(k**2) / (2 * scale**2)) for k in range(reach + 1)]
    total = 2 * math.fsum(weights) - weights[0]
    tail, at = 0.0, reach
    while at > 0 and (tail + 2 * weights[at]) / total <= alpha:
        tail, at = tail + 2 * weights[at], at - 1
    return at


def weighed_half_width(scales: Sequence[float]) -> float:
    """The half-width at 95 % of a sum of independent Laplace variables of these scales.

    The tail of such a sum is a weighed mean of the tails of its parts; equal scales are told apart by a hair.
    """
    kept = sorted(scale for scale in scales if scale > 1e-9 * max(scales))
    if not kept:
        return 0.0
    kept = [scale * (1 + 1e-3 * number) for number, scale in enumerate(kept)]
    squares = [scale**2 for scale in kept]
    weights = [math.prod(a / (a - b) for b in squares if b != a) for a in squares]
    low, high = 0.0, kept[-1] * 60.0
    for _ in range(100):
        middle = (low + high) / 2
        tail = math.fsum(w * math.exp(-middle / scale) for w, scale in zip(weights, kept, strict=True))
        low, high = (middle, high) if tail > 1 - CONFIDENCE else (low, middle)
    return high


def threshold_for(scale: float, rows: int, delta: Decimal) -> int:
    """The smallest noisy count at which a category nobody declared may be shown.

    A person alone in up to `rows` categories shows one of them with probability at most
    rows · P(rows + noise ≥ threshold) = rows · q^(threshold − rows) / (1 + q), q = exp(−1/scale). A little
    less than δ, because the sampler adds up the δ of categories in floating point and rounds up.
    """
    ratio, allowed = math.exp(-1 / scale), float(delta) - rows * ROUNDED_UP
    wanted = math.log(rows / (allowed * (1 + ratio)))
    threshold = rows + math.ceil(scale * wanted)
    while shown_alone(threshold, scale, rows) > allowed:
        threshold += 1
    return max(threshold, rows + 1)


def shown_alone(threshold: int, scale: float, rows: int) -> float:
    """The δ of a threshold: how likely a category that only one person is in is shown."""
    ratio = math.exp(-1 / scale)
    return float(rows * math.exp(-(threshold - rows) / scale) / (1 + ratio))


def smallest_telling(error: int) -> int:
    """The smallest count that can be told from no count at all: its interval does not reach 0."""
    return error + 1


def tenth_accurate(error: int) -> int:
    """The smallest count whose 95 % error is at most a tenth of it."""
    return max(1, 10 * error)
