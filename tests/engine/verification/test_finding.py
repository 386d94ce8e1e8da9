"""Findings of parts put together are the finding of the whole."""

from __future__ import annotations

import math
from typing import Any

import pytest

from worker.engine.errors import EngineError
from worker.engine.verification.finding import Farthest, Finding, Range, WholeRelease, number, share, tally_of


def test_the_weaker_one_decides() -> None:
    assert Finding(3, 0).joined(Finding(2, 5)) == Finding(2, 5)
    assert Finding(None, 0).joined(Finding(2, 1)) == Finding(2, 1)
    assert Farthest(0.3, 2).joined(Farthest(0.1, 1)) == Farthest(0.3, 3)
    assert Range([0.2, 0.4], 0).joined(Range([0.1, 0.3], 2)) == Range([0.1, 0.4], 2)


def test_a_remark_is_kept() -> None:
    for one in (Finding, Farthest):
        assert one(1, 0, remark="said").joined(one(1, 0)).remark == "said"
        assert one(1, 0).joined(one(1, 0, remark="said")).remark == "said"


def test_sizes_of_parts_are_judged_as_a_whole() -> None:
    def uniques(tally: Any) -> float:
        rows = sum(size * many for size, many in tally.items())
        return tally.get(1, 0) / rows if rows else math.nan

    first, second = WholeRelease.of({1: 1, 2: 1}, uniques, 0.2), WholeRelease.of({7: 1}, uniques, 0.2)
    assert not first.holds
    assert first.joined(second).achieved == 0.1
    assert first.joined(second).holds
    assert not WholeRelease.of({}, uniques, 0.2).holds  # what cannot be told does not hold


def test_how_many_classes_have_each_size() -> None:
    assert tally_of([3, 1, 1, 3, 2]) == {1: 2, 2: 1, 3: 2}


@pytest.mark.parametrize("value", [0, -1, True, "2", None])
def test_numbers_above_zero(value: object) -> None:
    with pytest.raises(EngineError):
        number({"k": value}, "k", 5)
    assert number({}, "k", 5) == 5


@pytest.mark.parametrize("value", [-0.1, 1.1, True, "0.5"])
def test_shares(value: object) -> None:
    with pytest.raises(EngineError):
        share({"t": value}, "t", 0.2)
    assert share({"t": 1}, "t", 0.2) == 1
