"""A small model that predicts, from a node's levels, how many rows will have to go.

The logarithm of the rows is close to linear in the entropy that each column keeps. The weights are learned
from the nodes seen so far by recursive least squares. Predictions only order the work; nothing is concluded
from them.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from worker.engine.arrays import Longs
from worker.engine.kernels.compiled import compiled

Floats = np.ndarray[Any, np.dtype[np.float64]]

SLOPE = 0.6
"""What a bit of entropy does to the logarithm, before anything is known."""
NOISE = 0.02


class Model(NamedTuple):
    """Weights (an offset, then one per column) and how uncertain they are."""

    weights: Floats
    spread: Floats
    features: Floats
    gain: Floats
    entropy: Floats


def new_model(entropy: Floats, rows: float) -> Model:
    """A model that knows only that rows grow lonelier with entropy."""
    size = len(entropy) + 1
    weights = np.full(size, SLOPE)
    weights[0] = np.log(max(rows, 1.0)) - SLOPE * entropy.max(axis=1, initial=0.0).sum()
    spread = np.eye(size) * 0.02
    spread[0, 0] = 4.0
    return Model(weights, spread, np.ones(size), np.zeros(size), entropy)


@compiled
def predict(model: Model, levels: Longs) -> float:
    """The logarithm of the rows that will have to go."""
    total = model.weights[0]
    for column in range(levels.size):
        total += model.weights[column + 1] * model.entropy[column, levels[column]]
    return total


@compiled
def learn(model: Model, levels: Longs, rows: int) -> None:
    """Take in what was found at a node."""
    size, features, gain = model.weights.size, model.features, model.gain
    for column in range(levels.size):
        features[column + 1] = model.entropy[column, levels[column]]
    error, scale = np.log(rows + 1.0), NOISE
    for i in range(size):
        error -= model.weights[i] * features[i]
        gain[i] = 0.0
        for j in range(size):
            gain[i] += model.spread[i, j] * features[j]
        scale += gain[i] * features[i]
    for i in range(size):
        model.weights[i] += gain[i] / scale * error
        for j in range(size):
            model.spread[i, j] -= gain[i] * gain[j] / scale
