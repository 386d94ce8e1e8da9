"""Statistical judgements at α = 1e-9: one shot, so that a sound method practically never fails.

A faulty one must be as sure to be noticed: `missed` says how often it is not. Where the source of randomness
can be given, tests give a seeded one, and nothing is left to luck.
"""

from __future__ import annotations

import numpy as np
from scipy.stats import binom, chi2, laplace, ncx2, norm, uniform

ALPHA = 1e-9
ROWS = 100_000
UNIT = {
    "gaussian": norm(),
    "laplace": laplace(scale=np.sqrt(0.5)),
    "uniform": uniform(-np.sqrt(3), 2 * np.sqrt(3)),
}


def fits(observed, probabilities) -> bool:
    """Whether counts agree with probabilities (χ²); a category of probability 0 must not occur."""
    observed, probabilities = np.asarray(observed, float), np.asarray(probabilities, float)
    if observed[probabilities == 0].any():
        return False
    observed, probabilities = observed[probabilities > 0], probabilities[probabilities > 0]
    expected = observed.sum() * probabilities
    statistic = ((observed - expected) ** 2 / expected).sum()
    return statistic <= chi2.isf(ALPHA, max(1, len(observed) - 1))


def missed(probabilities, stated, rows: int) -> float:
    """How often χ² takes so many draws with some probabilities for draws with the stated ones."""
    probabilities, stated = np.asarray(probabilities, float), np.asarray(stated, float)
    freedom, distance = len(stated) - 1, rows * ((probabilities - stated) ** 2 / stated).sum()
    return float(ncx2.cdf(chi2.isf(ALPHA, freedom), freedom, distance))


def is_noise(noise, shape: str, deviation: float, bins: int = 40) -> bool:
    """Whether numbers are draws of the distribution with mean 0 and this standard deviation."""
    edges = UNIT[shape].ppf(np.arange(1, bins) / bins) * deviation
    return fits(np.bincount(np.searchsorted(edges, noise), minlength=bins), np.full(bins, 1 / bins))


def has_covariance(rows, covariance) -> bool:
    """Whether normal rows (variables × rows) have mean 0 and this covariance: χ² of whitened entries."""
    white = np.linalg.solve(np.linalg.cholesky(covariance), rows)
    count = rows.shape[1]
    products = white @ white.T
    width = len(white)
    diagonal = ((np.diag(products) - count) ** 2 / (2 * count)).sum()
    off = (products[np.triu_indices(width, 1)] ** 2 / count).sum()
    means = (white.sum(axis=1) ** 2 / count).sum()
    return diagonal + off + means <= chi2.isf(ALPHA, width * (width + 1) // 2 + width)


def is_share(successes: int, rows: int, probability: float) -> bool:
    """Whether so many successes agree with the probability (two-sided binomial)."""
    low, high = binom.ppf(ALPHA / 2, rows, probability), binom.isf(ALPHA / 2, rows, probability)
    return low <= successes <= high


def within_reach(before, after, percent: float) -> bool:
    """Whether no value moved farther than p % of the ranks, equals in some order; the set is the same."""
    known = ~np.isnan(before)
    before, after = before[known], after[known]
    ordered = np.sort(before)
    if not np.array_equal(ordered, np.sort(after)):
        return False
    reach = percent * len(before) / 100
    first, last = (np.searchsorted(ordered, before, side) for side in ("left", "right"))
    other_first, other_last = (np.searchsorted(ordered, after, side) for side in ("left", "right"))
    gap = np.maximum(other_first - last, first - other_last) + 1  # from the end of one group to the next
    return max(gap.max(initial=0), 0) <= reach
