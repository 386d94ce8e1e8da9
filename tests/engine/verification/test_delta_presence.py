"""Which share of the people who fit a class is in the release."""

from __future__ import annotations

import io
from typing import Any

import pytest

from tests.engine.verification.by_hand import result_of

HIERARCHY = {"hierarchy": ["30;3x;*", "31;3x;*", "40;4x;*", "50;5x;*"]}


def found(people: str, **limits: float) -> Any:
    file = io.BytesIO("\n".join(["q", *people.split()]).encode() + b"\n")
    params = {"population": "people.csv", **limits}
    files = {"people.csv": file}
    return result_of("delta-presence", params, ["3x x", "3x x", "4x x"], quasi=HIERARCHY, populations=files)


def test_shares_of_both_classes() -> None:
    """Two of four people in their thirties, one of four in their forties."""
    result = found("30 30 31 31 40 40 40 40", lower=0.0, upper=0.5)
    assert (result.achieved, result.holds) == ([0.25, 0.5], True)


@pytest.mark.parametrize(("limits", "violating"), [({"upper": 0.4}, 2), ({"lower": 0.3}, 1)])
def test_outside_the_limits(limits: dict[str, float], violating: int) -> None:
    assert found("30 30 31 31 40 40 40 40", **limits).violating_rows == violating


def test_who_fits_no_row_is_told_to_be_absent() -> None:
    assert found("30 30 31 31 40 40 40 40 50", lower=0.1).remark
    assert not found("30 30 31 31 40 40 40 40", lower=0.1).remark
