"""The minimum covariance determinant."""

import numpy as np
import pytest

from worker.engine.perturbation.robust import minimum_covariance_determinant

SIGMA = np.array([[4.0, 1.0], [1.0, 2.0]])


def test_it_is_consistent_for_normal_rows():
    rows = np.random.default_rng(1).multivariate_normal([1, 2], SIGMA, 8000)
    mean, matrix = minimum_covariance_determinant(rows, np.random.default_rng(2))
    assert mean == pytest.approx([1, 2], abs=0.15)
    assert matrix == pytest.approx(SIGMA, abs=0.35)


def test_a_third_of_outliers_does_not_pull_it():
    rng = np.random.default_rng(1)
    rows = np.concatenate([rng.multivariate_normal([1, 2], SIGMA, 4000), rng.normal(500, 5, (2000, 2))])
    mean, matrix = minimum_covariance_determinant(rows, rng)
    assert mean == pytest.approx([1, 2], abs=0.3)
    assert np.diag(matrix) == pytest.approx(np.diag(SIGMA), rel=0.3)


def test_one_column_and_a_constant_column_are_no_trouble():
    rows = np.random.default_rng(1).standard_normal((3000, 1))
    assert minimum_covariance_determinant(rows, np.random.default_rng(2))[1] == pytest.approx(1, rel=0.1)
    both = np.column_stack([rows, np.zeros(3000)])
    assert minimum_covariance_determinant(both, np.random.default_rng(2))[1][1, 1] == pytest.approx(
        0, abs=1e-9
    )
