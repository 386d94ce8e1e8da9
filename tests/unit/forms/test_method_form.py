"""A form follows from the annotations of a method, whatever the method."""

from __future__ import annotations

from decimal import Decimal
from enum import StrEnum
from typing import Annotated, Any, Literal

import pytest
from django import forms
from pydantic import BaseModel, ConfigDict, Field, model_validator

from stewardapp.forms.method_form import bound_form, filled_form, form_class
from stewardapp.forms.parameter_fields import ColumnChoice
from worker.engine.contracts.annotations import Columns, Unit
from worker.engine.tables.kinds import NUMERIC, Kind, Role


class Shade(StrEnum):
    """Two ways."""

    PALE = "pale"
    DEEP_BLUE = "deep-blue"


class Painting(BaseModel):
    """A method that exists only here."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    column: Annotated[str, Columns(kind=NUMERIC)] = Field(title="Column", description="What to paint.")
    others: Annotated[tuple[str, ...], Columns(role=Role.QUASI_IDENTIFIER)] = Field((), title="Others")
    base: Annotated[int, Unit("units")] = Field(5, ge=2, le=1000, title="Base")
    share: float = Field(0.5, gt=0, le=1)
    budget: Decimal = Field(Decimal("0.1"), gt=0, max_digits=9, decimal_places=6)
    shade: Shade = Field(Shade.PALE, title="Shade")
    side: Literal["left", "right"] = "right"
    loud: bool = Field(False, title="Loud")
    seed_words: tuple[str, ...] = ()
    levels: dict[str, tuple[int, int]] = Field(default_factory=dict)
    ceiling: int | None = Field(None, ge=1)
    note: str = ""
    extra: dict[int, list[int]] | None = None

    @model_validator(mode="after")
    def bounded(self) -> Painting:
        if self.ceiling is not None and self.ceiling < self.base:
            raise ValueError("the ceiling must not be below the base")
        return self


COLUMNS = [
    ColumnChoice("age", Kind.INTEGER, Role.QUASI_IDENTIFIER),
    ColumnChoice("ZIP: code", Kind.TEXT, Role.QUASI_IDENTIFIER),
    ColumnChoice("income", Kind.DECIMAL, Role.SENSITIVE),
    ColumnChoice("free text", Kind.TEXT, Role.OTHER),
]

EXAMPLES: list[dict[str, Any]] = [
    {"column": "age"},
    {
        "column": "income",
        "others": ["age", "ZIP: code"],
        "base": 10,
        "share": 0.25,
        "budget": "0.000001",
        "shade": "deep-blue",
        "side": "left",
        "loud": True,
        "seed_words": ["näive", "two words"],
        "levels": {"age": [1, 3], "ZIP: code": [0, 2]},
        "ceiling": 12,
        "note": "x",
        "extra": {"1": [2, 3]},
    },
]


def send(**values: Any) -> dict[str, Any]:
    """What a browser would send for these values."""
    blank = form_class(Painting, COLUMNS)(prefix="p")
    start = {bound.html_name: bound.value() for bound in blank}
    sent = {**start, **{f"p-{name}": value for name, value in values.items()}}
    return {name: value for name, value in sent.items() if value not in (None, False)}


@pytest.mark.parametrize("params", EXAMPLES)
def test_what_a_recipe_holds_comes_back_from_its_form_unchanged(params: dict[str, Any]) -> None:
    shown = filled_form(Painting, COLUMNS, params, "p")
    sent = {bound.html_name: bound.value() for bound in shown if bound.value() not in (None, False)}
    form = bound_form(Painting, COLUMNS, sent, "p")
    assert form.is_valid(), form.errors
    assert form.as_params() == Painting.model_validate(params).model_dump(mode="json")


def test_pickers_offer_only_columns_that_suit() -> None:
    form = form_class(Painting, COLUMNS)()
    one, several = form.fields["column"], form.fields["others"]
    assert isinstance(one, forms.ChoiceField)
    assert isinstance(several, forms.ChoiceField)
    assert [value for value, _ in one.choices] == ["", "age", "income"]
    assert [value for value, _ in several.choices] == ["age", "ZIP: code"]


def test_a_column_that_does_not_suit_is_refused_without_repeating_it() -> None:
    form = bound_form(Painting, COLUMNS, send(column="free text"), "p")
    assert not form.is_valid()
    assert list(form.errors) == ["column"]
    assert "free text" not in str(form.errors["column"])


@pytest.mark.parametrize(
    ("name", "value", "says"),
    [
        ("base", "1", "greater than or equal to 2"),
        ("base", "many", "whole number"),
        ("share", "0", "greater than 0"),
        ("budget", "0.0000001", "6 decimal places"),
        ("budget", "NaN", "number"),
        ("share", "inf", "number"),
        ("levels", "age 1", "Line 1"),
        ("levels", "age: 1", "levels"),
        ("extra", "{", "valid JSON"),
        ("side", "up", "values offered"),
    ],
)
def test_each_complaint_stands_on_its_field(name: str, value: str, says: str) -> None:
    form = bound_form(Painting, COLUMNS, send(column="age", **{name: value}), "p")
    assert not form.is_valid()
    assert list(form.errors) == [name]
    if says != "levels":
        assert says in str(form.errors[name])


def test_a_complaint_about_the_whole_stands_above_the_form() -> None:
    form = bound_form(Painting, COLUMNS, send(column="age", base="10", ceiling="3"), "p")
    assert form.non_field_errors() == ["The ceiling must not be below the base."]


def test_an_empty_answer_means_the_default_only_where_the_default_is_empty() -> None:
    form = bound_form(Painting, COLUMNS, send(column="age", ceiling="", note="", levels=""), "p")
    assert form.is_valid(), form.errors
    assert form.as_params()["ceiling"] is None
    form = bound_form(Painting, COLUMNS, send(column="age", base=""), "p")
    assert list(form.errors) == ["base"]


def test_label_help_and_bounds_come_from_the_parameter() -> None:
    form = form_class(Painting, COLUMNS)()
    assert form.fields["base"].label == "Base (units)"
    assert form.fields["column"].help_text == "What to paint."
    attrs = form.fields["base"].widget.attrs
    assert (attrs["min"], attrs["max"]) == (2, 1000)
    assert form.fields["shade"].choices == [("pale", "Pale"), ("deep-blue", "Deep blue")]  # type: ignore[attr-defined]


def test_what_a_run_says_about_a_parameter_stands_on_that_field() -> None:
    form = bound_form(Painting, COLUMNS, send(column="age"), "p")
    form.mark("base", "The base is larger than every value.")
    form.mark("gone", "Something else.")
    assert form.errors["base"] == ["The base is larger than every value."]
    assert form.non_field_errors() == ["Something else."]
