"""Interpolation and normal scores."""

import numpy as np
import pytest
from scipy.stats import norm

from worker.engine.synthesis.interpolation import interpolated
from worker.engine.synthesis.scores import KNOTS, Scale


@pytest.mark.parametrize("knots", [1, 2, 3, 100, 255, 256])
def test_interpolation_is_numpys(knots):
    rng = np.random.default_rng(1)
    at = np.sort(rng.standard_normal(knots))
    heights = rng.standard_normal(knots)
    x = np.concatenate([3 * rng.standard_normal(1000), at, [-1e300, 1e300]])
    assert interpolated(x, at, heights) == pytest.approx(np.interp(x, at, heights))
    assert interpolated(np.array([np.nan]), at, heights).tolist() == [0.0]


def test_scores_are_normal_whatever_the_numbers():
    numbers = np.random.default_rng(1).lognormal(3, 2, 20_000)
    scores = Scale.of(numbers)(numbers)
    quantiles = np.quantile(scores, [0.05, 0.25, 0.5, 0.75, 0.95])
    assert quantiles == pytest.approx(norm.ppf([0.05, 0.25, 0.5, 0.75, 0.95]), abs=0.02)
    assert len(Scale.of(numbers).numbers) <= KNOTS


def test_equal_numbers_share_their_middle_score():
    scale = Scale.of(np.array([1.0, 1.0, 2.0, 2.0]))
    assert scale(np.array([1.0, 2.0])) == pytest.approx(norm.ppf([0.25, 0.75]))
    assert Scale.of(np.array([5.0] * 9))(np.array([5.0, np.nan])).tolist() == [0.0, 0.0]
    assert Scale.of(np.array([]))(np.array([5.0])).tolist() == [0.0]
