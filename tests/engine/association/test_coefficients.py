"""Coefficients beside scipy and by hand."""

import numpy as np
import pytest
from scipy import stats

from worker.engine.association.coefficients import correlation_ratio, cramers_v, rank_correlation


@pytest.mark.parametrize("seed", range(20))
def test_cramers_v_is_that_of_a_cross_table(seed):
    draw = np.random.default_rng(seed)
    one, other = draw.integers(0, 4, 60), draw.integers(0, 3, 60)
    other[:20] = one[:20] % 3
    table = np.zeros((4, 3), int)
    np.add.at(table, (one, other), 1)
    expected = stats.contingency.association(table, method="cramer")
    assert cramers_v(one, other, (4, 3)) == pytest.approx(expected)
    assert cramers_v(one + 5, other, (12, 9)) == pytest.approx(expected), (
        "values that do not occur do not count"
    )


def places(numbers):
    return np.unique(numbers, return_inverse=True)[1]


@pytest.mark.parametrize("seed", range(20))
def test_rank_correlation_is_spearmans(seed):
    draw = np.random.default_rng(seed)
    x = draw.integers(0, 9, 40).astype(float)
    y = x * draw.choice([-1, 0.3]) + draw.integers(0, 5, 40)
    assert rank_correlation(places(x), places(y)) == pytest.approx(stats.spearmanr(x, y).statistic)


@pytest.mark.parametrize("seed", range(20))
def test_correlation_ratio_is_the_root_of_the_deviation_explained(seed):
    draw = np.random.default_rng(seed)
    codes, numbers = draw.integers(0, 4, 50), draw.normal(5, 2, 50)
    groups = [numbers[codes == code] for code in range(4)]
    between = sum(len(one) * (one.mean() - numbers.mean()) ** 2 for one in groups)
    expected = np.sqrt(between / ((numbers - numbers.mean()) ** 2).sum())
    assert correlation_ratio(codes, numbers, 4) == pytest.approx(expected)


def test_what_is_constant_hangs_together_with_nothing():
    zeros, codes, numbers = np.zeros(4, np.int32), np.array([0, 1, 0, 1]), np.array([0.1] * 4)
    assert cramers_v(zeros, codes, (1, 2)) is None
    assert rank_correlation(zeros, np.arange(4)) is None
    assert correlation_ratio(codes, numbers, 2) is None
    nothing = np.zeros(0, np.int32)
    assert cramers_v(nothing, nothing, (1, 1)) is None
    assert rank_correlation(nothing, nothing) is None
    assert correlation_ratio(nothing, np.zeros(0), 1) is None


def test_one_that_follows_from_the_other_hangs_together_throughout():
    codes = np.array([0, 1, 2, 0])
    assert cramers_v(codes, 2 - codes, (3, 3)) == pytest.approx(1)
    assert correlation_ratio(codes, codes * 2.0, 3) == pytest.approx(1)
    assert rank_correlation(codes, 2 - codes) == pytest.approx(-1)
