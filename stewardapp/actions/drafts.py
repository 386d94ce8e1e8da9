"""Is a recipe complete enough to run? Asked of the engine, which alone knows its methods."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from stewardapp.access.verdict import Invalid
from stewardapp.models import Reading, Release, Version
from stewardapp.models.drafting import populations_named
from worker.engine.errors import EngineError
from worker.engine.fields import Role

NO_POPULATION = "Choose a population file: a version of this project whose data still exist."


def checked(recipe: dict[str, Any]) -> tuple[dict[str, Any], str]:
    """The recipe as the engine spells it and its hash, or Invalid with the place and how to mend it."""
    from worker.engine.recipe import Recipe, impossible

    try:
        parsed = Recipe.parse(recipe)
    except EngineError as error:
        raise Invalid(error.code, error.sentence, error.param or "recipe") from None
    for at, wrong in impossible(parsed.steps, parsed.goals, parsed.schema, parsed.declarations({})):
        raise Invalid(wrong.code, wrong.sentence, f"steps[{at}].params.{wrong.param or ''}")
    spelled: dict[str, Any] = json.loads(parsed.canonical_json())
    return spelled, parsed.sha256()


def hold(release: Release, draft: Mapping[str, Any]) -> None:
    """Until this transaction ends, no other reading of what the draft works on takes the place of these."""
    of_draft = {release.version_id, *populations_named(release.version, draft).values_list("pk", flat=True)}
    list(Version.objects.select_for_update(no_key=True).filter(pk__in=of_draft).order_by("pk"))


def populations_of(release: Release, recipe: dict[str, Any]) -> list[Reading]:
    """What its goals compare the data with, as it is read now; refused at a goal that cannot have it."""
    from worker.engine.recipe import Recipe

    parsed = Recipe.parse(recipe)
    named = {goal.population_file: at for at, goal in enumerate(parsed.goals) if goal.population_file}
    quasi = [name for name, part in parsed.columns.items() if part.role is Role.QUASI_IDENTIFIER]
    usable = {str(one.pk): one for one in populations_named(release.version, recipe)}
    return [_usable(usable.get(name), quasi, at) for name, at in named.items()]


def _usable(version: Version | None, columns: list[str], at: int) -> Reading:
    where = f"goals[{at}].params.population"
    if version is None or version.current is None:
        raise Invalid("no-population", NO_POPULATION, where)
    lacking = set(columns).difference(version.columns.values_list("name", flat=True))
    if lacking:
        text = f"The population file has no column {min(lacking)!r}; it needs every quasi-identifier."
        raise Invalid("population-column", text, where)
    return version.current
