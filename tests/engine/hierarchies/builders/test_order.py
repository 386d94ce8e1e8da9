"""Neighbours joined."""

from __future__ import annotations

from typing import Any

import pytest

from worker.engine.errors import EngineError
from worker.engine.hierarchies.builders.order import build
from worker.engine.hierarchies.builders.settings import Settings


def rows(*values: str, **options: Any) -> list[tuple[str, ...]]:
    return build(Settings(options, "grade"), values)


def test_two_by_two() -> None:
    made = rows(values=["low", "middle", "high", "top", "best"])
    assert made[0] == ("low", "[low, middle]", "[low, top]", "*")
    assert made[4] == ("best", "best", "best", "*")


def test_what_would_join_all_is_the_top() -> None:
    assert rows(values=["a", "b"]) == [("a", "*"), ("b", "*")]
    assert rows(values=["a", "b", "c", "d"], fan_out=[3]) == [
        ("a", "[a, c]", "*"),
        ("b", "[a, c]", "*"),
        ("c", "[a, c]", "*"),
        ("d", "d", "*"),
    ]


def test_numbers_by_size_words_by_letter() -> None:
    assert [row[0] for row in rows("10", "9", "-1", "2.5")] == ["-1", "2.5", "9", "10"]
    assert [row[0] for row in rows("10", "9", "x")] == ["10", "9", "x"]


@pytest.mark.parametrize(
    "options", [{"values": "abc"}, {"values": ["a", "a"]}, {"fan_out": 1}, {"fan_out": []}]
)
def test_refusals(options: dict[str, Any]) -> None:
    with pytest.raises(EngineError) as refused:
        rows("a", **options)
    assert refused.value.param == f"columns.grade.hierarchy.{next(iter(options))}"
