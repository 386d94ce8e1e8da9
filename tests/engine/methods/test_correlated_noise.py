"""Correlated noise has the covariance it promises."""

import numpy as np
import pytest

from tests.engine.methods.judging import ROWS, has_covariance
from tests.engine.methods.running import numbers, run
from worker.engine.errors import EngineError
from worker.engine.methods.correlated_noise import CorrelatedNoise
from worker.engine.randomness import key_from_seed
from worker.engine.tables.column import Column
from worker.engine.tables.declaration import Declaration
from worker.engine.tables.table import BLOCK
from worker.engine.wording import measured

SIGMA = np.array([[4.0, 3.0, 0.0], [3.0, 9.0, -1.0], [0.0, -1.0, 1.0]])
NAMES = ("a", "b", "c")
KEY = key_from_seed(1)


def original(rows: int = ROWS) -> np.ndarray:
    return np.random.default_rng(1).multivariate_normal([10, 20, 30], SIGMA, rows).T


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
    apart = np.random.default_rng(1).standard_normal(noise.shape) * noise.std(axis=1, keepdims=True)
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


def test_a_household_shares_its_noise_and_households_have_the_covariance():
    before = original()
    homes = [f"h{i % (ROWS // 2)}" for i in range(ROWS)]
    table = numbers(**dict(zip(NAMES, before, strict=True)))
    table = table.with_columns(Column.of_texts("h", homes))
    step = CorrelatedNoise(columns=NAMES, share=0.3, keep_covariance=False, shared_by="h", decimals=9)
    outs = [run(table, step, key=KEY, blocks=blocks) for blocks in (1, 16)]
    noise, again = (np.array([out.numbers(name) for name in NAMES]) - before for out in outs)
    assert np.array_equal(noise, again)
    assert noise[:, : ROWS // 2] == pytest.approx(noise[:, ROWS // 2 :], abs=1e-6)
    wanted = 0.3 * np.cov(before)
    once = noise[:, : ROWS // 2]
    assert has_covariance(once, wanted)
    assert not has_covariance(once * np.sqrt(1.05), wanted), "a variance wrong by 5 %"
    assert not has_covariance(once[[0, 2, 1]], wanted), "columns mixed up"


def test_with_the_robust_option_means_are_kept_and_the_codebook_corrects_covariances():
    before = original()
    before[0, : ROWS // 20] = 1000.0
    step = CorrelatedNoise(columns=NAMES, share=0.5, robust=True, decimals=9)
    out = run(numbers(**dict(zip(NAMES, before, strict=True))), step)
    after = np.array([out.numbers(name) for name in NAMES])
    error = 6.2 * np.sqrt(0.5 * np.diag(SIGMA) / ROWS)
    assert (np.abs(after.mean(axis=1) - before.mean(axis=1)) < error).all()
    said = " ".join(step.guidance(out.facts[0]))
    noise = np.array([row.split() for row in said.partition("[")[2].partition("]")[0].split(";")], float)
    factor = float(said.partition("divide by ")[2].partition(";")[0])
    corrected = (np.cov(after) - noise) / factor
    assert corrected[0, 0] == pytest.approx(np.cov(before)[0, 0], rel=0.02)
    assert corrected[1:, 1:] == pytest.approx(np.cov(before)[1:, 1:], abs=0.5)
    assert np.cov(after)[0, 0] < 0.9 * np.cov(before)[0, 0], "uncorrected ones are too small"


def test_means_are_kept_though_rows_with_small_values_are_not_complete():
    before = original()
    before[1, before[0] > 11] = np.nan
    after = before + noise_of(before, share=1.0)
    error = 6.2 * np.sqrt(np.diag(SIGMA) / (ROWS / 4))
    assert (np.abs(np.nanmean(after, axis=1) - np.nanmean(before, axis=1)) < error).all()


def test_the_report_and_the_codebook_tell_when_rounding_undoes_the_noise():
    coins = np.random.default_rng(1).integers(0, 2, (2, 2000)).astype(float)
    coins[0, :4] = np.nan
    step = CorrelatedNoise(columns=("a", "b"), share=0.01, keep_zeros=True)
    out = run(numbers(a=coins[0], b=coins[1]), step)
    assert out.facts[0]["changed_cells"] == 0
    assert out.facts[0]["noisy_cells"] == (coins == 1).sum()
    said = " ".join(step.guidance(out.facts[0]))
    assert "none of the values differ" in said
    assert "Zeros were left" in said


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


def test_the_codebook_says_by_how_much_bounds_moved_each_mean():
    draw = np.random.default_rng(1)
    a = draw.exponential(1, 20_000).round(3)
    table, declared = (
        numbers(a=a, b=a + draw.normal(0, 1, 20_000).round(3)),
        {"a": Declaration(bounds=(0, None))},
    )
    step = CorrelatedNoise(columns=("a", "b"), share=1, keep_covariance=False)
    out = run(table, step, declared=declared)
    moved = out.facts[0]["clipped"]["a"]["added"] / 20_000
    assert abs((out.numbers("a") - a).mean() - moved) < 0.05
    share = measured(float(f"{100 * out.facts[0]['clipped_cells'] / 20_000:.2g}"), "%")
    assert f"a: {share} of the results lay" in " ".join(step.codebook(out.facts[0]))
    assert out.facts[0]["clipped"]["b"] == {"cells": 0, "added": 0.0}
