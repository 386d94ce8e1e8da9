"""Characters hidden one by one."""

from __future__ import annotations

from typing import Any

import pytest

from worker.engine.errors import EngineError
from worker.engine.hierarchies.builders.mask import build
from worker.engine.hierarchies.builders.settings import Settings


def rows(*values: str, **options: Any) -> list[tuple[str, ...]]:
    return build(Settings(options, "zip"), values)


def test_from_the_right_and_from_the_left() -> None:
    assert rows("123") == [("123", "12*", "1**", "*")]
    assert rows("123", side="left", character="#") == [("123", "#23", "##3", "*")]


def test_codes_of_unequal_length() -> None:
    assert rows("12", "345") == [("12", "1*", "**", "*"), ("345", "34*", "3**", "*")]
    assert rows("12", "345", pad="_")[0] == ("12", "12*", "1**", "*")
    assert rows("12", "345", pad="0", side="left")[0] == ("12", "*12", "**2", "*")


@pytest.mark.parametrize("options", [{"side": "middle"}, {"character": "**"}, {"pad": ""}, {"pad": 0}])
def test_refusals(options: dict[str, Any]) -> None:
    with pytest.raises(EngineError) as refused:
        rows("123", **options)
    assert refused.value.param == f"columns.zip.hierarchy.{next(iter(options))}"


def test_a_novel_has_no_levels() -> None:
    with pytest.raises(EngineError, match="too many"):
        rows("x" * 20_000, "y")
