"""Candidates that fit a class in every column, against looking at every pair."""

from __future__ import annotations

import random

import numpy as np
import pytest

from worker.engine.verification.narrowing import narrow


@pytest.mark.parametrize("seed", range(25))
def test_every_pair_is_found_once(seed: int) -> None:
    chance = random.Random(seed)
    classes, people, columns = chance.randint(0, 6), chance.randint(0, 8), chance.randint(1, 3)
    keys = [np.array([chance.randint(0, 2) for _ in range(classes)], np.int64) for _ in range(columns)]
    values = [np.array([chance.randint(0, 2) for _ in range(people)], np.int64) for _ in range(columns)]
    met: list[tuple[int, int]] = []

    def fits(column: int, label: int, candidates: np.ndarray) -> np.ndarray:  # type: ignore[type-arg]
        return values[column][candidates] <= label

    def found(some: np.ndarray, candidates: np.ndarray) -> None:  # type: ignore[type-arg]
        met.extend((one, other) for one in some.tolist() for other in candidates.tolist())

    narrow(keys, np.arange(classes), np.arange(people), fits, found)
    pairs = ((one, other) for one in range(classes) for other in range(people))
    expected = [
        (one, other)
        for one, other in pairs
        if all(values[column][other] <= keys[column][one] for column in range(columns))
    ]
    assert sorted(met) == expected
