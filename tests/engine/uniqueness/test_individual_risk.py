"""Risk from sizes in sample and population, against sums of the negative binomial law."""

from __future__ import annotations

import numpy as np
import pytest

from worker.engine.uniqueness.individual_risk import household_risk, individual_risk


def summed(f: int, p: float) -> float:
    """E[1/F] where F - f is negative binomial: Σ C(F−1, f−1) p^f (1−p)^(F−f) / F."""
    total, term = 0.0, p**f
    for size in range(f, f + 200_000):
        total += term / size
        term *= (1 - p) * size / (size - f + 1)
        if term < 1e-18:
            break
    return total


@pytest.mark.parametrize("f", [1, 2])
@pytest.mark.parametrize("p", [0.001, 0.05, 0.3, 0.9, 0.949, 0.951, 0.99, 0.9999, 1.0])
def test_one_and_two_rows_are_the_expectation(f: int, p: float) -> None:
    found = individual_risk(np.array([f]), np.array([f / p]))[0]
    assert found == pytest.approx(summed(f, p), rel=1e-9)


@pytest.mark.parametrize(("f", "whole"), [(3, 30.0), (10, 12.0), (100, 1e6)])
def test_more_rows_by_the_short_formula(f: int, whole: float) -> None:
    p = f / whole
    assert individual_risk(np.array([f]), np.array([whole]))[0] == pytest.approx(p / (f - (1 - p)))


def test_without_weights_the_sample_is_everybody() -> None:
    assert individual_risk(np.array([1, 2, 4]), None).tolist() == [1.0, 0.5, 0.25]
    assert individual_risk(np.array([1, 2, 4]), np.zeros(3)).tolist() == [1.0, 0.5, 0.25]


def test_more_people_behind_a_row_never_raise_its_risk() -> None:
    for f in (1, 2, 3, 7):
        risks = individual_risk(np.full(400, f), np.geomspace(f, 1e7, 400))
        assert (np.diff(risks) <= 1e-15).all()


def test_a_household_is_found_by_any_member() -> None:
    found = household_risk(np.array([0.5, 0.5, 0.1, 1.0, 0.0]), np.array([0, 0, 1, 2, 2]), 4)
    assert found.tolist() == pytest.approx([0.75, 0.1, 1.0, 0.0])
