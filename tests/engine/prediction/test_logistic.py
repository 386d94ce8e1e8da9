"""Logistic regression on words, beside plain gradient descent and by hand."""

import math
import random

import numpy as np
import pytest

from worker.engine.prediction.design import Design
from worker.engine.prediction.logistic import Logistic

PENALTY = 1.0


def loss_of(rows, labels, weights):
    """Written from the definition: the last weight is the level, which nothing holds back."""
    total = PENALTY / 2 * sum(w * w for w in weights[:-1])
    for row, label in zip(rows, labels, strict=True):
        score = weights[-1] + sum(weights[word] for word in row if word >= 0)
        total += math.log(1 + math.exp(-score if label else score))
    return total


def drawn(seed):
    draw = random.Random(seed)
    sizes = [draw.randrange(1, 4) for _ in range(draw.randrange(1, 4))]
    rows = draw.randrange(2, 40)
    columns = [np.array([draw.randrange(-1, size) for _ in range(rows)], np.int32) for size in sizes]
    labels = np.array([draw.random() < 0.4 for _ in range(rows)])
    return Design.of(columns, sizes), labels


@pytest.mark.parametrize("seed", range(40))
def test_no_other_weights_have_a_smaller_loss(seed):
    design, labels = drawn(seed)
    found = Logistic.fitted(design, labels, PENALTY).weights
    if labels.all() or not labels.any():
        assert abs(found[-1]) == 40
        return
    rows = design.words.tolist()
    least = loss_of(rows, labels, found)
    for at in range(len(found)):
        for step in (-0.05, 0.05):
            beside = found.copy()
            beside[at] += step
            assert loss_of(rows, labels, beside) > least - 1e-4


def test_the_level_alone_is_the_share():
    design = Design.of([np.full(10, -1, np.int32)], [1])
    labels = np.arange(10) < 3
    assert Logistic.fitted(design, labels).chances(design).tolist() == pytest.approx([0.3] * 10)


def test_of_no_rows_nothing_is_learnt():
    design = Design.of([np.zeros(0, np.int32)], [2])
    some = Design.of([np.array([0, 1], np.int32)], [2])
    assert Logistic.fitted(design, np.zeros(0, bool)).chances(some).tolist() == [0.5, 0.5]


def test_a_word_by_hand():
    """Of one word 3 of 4 rows are labelled, of the other 1 of 4: 4·(σ(w) − ¾) + w = 0."""
    design = Design.of([np.array([0] * 4 + [1] * 4, np.int32)], [2])
    labels = np.array([1, 1, 1, 0, 1, 0, 0, 0], bool)
    one, other, level = Logistic.fitted(design, labels, 1.0).weights
    assert (one, level) == (pytest.approx(-other, abs=1e-3), pytest.approx(0, abs=1e-3))
    assert 4 * (1 / (1 + math.exp(-one)) - 0.75) + one == pytest.approx(0, abs=1e-2)
