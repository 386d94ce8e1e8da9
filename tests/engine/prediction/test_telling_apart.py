"""Scores that tell rows apart, by hand; and the features of the model that gives them."""

import random
from itertools import combinations

import numpy as np
import pytest

from worker.engine.prediction.logistic import Logistic
from worker.engine.prediction.telling_apart import (
    Interacting,
    expected_of_alike,
    mean_square,
    paired_words,
    specks,
)


@pytest.mark.parametrize("seed", range(40))
def test_specks_is_the_largest_distance_between_both_curves(seed):
    draw = random.Random(seed)
    rows = draw.randrange(1, 30)
    scores = [draw.randrange(6) / 5 for _ in range(rows)]
    released = [draw.random() < 0.5 for _ in range(rows)]
    sides = [[s for s, r in zip(scores, released, strict=True) if r == side] for side in (False, True)]
    found = specks(np.array(scores), np.array(released))
    if not all(sides):
        assert found is None
        return
    below = [[sum(s <= at for s in side) / len(side) for side in sides] for at in scores]
    assert found == pytest.approx(max(abs(one - other) for one, other in below))


def test_the_mean_square_and_its_expectation_by_hand():
    assert mean_square(np.array([0.5, 0.7, 0.1, 0.7]), 0.5) == pytest.approx((0.04 + 0.16 + 0.04) / 4)
    assert expected_of_alike(11, 0.5, 100) == pytest.approx(10 * 0.125 / 100)


def column(texts):
    return np.array([ord(text) - ord("a") for text in texts], np.int32)


def test_coefficients_are_those_that_do_not_follow_from_others():
    """Level, a word of two, two words of three, and 1 × 2 of their pairs."""
    draw = random.Random(0)
    columns = [column(draw.choices("ab", k=200)), column(draw.choices("abc", k=200))]
    assert Interacting.of(columns, [2, 3], [0, 0]).coefficients == 1 + 1 + 2 + 2


@pytest.mark.parametrize("seed", range(20))
def test_coefficients_are_the_rank_of_the_design(seed):
    draw = random.Random(seed)
    columns = [column(draw.choices("abcd"[: draw.randrange(2, 5)], k=400)) for _ in range(3)]
    made = Interacting.of(columns, [4] * 3, [0] * 3)
    design = np.zeros((400, made.design.size + 1))
    design[:, -1] = 1
    for row, words in enumerate(made.design.words):
        design[row, words[words >= 0]] = 1
    assert made.coefficients == np.linalg.matrix_rank(design)


def test_neighbouring_bins_go_together_where_rows_are_few():
    codes = np.arange(40, dtype=np.int32) % 10
    assert paired_words(2, 40) == 3
    made = Interacting.of([codes, codes], [10, 10], [10, 10])
    pairs = {codes[row].item(): words[-1].item() for row, words in enumerate(made.design.words)}
    groups = [sorted(bin_ for bin_, pair in pairs.items() if pair == one) for one in set(pairs.values())]
    assert sorted(groups) == [[0, 1, 2, 3], [4, 5, 6], [7, 8, 9]]


def test_pairs_find_what_single_words_cannot():
    """Swapped: every column is as it was, and no word by itself tells anything."""
    one, other = column("ab" * 100), column("ab" * 50 + "ba" * 50)
    columns = [np.concatenate([one, one]), np.concatenate([one, other])]
    released = np.arange(400) >= 200
    made = Interacting.of(columns, [2, 2], [0, 0])
    singles = type(made.design)(made.design.words[:, :2].copy(), made.design.size)
    blind, seeing = (
        Logistic.fitted(design, released, 0.1).chances(design) for design in (singles, made.design)
    )
    assert mean_square(blind, 0.5) == 0
    assert mean_square(seeing, 0.5) > 0.05


def test_every_two_columns_are_paired():
    columns = [column("abab" * 20) for _ in range(4)]
    made = Interacting.of(columns, [2] * 4, [0] * 4)
    assert made.design.words.shape[1] == 4 + len(list(combinations(range(4), 2)))
