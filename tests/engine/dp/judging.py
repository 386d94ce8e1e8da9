"""Judgements on noise at α = 1e-9: one shot, so that a sound mechanism practically never fails.

This noise takes no seed: what a test calls faulty lies seven standard deviations or more beyond.
"""

from __future__ import annotations

import math

import numpy as np
from scipy.stats import beta, norm

from tests.engine.methods.judging import ALPHA, fits


def laplace_probabilities(scale: float, reach: int) -> np.ndarray:
    """P(X = k) for |k| < reach, and the two tails in the outermost places."""
    ratio = math.exp(-1 / scale)
    sizes = np.abs(np.arange(-reach, reach + 1))
    found = (1 - ratio) / (1 + ratio) * ratio**sizes
    found[[0, -1]] = ratio**reach / (1 + ratio)
    return found


def gaussian_probabilities(scale: float, reach: int) -> np.ndarray:
    """The same for the discrete Gaussian."""
    wide = np.arange(-reach - math.ceil(12 * scale), reach + math.ceil(12 * scale) + 1)
    weights = np.exp(-(wide**2) / (2 * scale**2))
    weights /= weights.sum()
    return np.array([weights[np.clip(wide, -reach, reach) == k].sum() for k in range(-reach, reach + 1)])


def is_drawn(noise: np.ndarray, probabilities: np.ndarray) -> bool:
    """Whether whole numbers are draws with these probabilities (χ²), independent of their neighbours."""
    reach = len(probabilities) // 2
    observed = np.bincount(np.clip(noise, -reach, reach) + reach, minlength=len(probabilities))
    return fits(observed, probabilities) and is_independent(noise)


def is_independent(noise: np.ndarray) -> bool:
    """Whether neighbouring draws are uncorrelated in sign and in size."""
    for values in (np.sign(noise), np.abs(noise)):
        one, other = values[:-1] - values.mean(), values[1:] - values.mean()
        spread = values.var()
        if not spread or abs((one * other).sum() / spread / math.sqrt(len(one))) > norm.isf(ALPHA / 2):
            return False
    return True


def lower_epsilon(with_one: np.ndarray, without: np.ndarray, at_least: int) -> float:
    """The ε that two samples of outputs prove at least, by Clopper–Pearson bounds on "at least so much"."""
    n, m = len(with_one), len(without)
    hits, others = int((with_one >= at_least).sum()), int((without >= at_least).sum())
    low = beta.ppf(ALPHA, hits, n - hits + 1)
    high = beta.isf(ALPHA, others + 1, m - others)
    return math.log(low / high)


def lower_delta(with_one: np.ndarray, without: np.ndarray, at_least: int, epsilon: float) -> float:
    """The δ at ε that two samples of outputs prove at least: P(with) − e^ε P(without), by the same bounds."""
    n, m = len(with_one), len(without)
    hits, others = int((with_one >= at_least).sum()), int((without >= at_least).sum())
    low = beta.ppf(ALPHA, hits, n - hits + 1)
    high = beta.isf(ALPHA, others + 1, m - others)
    return float(low - math.exp(epsilon) * high)
