"""Logistic regression on sparse features, held back a little so that words of few rows count little."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from worker.engine.prediction.design import Sparse
from worker.engine.tables.column import Floats, Mask

MOST_STEPS = 300
CLOSE = 1e-3
"""How steep the loss may still be where the search ends, in steps of each weight."""


@dataclass(frozen=True)
class Logistic:
    """A weight for each feature and one for all."""

    weights: Floats
    level: float

    @classmethod
    def fitted(cls, features: Sparse, labels: Mask, penalty: float = 1.0) -> Logistic:
        """The weights w that make Σ log-loss + penalty·‖w‖²/2 smallest; the level is free.

        Of labels that are all alike nothing is learnt but that.
        """
        from scipy.optimize import minimize

        share = float(labels.mean()) if len(labels) else 0.5
        if share in (0.0, 1.0) or not len(labels):
            return cls(np.zeros(features.shape[1]), 0.0 if not len(labels) else 40.0 * (2 * share - 1))
        problem = _Problem.of(features, labels, penalty, share)
        start = np.append(np.log(share / (1 - share)) / problem.steps[0], np.zeros(features.shape[1]))
        options = {"maxiter": MOST_STEPS, "gtol": CLOSE, "ftol": CLOSE**2}
        found = problem.steps * minimize(problem, start, jac=True, method="L-BFGS-B", options=options).x
        return cls(found[1:], float(found[0]))

    def chances(self, features: Sparse) -> Floats:
        """How likely each row is labelled."""
        return _sigmoid(features @ self.weights + self.level)


@dataclass(frozen=True)
class _Problem:
    """The loss and its slope, each weight measured in a step of its own: rare words move as fast as common
    ones."""

    features: Sparse
    turned: Sparse
    labels: Floats
    penalty: float
    steps: Floats

    @classmethod
    def of(cls, features: Sparse, labels: Mask, penalty: float, share: float) -> _Problem:
        turned = features.T.tocsr()
        held = np.append(len(labels), np.asarray(turned.sum(axis=1)).ravel())
        steps = 1 / np.sqrt(held * share * (1 - share) + penalty)
        return cls(features, turned, labels.astype(np.float64), penalty, steps)

    def __call__(self, point: Floats) -> tuple[float, Floats]:
        level, weights = (self.steps * point)[0], (self.steps * point)[1:]
        score = self.features @ weights + level
        pull = _sigmoid(score) - self.labels
        loss = float((np.logaddexp(0.0, score) - self.labels * score).sum())
        slope = np.append(pull.sum(), self.turned @ pull + self.penalty * weights)
        return loss + self.penalty / 2 * float(weights @ weights), self.steps * slope


def _sigmoid(x: Floats) -> Floats:
    return np.asarray(0.5 * (1 + np.tanh(x / 2)))
