"""Distances of classes from the file, by hand."""

from __future__ import annotations

import pytest

from tests.engine.verification.by_hand import judged


def test_equal_distance() -> None:
    """The file is half x and half y; a class of x alone is a half away."""
    rows = ["a x", "a x", "b y", "b y"]
    assert judged("t-closeness", {"column": "s", "t": 0.5}, rows) == (0.5, True, 0)
    assert judged("t-closeness", {"column": "s", "t": 0.49}, rows) == (0.5, False, 4)


def test_ordered_distance_of_the_paper() -> None:
    """Nine salaries in three classes: {3k, 4k, 5k} is .375 away, {6k, 8k, 11k} .167."""
    salaries = {"a": (3, 4, 5), "b": (6, 8, 11), "c": (7, 9, 10)}
    rows = [f"{name} {amount}000" for name, own in salaries.items() for amount in own]
    params = {"column": "s", "distance": "ordered", "t": 0.3}
    assert judged("t-closeness", params, rows) == (pytest.approx(0.375), False, 3)
    assert judged("t-closeness", params, [row for row in rows if row[0] == "a"])[0] == 0


def test_distance_along_a_tree() -> None:
    """Flu and cold meet one step up, so changing one for the other costs half the way."""
    tree = {"hierarchy": ["flu;lungs;*", "cold;lungs;*", "ulcer;stomach;*"]}
    params = {"column": "s", "distance": "hierarchical", "t": 0.3}
    near = judged("t-closeness", params, ["a flu", "b cold"], sensitive=tree)
    far = judged("t-closeness", params, ["a flu", "b ulcer"], sensitive=tree)
    assert near == (0.25, True, 0)
    assert far == (0.5, False, 2)
