"""What a matrix promises and costs: against the known formulas of randomized response."""

from __future__ import annotations

import math

import numpy as np
import pytest

from worker.engine.randomization.transition_effects import effect_of, parts_of


@pytest.mark.parametrize(("size", "keep"), [(2, 0.75), (4, 0.55), (6, 0.5)])
def test_equal_rows_have_the_epsilon_and_the_price_of_randomized_response(size: int, keep: float) -> None:
    other = (1 - keep) / (size - 1)
    matrix = [[keep if i == j else other for j in range(size)] for i in range(size)]
    found = effect_of(matrix, [list(range(size))])
    assert found.epsilon == pytest.approx(math.log(keep / other), abs=1e-9)
    assert found.ratio == pytest.approx(keep / other)
    assert found.inflation == pytest.approx([1 / (keep - other)] * size)


def test_a_zero_bounds_nothing_but_a_group_may() -> None:
    matrix = [[0.7, 0.3, 0.0], [0.3, 0.7, 0.0], [0.0, 0.0, 1.0]]
    found = effect_of(matrix, [[0, 1]])
    assert (found.epsilon, found.ratio) == (None, None)
    assert found.epsilon_within_groups == pytest.approx(math.log(7 / 3))
    assert found.inflation is not None
    assert found.inflation[2] == pytest.approx(1)
    assert parts_of(matrix) == [[0, 1], [2]]


def test_equal_rows_leave_nothing_to_estimate() -> None:
    found = effect_of([[0.5, 0.5], [0.5, 0.5]], [[0, 1]])
    assert (found.epsilon, found.inflation) == (0, None)
    assert effect_of([[1.0]], [[0]]).inflation is None


def test_the_price_is_what_a_simulation_finds() -> None:
    matrix = np.array([[0.9, 0.1, 0.0], [0.2, 0.5, 0.3], [0.1, 0.1, 0.8]])
    found = effect_of(matrix.tolist(), [])
    draw, rows, rounds = np.random.default_rng(7), 900, 4000
    before = draw.multinomial(rows, [1 / 3] * 3, rounds)
    after = sum(draw.multinomial(before[:, i], matrix[i]) for i in range(3))
    spread = (after @ np.linalg.inv(matrix)).std(axis=0) / before.std(axis=0)
    assert found.inflation == pytest.approx(spread.tolist(), rel=0.06)
