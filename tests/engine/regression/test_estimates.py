"""Coefficients and their intervals, beside the formulas written out."""

import numpy as np
import pytest
from scipy import optimize, stats

from worker.engine.regression.estimates import (
    Estimates,
    independent,
    least_squares,
    logistic,
    overlaps,
    standardised,
)


def design_of(seed, rows=60):
    draw = np.random.default_rng(seed)
    design = np.column_stack([np.ones(rows), draw.normal(40, 12, rows), draw.random(rows) < 0.4])
    return design, draw


@pytest.mark.parametrize("seed", range(40))
def test_least_squares_by_the_normal_equations(seed):
    design, draw = design_of(seed)
    outcome = design @ [3, 0.5, -2] + draw.normal(0, 2, len(design))
    found = least_squares(design, outcome)
    inverse = np.linalg.inv(design.T @ design)
    values = inverse @ design.T @ outcome
    errors = np.sqrt(np.diag(inverse) * ((outcome - design @ values) ** 2).sum() / 57)
    assert found.values == pytest.approx(values)
    assert found.errors == pytest.approx(errors)
    assert found.high == pytest.approx(values + stats.t.ppf(0.975, 57) * errors)
    assert found.low == pytest.approx(values - stats.t.ppf(0.975, 57) * errors)


@pytest.mark.parametrize("seed", range(40))
def test_logistic_has_the_smallest_loss_and_the_errors_of_its_information(seed):
    design, draw = design_of(seed, 120)
    outcome = draw.random(120) < 1 / (1 + np.exp(-(design @ [-2, 0.05, 0.5])))
    found = logistic(design, outcome)
    signs = np.where(outcome, 1, -1)

    def loss(values):
        return np.log1p(np.exp(-signs * (design @ values))).sum()

    best = optimize.minimize(
        loss, found.values, method="Nelder-Mead", options={"xatol": 1e-9, "fatol": 1e-12}
    )
    assert loss(found.values) <= best.fun + 1e-9
    chances = 1 / (1 + np.exp(-(design @ found.values)))
    information = sum(p * (1 - p) * np.outer(row, row) for p, row in zip(chances, design, strict=True))
    assert found.errors == pytest.approx(np.sqrt(np.diag(np.linalg.inv(information))))
    assert found.high - found.values == pytest.approx(1.959963984540054 * found.errors)


def test_a_column_that_follows_from_others_has_no_coefficient():
    design, draw = design_of(1)
    more = np.column_stack([design, 2 * design[:, 1] - 3, np.full(60, 7.0)])
    assert independent(more).tolist() == [True, True, True, False, False]
    outcome = draw.normal(size=60)
    found, plain = least_squares(more, outcome), least_squares(design, outcome)
    assert found.values[:3] == pytest.approx(plain.values)
    assert np.isnan(found.values[3:]).all()


def test_there_are_no_finite_ones_where_the_outcome_follows():
    design = np.column_stack([np.ones(40), np.arange(40)])
    assert np.isnan(logistic(design, np.arange(40) > 20).values).all()
    assert np.isnan(logistic(design, np.ones(40, bool)).values).all()


def test_as_many_rows_as_columns_are_too_few():
    assert np.isnan(least_squares(np.eye(3), np.arange(3.0)).values).all()


def interval(low, high):
    low, high = np.array([low], float), np.array([high], float)
    return Estimates((low + high) / 2, (high - low) / 4, low, high)


@pytest.mark.parametrize(
    ("one", "other", "overlap"),
    [
        ((0, 4), (0, 4), 1),
        ((0, 4), (2, 6), 0.5),
        ((0, 4), (0, 8), 0.75),
        ((0, 4), (5, 6), 0),
        ((2, 2), (2, 2), 1),
        ((2, 2), (3, 3), 0),
        ((0, 4), (np.nan, np.nan), 0),
    ],
)
def test_overlap_by_hand(one, other, overlap):
    assert overlaps(interval(*one), interval(*other)).tolist() == [pytest.approx(overlap)]
    if not np.isnan(other[0]):
        assert overlaps(interval(*other), interval(*one)).tolist() == [pytest.approx(overlap)]


def test_what_the_original_does_not_give_cannot_be_compared():
    assert np.isnan(overlaps(interval(np.nan, np.nan), interval(0, 1))).all()


def test_a_difference_is_told_in_standard_errors():
    assert standardised(interval(0, 4), interval(3, 7)).tolist() == [3]
    assert standardised(interval(2, 2), interval(2, 2)).tolist() == [0]
