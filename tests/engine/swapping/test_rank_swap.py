"""Values change places with others at most so many ranks away."""

from __future__ import annotations

import numpy as np
import pytest

from worker.engine.swapping.rank_swap import swapped


@pytest.mark.parametrize("reach", [1, 3, 10, 500])
@pytest.mark.parametrize("seed", range(10))
def test_nobody_goes_further_than_the_reach(reach: int, seed: int) -> None:
    draw = np.random.default_rng(seed)
    keys = draw.permutation(200).astype(np.float64)
    moved, largest = swapped(keys, keys.astype(np.int64), reach, np.random.default_rng(seed + 1))
    assert sorted(moved.tolist()) == list(range(200))
    gaps = np.abs(moved - keys)
    assert gaps.max() == largest <= reach
    assert np.count_nonzero(gaps) >= 190  # nearly everybody finds a partner


def test_partners_change_places_and_no_chains_form() -> None:
    keys = np.arange(100, dtype=np.float64)
    moved, _ = swapped(keys, keys.astype(np.int64), 7, np.random.default_rng(5))
    assert moved[moved].tolist() == list(range(100))


def test_a_group_of_equals_larger_than_the_reach_is_left() -> None:
    keys = np.repeat([1.0, 2.0], 50)
    values = np.arange(100)
    moved, _ = swapped(keys, values, 5, np.random.default_rng(3))
    stayed = np.count_nonzero((moved < 50) == (values < 50))
    assert stayed < 100
    assert (
        np.count_nonzero(np.abs(moved - values) > 5) > 50
    )  # ranks among equals are drawn, not as they stand


@pytest.mark.parametrize("rows", [0, 1])
def test_there_is_nobody_to_swap_with(rows: int) -> None:
    moved, largest = swapped(np.zeros(rows), np.arange(rows), 3, np.random.default_rng(1))
    assert (moved.tolist(), largest) == (list(range(rows)), 0)


def test_every_place_within_reach_is_as_likely() -> None:
    """The first row goes 1 to 4 ranks on, each in a quarter of 4 000 draws (± 5 deviations)."""
    keys = np.arange(30, dtype=np.float64)
    found = [
        int(swapped(keys, keys.astype(np.int64), 4, np.random.default_rng(seed))[0][0])
        for seed in range(4_000)
    ]
    counts = np.bincount(found, minlength=5)
    assert counts[0] == 0
    assert np.abs(counts[1:] - 1_000).max() < 5 * np.sqrt(4_000 * 0.25 * 0.75)
