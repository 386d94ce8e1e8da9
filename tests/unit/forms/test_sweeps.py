"""The form of a sweep: lists, ranges and ticked choices become a grid; complaints stand on their field."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest
from django.http import QueryDict

from stewardapp.access.verdict import Invalid
from stewardapp.domain.sweeping import dials
from stewardapp.forms.sweeps import SweepForm, numbers
from tests.factories import RECIPE


def form(recipe: Any = RECIPE, **sent: Any) -> SweepForm:
    data = QueryDict(mutable=True)
    for name, value in sent.items():
        data.setlist(name.replace("__", "-"), value if isinstance(value, list) else [value])
    return SweepForm(data, dials=[*dials(recipe)])


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("3, 5,10", [3, 5, 10]),
        ("3;5 10 5", [3, 5, 10]),
        ("2 to 10 step 4", [2, 6, 10]),
        ("2 to 4", [2, 3, 4]),
        ("0.1 – 0.3 by 0.1", ["0.1", "0.2", "0.3"]),
        ("1..2 step 0.4", [1, "1.4", "1.8"]),
        ("-1 to 1", [-1, 0, 1]),
        ("1e-6", ["0.000001"]),
    ],
)
def test_lists_and_ranges(text: str, found: list[Any]) -> None:
    assert numbers(text) == [Decimal(one) for one in found]


@pytest.mark.parametrize(
    "text", ["many", "1 to", "5 to 3", "1 to 3 step 0", "0 to 1000", "1e999999999", "nan", "0 to 1 step 1e-9"]
)
def test_what_is_no_list_of_numbers_is_refused(text: str) -> None:
    with pytest.raises(Invalid):
        numbers(text)


def test_what_is_filled_in_is_varied() -> None:
    filled = form(goals__0__k="3 to 9 step 3", steps__0__suppression_limit="0.1 0.2")
    assert filled.is_valid()
    assert filled.runs == 6
    told = {one.param: one.values for one in filled.entries}
    assert told == {"k": (3, 6, 9), "suppression_limit": (0.1, 0.2)}
    assert not filled.agreed
    assert form(goals__0__k="3 5", counted="2").is_valid()


def test_it_begins_only_with_the_number_that_was_shown() -> None:
    for counted, agreed in (("", False), ("3", False), ("2", True)):
        filled = form(goals__0__k="3 5", counted=counted)
        assert filled.is_valid()
        assert filled.agreed is agreed


def test_choices_are_ticked() -> None:
    key, dial = next((one.key, one) for one in dials(RECIPE) if one.parameter.choices)
    values = [value for value, _ in dial.parameter.choices][:2]
    filled = form(**{key: values})
    assert filled.is_valid(), filled.errors
    assert filled.entries[0].values == tuple(values)
    assert not form(**{key: ["no such"]}).is_valid()


@pytest.mark.parametrize("text", ["0, 5", "2.5, 5", "a b"])
def test_a_wrong_value_stands_on_its_field(text: str) -> None:
    filled = form(goals__0__k=text)
    assert not filled.is_valid()
    assert list(filled.errors) == ["goals-0-k"]


def test_nothing_and_too_much_are_refused() -> None:
    assert form().non_field_errors()
    assert form(goals__0__k="5").non_field_errors()
    assert form(goals__0__k="2 to 51", steps__0__suppression_limit="0.1 0.2").non_field_errors()


def test_fields_stand_under_their_goal_or_step() -> None:
    titles = [title for title, _ in form().grouped()]
    assert titles[0].startswith("Goal 1: ")
    assert titles[1].startswith("Step 1: ")
