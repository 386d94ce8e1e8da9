"""Logistic regression on words, held back a little so that words of few rows count little."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from worker.engine.prediction.design import Design
from worker.engine.tables.column import Floats, Mask

MOST_STEPS = 300
CLOSE = 1e-3
"""How steep the loss may still be where the search ends, in steps of each weight."""
SURE = 40.0
"""The level of labels that are all alike."""


@dataclass(frozen=True)
class Logistic:
    """A weight for each word, and as the last one the level."""

    weights: Floats

    @classmethod
    def fitted(cls, design: Design, labels: Mask, penalty: float = 1.0) -> Logistic:
        """The weights w that make Σ log-loss + penalty·‖w‖² ÷ 2 smallest; the level is free.

        Of labels that are all alike nothing is learnt but that, and of no rows nothing.
        """
        from scipy.optimize import minimize

        share, level = float(labels.mean()) if len(labels) else 0.5, np.zeros(design.size + 1)
        if share in (0.0, 1.0) or not len(labels):
            level[-1] = SURE * (2 * share - 1)
            return cls(level)
        problem = _Problem.of(design, labels, penalty, share)
        level[-1] = np.log(share / (1 - share))
        options = {"maxiter": MOST_STEPS, "gtol": CLOSE, "ftol": CLOSE**2}
        found = minimize(problem, level / problem.steps, jac=True, method="L-BFGS-B", options=options)
        return cls(problem.steps * found.x)

    def chances(self, design: Design) -> Floats:
        """How likely each row is labelled."""
        from worker.engine.prediction.logistic_loops import scores

        found = np.zeros(len(design.words))
        scores(design.words, self.weights, found)
        return np.asarray(0.5 * (1 + np.tanh(found / 2)))


@dataclass(frozen=True)
class _Problem:
    """The loss and its slope, each weight measured in a step of its own: rare words move as fast as common
    ones."""

    design: Design
    labels: Floats
    penalty: Floats
    steps: Floats

    @classmethod
    def of(cls, design: Design, labels: Mask, penalty: float, share: float) -> _Problem:
        held = np.append(design.rows_of_words(), len(labels))
        penalties = np.append(np.full(design.size, penalty), 0.0)
        steps = 1 / np.sqrt(held * share * (1 - share) + penalty)
        return cls(design, labels.astype(np.float64), penalties, steps)

    def __call__(self, point: Floats) -> tuple[float, Floats]:
        from worker.engine.prediction.logistic_loops import loss_and_slope

        weights, slope = self.steps * point, np.zeros(len(point))
        loss = loss_and_slope(self.design.words, self.labels, weights, slope)
        held = self.penalty * weights
        return loss + float(held @ weights) / 2, self.steps * (slope + held)
