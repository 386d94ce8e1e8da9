"""What a transition matrix promises the people, and what it leaves the analysts."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from worker.engine.randomization import transition
from worker.engine.tables.column import Floats

SINGULAR = 1e12


@dataclass(frozen=True)
class Effect:
    """Local ε (None: a zero bounds nothing) and, per category, how many times larger standard errors become
    (None: the matrix cannot be undone, so nothing can be estimated)."""

    epsilon: float | None
    epsilon_within_groups: float | None
    inflation: tuple[float, ...] | None

    @property
    def ratio(self) -> float | None:
        """The largest factor between two rows of one column."""
        return None if self.epsilon is None else math.exp(self.epsilon)


def effect_of(matrix: Sequence[Sequence[float]], groups: Sequence[Sequence[int]]) -> Effect:
    """The effect among equally frequent categories, so that no data are needed to tell it."""
    weights = transition.stated(matrix)
    everything = [list(range(len(matrix)))]
    return Effect(
        transition.local_epsilon(weights, everything),
        transition.local_epsilon(weights, groups),
        _inflation(transition.probabilities(weights)),
    )


def _inflation(matrix: Floats) -> tuple[float, ...] | None:
    """Standard error of an estimated share over that of a share counted from unchanged cells."""
    size = len(matrix)
    if size < 2 or np.linalg.cond(matrix) > SINGULAR:
        return None
    before = np.full(size, 1.0 / size)
    after = before @ matrix
    back = np.linalg.inv(matrix)
    spread = np.diag(back.T @ (np.diag(after) - np.outer(after, after)) @ back)
    return tuple(float(ratio) for ratio in np.sqrt(spread / (before * (1.0 - before))))


def parts_of(matrix: Sequence[Sequence[float]]) -> list[list[int]]:
    """The groups a matrix confines changes to: categories joined by anything but zeros."""
    left, parts = set(range(len(matrix))), []
    while left:
        part, waiting = set[int](), [min(left)]
        while waiting:
            i = waiting.pop()
            if i not in part:
                part.add(i)
                waiting += [j for j in left - part if matrix[i][j] > 0 or matrix[j][i] > 0]
        left -= part
        parts.append(sorted(part))
    return parts
