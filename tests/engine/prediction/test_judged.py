"""Area under the curve, accuracy and what is kept, beside pairs counted one by one."""

import random

import numpy as np
import pytest

from worker.engine.prediction.judged import accuracy, area, area_of_classes, curve, kept


def by_pairs(scores, labels):
    pairs = [
        (x, y)
        for x, a in zip(scores, labels, strict=True)
        for y, b in zip(scores, labels, strict=True)
        if a and not b
    ]
    return sum((x > y) + (x == y) / 2 for x, y in pairs) / len(pairs) if pairs else None


@pytest.mark.parametrize("seed", range(40))
def test_the_area_is_the_share_of_pairs_in_order(seed):
    draw = random.Random(seed)
    rows = draw.randrange(1, 25)
    scores = [draw.randrange(5) / 4 for _ in range(rows)]
    labels = [draw.random() < 0.5 for _ in range(rows)]
    assert area(np.array(scores), np.array(labels)) == pytest.approx(by_pairs(scores, labels))


@pytest.mark.parametrize("seed", range(40))
def test_the_area_of_classes_goes_by_their_rows(seed):
    draw = random.Random(seed)
    rows, number = draw.randrange(2, 25), draw.randrange(2, 5)
    chances = np.array([[draw.randrange(5) for _ in range(number)] for _ in range(rows)], float)
    classes = np.array([draw.randrange(number) for _ in range(rows)])
    each = [(by_pairs(chances[:, one], classes == one), (classes == one).sum()) for one in range(number)]
    known = [(one, count) for one, count in each if one is not None]
    expected = sum(one * count for one, count in known) / sum(count for _, count in known) if known else None
    assert area_of_classes(chances, classes) == pytest.approx(expected)


def test_accuracy_by_hand():
    chances = np.array([[0.6, 0.4], [0.5, 0.5], [0.1, 0.9], [0.8, 0.2]])
    assert accuracy(chances, np.array([0, 0, 1, 1])) == 0.75
    assert accuracy(chances[:0], np.array([], int)) is None


def test_the_curve_of_a_model_that_knows_and_of_one_that_does_not():
    labels = np.array([True, False] * 10)
    known, blind = curve(labels * 1.0, labels), curve(np.zeros(20), labels)
    assert known[1] == (1.0,) * 21
    assert blind[0] == pytest.approx(blind[1])


@pytest.mark.parametrize(
    ("release", "original", "expected"),
    [
        (0.9, 0.9, 1),
        (0.5, 0.9, 0),
        (0.7, 0.9, 0.5),
        (0.95, 0.9, 1),
        (0.4, 0.9, 0),
        (0.9, 0.505, None),
        (None, 0.9, None),
    ],
)
def test_what_is_kept(release, original, expected):
    assert kept(release, original, 0.5) == (None if expected is None else pytest.approx(expected))
