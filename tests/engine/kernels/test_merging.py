"""Sorted lists with counts, against a counter."""

from __future__ import annotations

import random
from collections import Counter

import numpy as np
import pytest

from worker.engine.kernels.merging import merge, run_lengths


def counted(keys: list[int]) -> tuple[np.ndarray, np.ndarray]:  # type: ignore[type-arg]
    held, counts = np.array(sorted(keys), np.int64), np.empty(len(keys), np.int64)
    size = run_lengths(held, counts)
    return held[:size], counts[:size]


@pytest.mark.parametrize("seed", range(40))
def test_two_lists_as_one(seed: int) -> None:
    chance = random.Random(seed)
    left, right = ([chance.randint(-3, 5) for _ in range(chance.randint(0, 15))] for _ in range(2))
    (keys, counts), (others, more) = counted(left), counted(right)
    assert dict(zip(keys.tolist(), counts.tolist(), strict=True)) == Counter(left)
    out, totals = (np.empty(len(keys) + len(others), np.int64) for _ in range(2))
    size = merge(keys, counts, others, more, out, totals)
    assert out[:size].tolist() == sorted({*left, *right})
    assert dict(zip(out[:size].tolist(), totals[:size].tolist(), strict=True)) == Counter(left + right)
