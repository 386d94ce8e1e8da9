"""Noise of one standard deviation, the same for a row wherever its piece begins."""

from __future__ import annotations

import math
from typing import get_args

import numpy as np
import pytest
from scipy import stats

from worker.engine.tables.drawing import Shape, hashed_noise, unit_noise, words

SHAPES = get_args(Shape)
LAWS = {
    "gaussian": stats.norm(),
    "laplace": stats.laplace(scale=math.sqrt(0.5)),
    "uniform": stats.uniform(-math.sqrt(3), 2 * math.sqrt(3)),
}
ROWS = 20_000


def fits(noise: np.ndarray, law: str) -> float:  # type: ignore[type-arg]
    return float(stats.kstest(noise, LAWS[law].cdf).pvalue)


@pytest.mark.parametrize("shape", SHAPES)
def test_noise_follows_its_law_and_no_other(shape: Shape) -> None:
    drawn = unit_noise(np.random.default_rng(7), shape, ROWS)
    hashes = words(np.random.default_rng(8), 64, ROWS).astype(np.uint64)
    for noise in (drawn, hashed_noise(hashes, shape)):
        assert {law for law in LAWS if fits(noise, law) > 1e-4} == {shape}


@pytest.mark.parametrize("shape", SHAPES)
def test_fewer_rows_get_the_same_noise(shape: Shape) -> None:
    long, short = (unit_noise(np.random.default_rng(3), shape, rows) for rows in (500, 20))
    assert long[:20].tolist() == short.tolist()


@pytest.mark.parametrize("size", [32, 64])
@pytest.mark.parametrize("rows", [0, 1, 2, 7])
def test_a_word_for_each_row(size: int, rows: int) -> None:
    drawn = words(np.random.default_rng(5), size, rows)
    assert len(drawn) == rows
    assert drawn.dtype == (np.uint64 if size == 64 else np.uint32)
    assert drawn.tolist() == words(np.random.default_rng(5), size, 9)[:rows].tolist()


def test_noise_of_extreme_hashes_is_finite() -> None:
    for shape in SHAPES:
        assert np.isfinite(hashed_noise(np.array([0, 2**64 - 1], np.uint64), shape)).all()
