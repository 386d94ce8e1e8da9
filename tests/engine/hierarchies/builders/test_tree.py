"""Groups of groups of values."""

from __future__ import annotations

from typing import Any

import pytest

from worker.engine.errors import EngineError
from worker.engine.hierarchies.builders.settings import MOST_LEVELS, Settings
from worker.engine.hierarchies.builders.tree import build


def rows(tree: Any) -> list[tuple[str, ...]]:
    return build(Settings({"tree": tree}, "job"), ())


def test_leaves_and_their_groups() -> None:
    made = rows({"work": {"farm": ["shepherd", "farmer"], "sea": ["sailor"]}, "none": ["none"]})
    assert made == [
        ("shepherd", "shepherd", "farm", "work", "*")[1:],
        ("farmer", "farm", "work", "*"),
        ("sailor", "sea", "work", "*"),
        ("none", "none", "none", "*"),
    ]


def test_a_shallow_value_stands_for_itself() -> None:
    assert rows({"a": {"b": ["c"]}, "d": []}) == [("c", "b", "a", "*"), ("d", "d", "d", "*")]
    assert rows({"a": None, "b": 5}) == [("a", "a", "*"), ("5", "b", "*")]


def test_what_is_no_tree() -> None:
    with pytest.raises(EngineError, match="nested object"):
        rows("a")


def test_too_deep() -> None:
    nested: Any = ["leaf"]
    for depth in range(MOST_LEVELS):
        nested = {str(depth): nested}
    with pytest.raises(EngineError, match="deeper"):
        rows(nested)
