"""Classes divided by rows."""

from __future__ import annotations

import pytest

from tests.engine.verification.by_hand import judged

ROWS = ["a x", "a x", "a y", "b x"]


@pytest.mark.parametrize(("limit", "holds"), [(0.5, True), (0.49, False)])
def test_two_classes_of_four_rows(limit: float, holds: bool) -> None:
    assert judged("average-risk", {"limit": limit}, ROWS) == (0.5, holds, 0)


def test_without_a_limit_one_in_twenty() -> None:
    assert judged("average-risk", {}, ["a x"] * 20)[1]
    assert not judged("average-risk", {}, ["a x"] * 19)[1]
