"""Correlated noise has the covariance it promises."""

import numpy as np
import pytest

from tests.engine.methods.judging import ROWS, has_covariance
from tests.engine.methods.running import numbers, run
from worker.engine.errors import EngineError
from worker.engine.methods.correlated_noise import CorrelatedNoise
from worker.engine.randomness import key_from_seed
from worker.engine.table import BLOCK

SIGMA = np.array([[4.0, 3.0, 0.0], [3.0, 9.0, -1.0], [0.0, -1.0, 1.0]])
NAMES = ("a", "b", "c")


def original(rows: int = ROWS) -> np.ndarray:
    return np.random.default_rng().multivariate_normal([10, 20, 30], SIGMA, rows).T


def noise_of(before: np.ndarray, **params) -> np.ndarray:
    step = CorrelatedNoise(columns=NAMES, decimals=9, **params)
    out = run(numbers(**dict(zip(NAMES, before, strict=True))), step)
    return np.array([out.numbers(name) for name in NAMES]) - before


def test_the_noise_has_the_covariance_of_the_columns():
    before = original()
    noise = noise_of(before, share=0.3, keep_covariance=False)
    wanted = 0.3 * np.cov(before)
    assert has_covariance(noise, wanted)
    assert not has_covariance(noise * np.sqrt(1.05), wanted), "a variance wrong by 5 %"
    assert not has_covariance(np.array([noise[0], noise[2], noise[1]]), wanted), "columns mixed up"
    apart = np.random.default_rng().standard_normal(noise.shape) * noise.std(axis=1, keepdims=True)
    assert not has_covariance(apart, wanted), "noise without correlation"


def test_means_and_covariances_are_kept_on_request():
    before = original()
    after = before + noise_of(before, share=0.5)
    assert np.abs(after.mean(axis=1) - before.mean(axis=1)).max() < 0.1
    assert np.cov(after) == pytest.approx(np.cov(before), abs=0.25)
    grown = before + noise_of(before, share=0.5, keep_covariance=False)
    assert np.cov(grown) != pytest.approx(np.cov(before), abs=0.25)


def test_the_robust_option_is_not_pulled_by_outliers():
    before = original(5000)
    before[0, :250] = 1000.0
    robust = noise_of(before, share=1.0, keep_covariance=False, robust=True)
    pulled = noise_of(before, share=1.0, keep_covariance=False)
    assert robust[0].std() == pytest.approx(2.0, rel=0.1)
    assert pulled[0].std() > 50


def test_missing_cells_stay_missing_and_do_not_spoil_the_others():
    before = original(2000)
    before[0, ::5] = np.nan
    noise = noise_of(before, share=0.3)
    assert np.array_equal(np.isnan(noise), np.isnan(before))
    assert np.isfinite(noise[1]).all()


def test_columns_that_are_never_known_together_are_refused():
    half = np.where(np.arange(100) % 2, 1.0, np.nan)
    with pytest.raises(EngineError) as caught:
        run(numbers(a=half, b=half[::-1]), CorrelatedNoise(columns=("a", "b")))
    assert caught.value.code == "no-complete-rows"


@pytest.mark.parametrize("robust", [False, True])
def test_same_key_same_bytes_and_chunked_is_whole(robust):
    before = original(2 * BLOCK + 9)
    table = numbers(**dict(zip(NAMES, before, strict=True)))
    step = CorrelatedNoise(columns=NAMES, robust=robust, decimals=4)
    outs = [run(table, step, key=key_from_seed(1), blocks=blocks) for blocks in (1, 16)]
    assert all(outs[0].texts(name) == outs[1].texts(name) for name in NAMES)
    assert outs[0].facts == outs[1].facts


def test_columns_that_follow_from_one_another_are_no_trouble():
    x = np.random.default_rng(1).standard_normal(1000)
    out = run(numbers(a=x, b=2 * x), CorrelatedNoise(columns=("a", "b"), decimals=9))
    assert out.numbers("b") == pytest.approx(2 * out.numbers("a"), abs=1e-6)
