"""Rows alone in their class, divided by rows."""

from __future__ import annotations

import pytest

from tests.engine.verification.by_hand import judged
from worker.engine.errors import EngineError


@pytest.mark.parametrize(("limit", "holds"), [(0.4, True), (0.39, False)])
def test_two_of_five_are_alone(limit: float, holds: bool) -> None:
    rows = ["a x", "b x", "c x", "c y", "c y"]
    assert judged("sample-uniqueness", {"limit": limit}, rows) == (0.4, holds, 0)


def test_nobody_is_alone() -> None:
    assert judged("sample-uniqueness", {"limit": 0.0}, ["a x", "a x"]) == (0.0, True, 0)


def test_a_limit_is_a_share() -> None:
    with pytest.raises(EngineError) as refused:
        judged("sample-uniqueness", {"limit": 2}, ["a x"])
    assert (refused.value.code, refused.value.param) == ("goal-parameter", "goals[0].params.limit")
