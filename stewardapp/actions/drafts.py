"""Is a recipe complete enough to run? Asked of the engine, which alone knows its methods."""

from __future__ import annotations

import json
from typing import Any

from stewardapp.access.verdict import Invalid
from stewardapp.models import Release, Version
from worker.engine.errors import EngineError
from worker.engine.fields import Role

NO_POPULATION = "Choose a population file: a version of this project whose data still exist."


def checked(recipe: dict[str, Any]) -> tuple[dict[str, Any], str]:
    """The recipe as the engine spells it and its hash, or Invalid with the place and how to mend it."""
    from worker.engine.recipe import Recipe

    try:
        parsed = Recipe.parse(recipe)
    except EngineError as error:
        raise Invalid(error.code, error.message, error.param or "recipe") from None
    spelled: dict[str, Any] = json.loads(parsed.canonical_json())
    return spelled, parsed.sha256()


def populations_of(release: Release, recipe: dict[str, Any]) -> list[Version]:
    """The versions its goals compare the data with; refused at the goal when one cannot be had."""
    from worker.engine.recipe import Recipe

    parsed = Recipe.parse(recipe)
    named = {goal.population_file: at for at, goal in enumerate(parsed.goals) if goal.population_file}
    quasi = [name for name, part in parsed.columns.items() if part.role is Role.QUASI_IDENTIFIER]
    usable = {str(one.pk): one for one in release.version.usable_as_population()} if named else {}
    return [_usable(usable.get(name), quasi, at) for name, at in named.items()]


def _usable(version: Version | None, columns: list[str], at: int) -> Version:
    where = f"goals[{at}].params.population"
    if version is None:
        raise Invalid("no-population", NO_POPULATION, where)
    lacking = set(columns).difference(version.columns.values_list("name", flat=True))
    if lacking:
        text = f"The population file has no column {min(lacking)!r}; it needs every quasi-identifier."
        raise Invalid("population-column", text, where)
    return version


def needs_project_key(recipe: dict[str, Any]) -> bool:
    """Whether a step of a checked recipe computes under the key of the project."""
    from worker.engine.recipe import Recipe

    return any(step.needs_project_key() for step in Recipe.parse(recipe).steps)
