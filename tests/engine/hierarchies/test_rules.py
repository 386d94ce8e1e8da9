"""Builders by name, each with its own options."""

from __future__ import annotations

import pytest

from worker.engine.errors import EngineError
from worker.engine.hierarchies.rules import BUILDERS, build

GIVEN = {
    "interval": ({}, ["5"]),
    "order": ({}, ["a", "b", "c"]),
    "mask": ({}, ["123"]),
    "date": ({}, ["2020-01-01"]),
    "tree": ({"tree": {"a": ["b"]}}, []),
}


@pytest.mark.parametrize("builder", BUILDERS)
def test_every_builder_ends_at_the_top(builder: str) -> None:
    options, values = GIVEN[builder]
    made = build(builder, options, values, "c")  # type: ignore[arg-type]
    assert made
    assert {row[-1] for row in made} == {"*"}
    assert len({len(row) for row in made}) == 1


@pytest.mark.parametrize("builder", BUILDERS)
def test_an_option_of_another_builder_is_refused(builder: str) -> None:
    with pytest.raises(EngineError, match="no such option") as refused:
        build(builder, {**GIVEN[builder][0], "odd": 1}, GIVEN[builder][1], "c")  # type: ignore[dict-item]
    assert refused.value.param == "columns.c.hierarchy.odd"


def test_an_unknown_builder_is_refused_with_those_there_are() -> None:
    with pytest.raises(EngineError, match="date, interval, mask, order, tree"):
        build("odd", {}, [], "c")
