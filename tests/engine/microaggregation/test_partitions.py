"""The best partition of one column against trying every one; groups along a component."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from worker.engine.microaggregation.partitions import middles, principal_component, scaled, univariate


def squares(column: np.ndarray, of: np.ndarray) -> float:  # type: ignore[type-arg]
    return sum(float(((column[of == one] - column[of == one].mean()) ** 2).sum()) for one in np.unique(of))


def best(column: np.ndarray, k: int) -> float:  # type: ignore[type-arg]
    """Of all ways to cut the ordered values into groups of at least k."""
    ordered, least = np.sort(column), float("inf")
    for groups in range(1, len(column) // k + 1):
        for cuts in itertools.combinations(range(1, len(column)), groups - 1):
            ends = (0, *cuts, len(column))
            if min(np.diff(ends)) >= k:
                parts = (ordered[a:b] for a, b in itertools.pairwise(ends))
                least = min(least, sum(float(((part - part.mean()) ** 2).sum()) for part in parts))
    return least


@pytest.mark.parametrize("k", [2, 3, 4])
@pytest.mark.parametrize("seed", range(15))
def test_no_partition_has_a_smaller_sum_of_squares(k: int, seed: int) -> None:
    draw = np.random.default_rng(seed)
    column = draw.integers(0, 12, draw.integers(k, 11)).astype(np.float64) + seed % 2 * 1e6
    of = univariate(column, k)
    assert np.bincount(of).min() >= k
    assert squares(column, of) == pytest.approx(best(column, k), abs=1e-6)


@pytest.mark.parametrize("rows", [3, 7, 30, 31])
def test_groups_along_the_component(rows: int) -> None:
    line = np.random.default_rng(rows).permutation(rows).astype(np.float64)
    of = principal_component([line, 3 * line + 1], 3)
    assert np.bincount(of).min() >= 3
    assert len(np.unique(of)) == rows // 3
    ordered = of[np.argsort(line)]
    assert ordered.tolist() in (sorted(of.tolist()), sorted(of.tolist(), reverse=True))


def test_columns_of_one_value_tell_nothing() -> None:
    assert scaled([np.ones(4), np.arange(4.0)]).shape == (1, 4)
    assert scaled([np.ones(4)]).tolist() == [[0.0] * 4]


def test_means_and_medians_of_groups() -> None:
    column, of = np.array([1.0, 2.0, 9.0, 4.0, 6.0]), np.array([0, 0, 0, 1, 1])
    assert middles(column, of, median=False).tolist() == [4.0, 4.0, 4.0, 5.0, 5.0]
    assert middles(column, of, median=True).tolist() == [2.0, 2.0, 2.0, 5.0, 5.0]
