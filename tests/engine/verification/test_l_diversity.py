"""Distinct, entropy and recursive by hand; benign values."""

from __future__ import annotations

import math
from typing import Any

import pytest

from tests.engine.verification.by_hand import judged

ROWS = ["a x", "a x", "a y", "a z", "b x", "b y"]


@pytest.mark.parametrize(("number", "violating"), [(2, 0), (3, 2), (4, 6)])
def test_distinct_values(number: int, violating: int) -> None:
    found = judged("l-diversity", {"column": "s", "l": number}, ROWS)
    assert found == (2, violating == 0, violating)


def test_even_classes_reach_their_number_exactly() -> None:
    params = {"column": "s", "variant": "entropy", "l": 2}
    assert judged("l-diversity", params, ["b x", "b y"] * 7) == (pytest.approx(2.0), True, 0)
    least = math.exp(-(2 / 3 * math.log(2 / 3) + 1 / 3 * math.log(1 / 3)))
    assert judged("l-diversity", params, ["b x", "b x", "b y"]) == (pytest.approx(least), False, 3)


@pytest.mark.parametrize(("c", "holds"), [(1.0, False), (1.01, True)])
def test_the_most_frequent_value_leads_by_less_than_c(c: float, holds: bool) -> None:
    """Of 2, 1, 1 with l = 2 the rest is 2: two is less than c times two."""
    params = {"column": "s", "variant": "recursive", "l": 2, "c": c}
    assert judged("l-diversity", params, ROWS[:4])[1] is holds


def test_harmless_values_need_no_others() -> None:
    params: dict[str, Any] = {"column": "s", "l": 2, "benign": ["none"]}
    assert judged("l-diversity", params, ["a none", "a none"])[1]
    assert not judged("l-diversity", params, ["a none", "b ill"])[1]
