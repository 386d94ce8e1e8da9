"""The loops of a logistic regression over rows of words."""

from __future__ import annotations

import math

from worker.engine.kernels.compiled import compiled
from worker.engine.tables.column import Codes, Floats


@compiled
def scores(words: Codes, weights: Floats, found: Floats) -> None:
    """The level, which is the last weight, and the weights of each row's words together."""
    for row in range(len(found)):
        total = weights[-1]
        for column in range(words.shape[1]):
            if words[row, column] >= 0:
                total += weights[words[row, column]]
        found[row] = total


@compiled
def loss_and_slope(words: Codes, labels: Floats, weights: Floats, slope: Floats) -> float:
    """The sum of log-losses, and what it grows by with each weight."""
    loss = 0.0
    slope[:] = 0.0
    for row in range(len(labels)):
        score = weights[-1]
        for column in range(words.shape[1]):
            if words[row, column] >= 0:
                score += weights[words[row, column]]
        loss += max(score, 0.0) + math.log1p(math.exp(-abs(score))) - labels[row] * score
        pull = 0.5 * (1.0 + math.tanh(score / 2)) - labels[row]
        slope[-1] += pull
        for column in range(words.shape[1]):
            if words[row, column] >= 0:
                slope[words[row, column]] += pull
    return loss
