"""Is a recipe complete enough to run? Asked of the engine, which alone knows its methods."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator

from stewardapp.access.verdict import Invalid
from stewardapp.domain.brought import NO_FILE, UPLOADED
from stewardapp.domain.demands import lacking
from stewardapp.domain.recipe import populations_named
from stewardapp.models import Policy, Reading, Release, Version
from worker.engine.contracts.parametric import Parametric
from worker.engine.errors import EngineError
from worker.engine.recipes.document import RecipeJson
from worker.engine.tables.kinds import Role

NO_POPULATION = "Choose a population file: a version of this project whose data still exist."


def checked(recipe: RecipeJson) -> tuple[RecipeJson, str]:
    """The recipe as the engine spells it and its hash, or Invalid with the place and how to mend it."""
    from worker.engine.recipes.recipe import Recipe, impossible

    try:
        parsed = Recipe.parse(recipe)
    except EngineError as error:
        raise Invalid(error.code, error.sentence, error.param or "recipe") from None
    for at, wrong in impossible(parsed.steps, parsed.goals, parsed.schema, parsed.declarations({})):
        raise Invalid(wrong.code, wrong.sentence, f"steps[{at}].params.{wrong.param or ''}")
    spelled: RecipeJson = json.loads(parsed.canonical_json())
    return spelled, parsed.sha256()


def measured_for(policy: Policy, draft: RecipeJson) -> tuple[RecipeJson, str]:
    """The recipe and its hash, with every measure that the policy needs to judge what comes of it."""
    from worker.engine.recipes.recipe import Recipe

    recipe, sha256 = checked(draft)
    parsed = Recipe.parse(recipe)
    besides = [] if parsed.tabulates else lacking(parsed.measures, policy)
    if not besides:
        return recipe, sha256
    return checked({**recipe, "measures": [*recipe.get("measures", ["*"]), *besides]})


def populations_of(release: Release, recipe: RecipeJson, *, uploaded: bool = False) -> list[Reading]:
    """What its goals and measures compare the data with, as it is read now; refused at a part that cannot
    have it. What was `uploaded` for measures alone has no reading."""
    from worker.engine.recipes.recipe import Recipe

    parsed = Recipe.parse(recipe)
    quasi = [name for name, part in parsed.columns.items() if part.role is Role.QUASI_IDENTIFIER]
    usable = {str(one.pk): one for one in populations_named(release.version, recipe)}
    goals, measures = enumerate(parsed.goals), parsed.asked_measures
    found = {path: _usable(usable.get(path), quasi, where) for where, path in _files("goals", goals)}
    if not parsed.tabulates:
        for where, path in _files("measures", measures):
            if path == UPLOADED and uploaded:
                continue
            if path == UPLOADED:
                raise Invalid("no-file", NO_FILE, where)
            found.setdefault(path, _usable(usable.get(path), [], where))
    return list(found.values())


def _files(part: str, listed: Iterable[tuple[int, Parametric]]) -> Iterator[tuple[str, str]]:
    """The place and the name of every file that parts of a recipe name."""
    for at, one in listed:
        for param, path in one.auxiliary_files():
            yield f"{part}[{at}].params.{param}", path


def _usable(version: Version | None, columns: list[str], where: str) -> Reading:
    if version is None or version.current is None:
        raise Invalid("no-population", NO_POPULATION, where)
    lacking = set(columns).difference(version.columns.values_list("name", flat=True))
    if lacking:
        text = f"The population file has no column {min(lacking)!r}; it needs every quasi-identifier."
        raise Invalid("population-column", text, where)
    return version.current
