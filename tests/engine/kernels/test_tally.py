"""Counting codes with several accumulators."""

from __future__ import annotations

import numpy as np
import pytest

from worker.engine.kernels.tally import tallied


@pytest.mark.parametrize("rows", [0, 1, 3, 4, 5, 1_003])
@pytest.mark.parametrize("kind", [np.uint8, np.int32, np.int64])
def test_as_plain_counting(rows: int, kind: type) -> None:
    codes = np.random.default_rng(rows).integers(0, 7, rows).astype(kind)
    assert tallied(codes, 9).tolist() == np.bincount(codes, minlength=9).tolist()
