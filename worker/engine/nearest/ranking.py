"""How well a score tells two groups apart."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

import numpy as np

from worker.engine.nearest.shares import Share, Z
from worker.engine.tables.column import Floats


@dataclass(frozen=True)
class Scores:
    """Of those who are members, and of others."""

    members: Floats
    others: Floats

    @property
    def told(self) -> Share:
        """The chance that a member has the higher score (AUC), ties one half, and DeLong's 95 % interval."""
        above, below = _placements(self.members, self.others), _placements(self.others, self.members)
        value, spread = float(above.mean()), _error(above) + _error(below)
        half = Z * sqrt(spread)
        return Share(value, max(0.0, value - half), min(1.0, value + half))

    def curve(self, shares: tuple[float, ...]) -> tuple[float, ...]:
        """The share of members found where at most so many of the others are taken for members (ROC)."""
        ordered = np.sort(self.others)[::-1]
        at = [min(int(share * len(ordered)), len(ordered) - 1) for share in shares]
        bounds = [ordered[one] if share < 1 else -np.inf for one, share in zip(at, shares, strict=True)]
        return tuple(float((self.members > bound).mean()) for bound in bounds)


def _error(placements: Floats) -> float:
    """The variance of their mean."""
    return float(placements.var(ddof=1)) / len(placements) if len(placements) > 1 else 0.0


def _placements(some: Floats, others: Floats) -> Floats:
    """For each score the share of the others below it, those equal to it counted half."""
    ordered = np.sort(others)
    below, upto = (np.searchsorted(ordered, some, side=side) for side in ("left", "right"))
    return np.asarray((below + upto) / (2 * len(ordered)), np.float64)
