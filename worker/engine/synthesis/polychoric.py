"""Correlations of normal variables of which only categories, and not in every row, are known.

A category is a step of a normal variable that nobody saw. Scores of steps are less correlated than the
variables themselves; what is looked for is the correlation that, cut into the same steps, gives the one that
is measured (polychoric, polyserial). Each pair is measured on the rows that know both.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from worker.engine.synthesis.scores import normal_quantiles
from worker.engine.tables.column import Codes, Floats

ANGLES = 200
"""The curve from one correlation to the other is known at so many places."""
MOST_STEPS = 40
"""Variables of more steps are nearly continuous: their steps weaken correlations by a factor."""
CLOSEST = 0.999
FEWEST = 10
"""Correlations over fewer rows than this are not measured: 0."""


@dataclass(frozen=True)
class Latent:
    """A normal variable as far as it is known: a score per row, NaN where nothing is.

    `cuts` are where one step ends and the next begins, `levels` the score of each step; none of both when the
    variable itself is known.
    """

    scores: Floats
    cuts: Floats
    levels: Floats

    @classmethod
    def of_numbers(cls, scores: Floats) -> Latent:
        """Of normal scores."""
        return cls(scores, np.zeros(0), np.zeros(0))

    @classmethod
    def of_steps(cls, codes: Codes, shares: Floats) -> Latent:
        """Of categories in their order, −1 where unknown, with their shares."""
        ends = np.cumsum(shares) / shares.sum()
        cuts = normal_quantiles(ends[:-1])
        levels = -np.diff(np.concatenate([[0.0], _density(cuts), [0.0]])) / np.maximum(
            np.diff(np.concatenate([[0.0], ends])), 1e-300
        )
        return cls(np.where(codes < 0, np.nan, levels[np.maximum(codes, 0)]), cuts, levels)

    @property
    def strength(self) -> float:
        """The correlation of the variable with the scores of its own steps."""
        if not len(self.levels):
            return 1.0
        ends = np.concatenate([[0.0], _density(self.cuts), [0.0]])
        spread = np.sqrt(max(float((self.levels * -np.diff(ends)).sum()), 0.0))  # levels are means of steps
        return spread if len(self.levels) > 1 else 0.0


def correlations(latents: Sequence[Latent]) -> Floats:
    """The correlation of every pair."""
    found = np.eye(len(latents))
    for i, one in enumerate(latents):
        for j, other in enumerate(latents[:i]):
            found[i, j] = found[j, i] = correlation(one, other)
    return found


def correlation(one: Latent, other: Latent) -> float:
    """The correlation of two variables whose steps are as correlated as those that are known."""
    known = ~(np.isnan(one.scores) | np.isnan(other.scores))
    x, y = one.scores[known], other.scores[known]
    if len(x) < FEWEST or not x.std() or not y.std():
        return 0.0
    measured = float(np.corrcoef(x, y)[0, 1])
    if min(len(one.levels), len(other.levels)) < 2 or max(len(one.levels), len(other.levels)) > MOST_STEPS:
        return float(np.clip(measured / max(one.strength * other.strength, 1e-9), -CLOSEST, CLOSEST))
    angles, weakened = _curve(one, other)
    return float(np.clip(np.sin(np.interp(measured, weakened, angles)), -CLOSEST, CLOSEST))


def _curve(one: Latent, other: Latent) -> tuple[Floats, Floats]:
    """The correlation of the steps at every angle whose sine is the correlation of the variables.

    Its slope is the density of both cuts at once, summed over all pairs of cuts.
    """
    edges = np.linspace(-np.pi / 2, np.pi / 2, ANGLES + 1)
    middles = (edges[1:] + edges[:-1]) / 2
    sines, cosines = np.sin(middles), np.cos(middles) ** 2
    slope = np.zeros(ANGLES)
    for step, t in zip(np.diff(one.levels), one.cuts, strict=True):
        for other_step, u in zip(np.diff(other.levels), other.cuts, strict=True):
            exponent = -(t * t + u * u - 2.0 * t * u * sines) / (2.0 * cosines)
            slope += step * other_step * np.exp(np.maximum(exponent, -700.0))
    covariance = np.concatenate([[0.0], np.cumsum(slope)]) * (np.pi / ANGLES) / (2.0 * np.pi)
    covariance -= np.interp(0.0, edges, covariance)
    return edges, covariance / (one.strength * other.strength)


def _density(at: Floats) -> Floats:
    found: Floats = np.exp(-at * at / 2.0) / np.sqrt(2.0 * np.pi)
    return found
