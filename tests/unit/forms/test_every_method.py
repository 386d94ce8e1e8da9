"""Every registered method and goal has a form that gives back each of its examples."""

from __future__ import annotations

from typing import Any

import pytest

from stewardapp.forms.method_form import bound_form, filled_form
from stewardapp.forms.parameter_fields import ColumnChoice
from stewardapp.forms.presets import presets
from stewardapp.forms.recipe_form import LISTS, NAMES, RecipeForm, contract_of, listed_in
from stewardapp.presenters import method_pages
from stewardapp.presenters.recipes import sentence
from worker.engine import catalogue
from worker.engine.tables.kinds import Kind, Role

CONTRACTS: list[Any] = [
    *catalogue.methods().values(),
    *catalogue.goals().values(),
    *catalogue.measures().values(),
]
PAGES = [(kind, slug) for kind, (_, _, listed) in method_pages.KINDS.items() for slug in listed()]


def columns_for(example: Any) -> list[ColumnChoice]:
    """The columns an example names, of a kind and role that suit it."""
    found = []
    for _, name, wanted in example.named_columns():
        kind = min(wanted.kinds) if wanted.kinds else Kind.TEXT
        role = min(wanted.roles) if wanted.roles else Role.OTHER
        found.append(ColumnChoice(name, kind, role))
    return found


@pytest.mark.parametrize("contract", CONTRACTS, ids=lambda contract: contract.slug)
def test_every_example_comes_back_unchanged(contract: Any) -> None:
    for example in contract.examples():
        columns = columns_for(example)
        shown = filled_form(contract, columns, example.params(), "p")
        sent = {
            one.html_name: one.value()
            for one in shown
            if one.value() is not None and one.value() is not False
        }
        form = bound_form(contract, columns, sent, "p")
        assert form.is_valid(), form.errors
        assert form.parameters == example


@pytest.mark.parametrize(("kind", "slug"), PAGES)
def test_everything_registered_has_its_page(kind: str, slug: str) -> None:
    entry = method_pages.find(kind, slug)
    assert entry is not None
    assert entry.summary
    assert entry.title
    assert len(entry.parameters) == len(method_pages.KINDS[kind][2]()[slug].parameters())


def test_what_is_not_registered_has_none() -> None:
    assert method_pages.find("methods", "nothing-like-it") is None
    assert method_pages.find("elsewhere", "rounding") is None


@pytest.mark.parametrize("preset", presets(), ids=lambda preset: preset.slug)
def test_every_preset_is_a_valid_recipe(preset: Any) -> None:
    columns = [
        ColumnChoice("age", Kind.INTEGER, Role.QUASI_IDENTIFIER),
        ColumnChoice("illness", Kind.TEXT, Role.SENSITIVE, counted=True),
        ColumnChoice("income", Kind.DECIMAL, Role.SENSITIVE),
    ]
    recipe = preset.recipe(columns)
    assert list(recipe) == list(LISTS.values())
    for part in LISTS:
        for entry in listed_in(recipe, part):
            contract = contract_of(part, entry[NAMES[part]])
            assert contract is not None
            contract.model_validate(entry.get("params", {}))
            assert "not " not in sentence(part, entry)[-30:]
    assert len(RecipeForm.stored(recipe, columns).goals) == len(recipe["goals"])
