"""Presets fill in steps for the columns of a role and of kinds, and leave out what there is nothing for."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from stewardapp.forms.parameter_fields import ColumnChoice
from stewardapp.forms.presets import preset, spread
from worker.engine.tables.kinds import Kind, Role

COLUMNS = (
    ColumnChoice("age", Kind.INTEGER, Role.QUASI_IDENTIFIER),
    ColumnChoice("height", Kind.DECIMAL, Role.QUASI_IDENTIFIER),
    ColumnChoice("sex", Kind.TEXT, Role.QUASI_IDENTIFIER),
    ColumnChoice("born", Kind.DATE, Role.QUASI_IDENTIFIER),
    ColumnChoice("income", Kind.INTEGER, Role.SENSITIVE),
    ColumnChoice("note", Kind.TEXT, Role.OTHER),
)
NUMBERS = {"role": "quasi-identifier", "kinds": ["integer", "decimal"]}


def spread_over(columns: tuple[ColumnChoice, ...], **how: Any) -> list[Any]:
    """The parameters of one part as it stands for these columns."""
    part = {"method": "seen", "params": {"amount": 1}, **how}
    return [one["params"] for one in spread([part], columns) if isinstance(one, dict)]


def test_a_part_stands_once_for_each_column_or_once_for_all() -> None:
    assert spread_over(COLUMNS) == [{"amount": 1}]
    assert spread_over(COLUMNS, for_each={"param": "column", **NUMBERS}) == [
        {"amount": 1, "column": "age"},
        {"amount": 1, "column": "height"},
    ]
    assert spread_over(COLUMNS, for_all={"param": "columns", **NUMBERS}) == [
        {"amount": 1, "columns": ["age", "height"]}
    ]
    assert len(spread_over(COLUMNS, for_each={"param": "column", "role": "quasi-identifier"})) == 4


@pytest.mark.parametrize("how", ["for_each", "for_all"])
def test_a_part_about_no_column_is_left_out(how: str) -> None:
    assert spread_over(COLUMNS[2:], **{how: {"param": "columns", **NUMBERS}}) == []


def test_a_word_that_nobody_knows_is_a_fault_of_the_file() -> None:
    with pytest.raises(ValidationError):
        spread_over(COLUMNS, for_each={"param": "column", "kind": "integer"})


@pytest.mark.parametrize(
    ("slug", "changed"),
    [
        ("noise", ["age", "height", "income", "sex"]),
        ("pram", ["age", "height", "sex"]),
        ("swapping", ["age", "height", "income", "sex"]),
        ("microaggregation", ["age", "height", "sex"]),
    ],
)
def test_what_a_preset_changes_are_numbers_and_categories_that_others_could_know(
    slug: str, changed: list[str]
) -> None:
    chosen = preset(slug)
    assert chosen is not None
    steps = [one["params"] for one in chosen.recipe(COLUMNS)["steps"]]
    named = [name for one in steps for name in [one.get("column"), *one.get("columns", ())] if name]
    assert sorted(named) == changed


def test_twenty_columns_take_one_choice() -> None:
    many = [ColumnChoice(f"n{i}", Kind.DECIMAL, Role.QUASI_IDENTIFIER) for i in range(20)]
    chosen = preset("noise")
    assert chosen is not None
    assert [one["params"]["column"] for one in chosen.recipe(many)["steps"]] == [one.name for one in many]
