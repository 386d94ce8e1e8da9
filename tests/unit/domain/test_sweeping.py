"""The grid of a sweep: what can be varied, which drafts that makes, what is refused before anything runs."""

from __future__ import annotations

from typing import Any

import pytest

from stewardapp.access.verdict import Invalid
from stewardapp.domain.sweeping import Varied, dials, grid, key_at, spelled

DRAFT: Any = {
    "goals": [{"goal": "k-anonymity", "params": {"k": 5}}],
    "steps": [
        {"method": "generalization", "params": {"suppression_limit": 0.1}},
        {"method": "gone", "params": {"k": 3}},
    ],
}
K = Varied("goals", 0, "k", (3, 5, 10))
LIMIT = Varied("steps", 0, "suppression_limit", (0.0, 0.5))


def refused(varied: list[Varied]) -> Invalid:
    with pytest.raises(Invalid) as refusal:
        spelled(DRAFT, varied)
    return refusal.value


def test_numbers_and_choices_of_goals_and_steps_can_be_varied() -> None:
    found = {dial.key: dial for dial in dials(DRAFT)}
    assert found["goals-0-k"].now == 5
    assert found["steps-0-suppression_limit"].now == 0.1
    assert not any(key.startswith("steps-1") for key in found)
    types = {dial.parameter.type for dial in found.values()}
    assert "choice" in types
    assert types <= {"integer", "number", "decimal", "choice"}


def test_a_grid_is_every_combination_and_leaves_the_draft_alone() -> None:
    made = list(grid(DRAFT, [K, LIMIT]))
    tried = [(K.found_in(one), LIMIT.found_in(one)) for one in made]
    assert tried == [(3, 0.0), (3, 0.5), (5, 0.0), (5, 0.5), (10, 0.0), (10, 0.5)]
    assert DRAFT["goals"][0]["params"] == {"k": 5}
    assert all(one["steps"][1] == DRAFT["steps"][1] for one in made)


def test_an_entry_without_parameters_gets_some() -> None:
    bare: Any = {"goals": [{"goal": "k-anonymity"}]}
    assert [K.found_in(one) for one in grid(bare, [K])] == [3, 5, 10]


def test_values_are_kept_as_recipes_say_them_and_once() -> None:
    (kept,) = spelled(DRAFT, [Varied("goals", 0, "k", ("3", 3, 4))])
    assert kept.values == (3, 4)
    assert Varied.of(kept.as_json()) == kept


@pytest.mark.parametrize("value", [0, -1, "many", 2.5, True])
def test_a_value_the_form_would_refuse_is_refused_at_its_field(value: Any) -> None:
    refusal = refused([Varied("goals", 0, "k", (5, value))])
    assert (refusal.code, refusal.param) == ("bad-parameter", "goals-0-k")


@pytest.mark.parametrize(
    ("varied", "code"),
    [
        ([], "parameters"),
        ([Varied("goals", 0, "k", (5,))], "runs"),
        ([Varied("goals", 0, "k", tuple(range(2, 53)))], "runs"),
        ([K, K], "twice"),
        ([Varied("goals", 0, "k", ())], "no-values"),
        ([Varied("goals", 1, "k", (3, 5))], "no-parameter"),
        ([Varied("steps", 1, "k", (3, 5))], "no-parameter"),
        ([Varied("measures", 0, "k", (3, 5))], "no-parameter"),
    ],
)
def test_what_is_no_grid_is_refused(varied: list[Varied], code: str) -> None:
    assert refused(varied).code == code


def test_fifty_runs_are_not_too_many() -> None:
    assert len(list(grid(DRAFT, spelled(DRAFT, [Varied("goals", 0, "k", tuple(range(2, 52)))])))) == 50


def test_a_place_of_a_recipe_is_a_field_of_the_form() -> None:
    assert key_at("steps[2].params.limit") == "steps-2-limit"
    assert key_at("recipe") == ""
