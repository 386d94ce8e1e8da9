"""Households and pairs of them that can trade."""

from __future__ import annotations

import numpy as np
import pytest

from worker.engine.swapping.households import households_of, pairs_within, rows_of_pairs
from worker.engine.tables.column import Column
from worker.engine.tables.kinds import Kind


def key(*texts: str) -> Column:
    return Column.of_texts("household", list(texts), Kind.TEXT)


def test_rows_of_a_household_lie_together() -> None:
    homes = households_of(key("b", "a", "b", "", "a", ""), 6)
    members = [
        homes.order[start : start + size].tolist()
        for start, size in zip(homes.starts, homes.sizes, strict=True)
    ]
    assert sorted(members) == [[0, 2], [1, 4], [3], [5]]  # who has no household lives alone
    assert [homes.ids[one[0]] == at for at, one in enumerate(members)] == [True] * 4
    assert sorted(homes.heads.tolist()) == [0, 1, 3, 5]


def test_without_a_key_everybody_lives_alone() -> None:
    homes = households_of(None, 3)
    assert (homes.order.tolist(), homes.sizes.tolist()) == ([0, 1, 2], [1, 1, 1])


def test_a_household_has_a_row_in_the_mask() -> None:
    homes = households_of(key("a", "b", "a"), 3)
    found = homes.any_row(np.array([False, False, True]))
    assert found[homes.ids].tolist() == [True, False, True]


@pytest.mark.parametrize("seed", range(20))
def test_pairs_stay_within_their_stratum_and_differ(seed: int) -> None:
    draw = np.random.default_rng(seed)
    strata, values = draw.integers(0, 4, 100), draw.integers(0, 3, 100)
    urgent = draw.random(100) < 0.1
    pairs = pairs_within(strata, values, urgent, 0.5, draw)
    assert (strata[pairs[:, 0]] == strata[pairs[:, 1]]).all()
    assert (values[pairs[:, 0]] != values[pairs[:, 1]]).all()
    assert len(np.unique(pairs)) == 2 * len(pairs)  # nobody trades twice
    assert len(pairs) <= max(25, int(urgent.sum()))


def test_the_urgent_ones_come_first() -> None:
    draw = np.random.default_rng(1)
    values = np.arange(100) % 2
    urgent = np.arange(100) < 6
    pairs = pairs_within(np.zeros(100, int), values, urgent, 0.0, draw)
    assert set(range(6)) <= set(pairs.reshape(-1).tolist())


def test_members_trade_one_by_one() -> None:
    homes = households_of(key("a", "b", "a", "b", "c"), 5)
    pair = np.array([[homes.ids[0], homes.ids[1]]])
    assert rows_of_pairs(homes, pair).tolist() == [1, 0, 3, 2, 4]
