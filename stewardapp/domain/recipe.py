"""The recipe of a release, put together from its settings and its version's columns."""

from __future__ import annotations

import uuid
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any, cast

from django.db.models import QuerySet

from stewardapp.domain.unknown import why
from stewardapp.models.prepared import prepared
from worker.engine import catalogue
from worker.engine.errors import EngineError
from worker.engine.recipes.document import ColumnEntry, RecipeJson
from worker.engine.tables.kinds import Kind, Role

if TYPE_CHECKING:
    from stewardapp.models.column import Column
    from stewardapp.models.release import Release
    from stewardapp.models.version import Version, VersionQuerySet
    from worker.engine.contracts.method import Method

KEPT = ("role", "kind", "bounds", "bin_width", "categories", "granted", "provenance")
BESIDE = (Role.PERSON_KEY, Role.CONSENT)
"""Columns no question names and every answer heeds."""


def recipe_of(release: Release, columns: Iterable[Column] | None = None) -> RecipeJson:
    """A complete recipe of the tagged columns; a column nobody tagged is not named and so is dropped."""
    if columns is None:
        columns = _tagged(release.version_id)
    draft: RecipeJson = release.recipe
    counted = tabulates(draft)
    made: RecipeJson = {
        "version": 1,
        "columns": {column.name: column_of(column, guessed=not counted) for column in columns},
        "goals": draft.get("goals", []),
        "steps": draft.get("steps", []),
        "measures": draft.get("measures", ["*"]),
    }
    if draft.get("formats"):
        made["formats"] = draft["formats"]
    return made


@prepared
def _tagged(version: uuid.UUID) -> QuerySet[Column]:
    from stewardapp.models.column import Column

    return Column.objects.filter(version=version).tagged().select_related("hierarchy")


def tabulates(draft: RecipeJson) -> bool:
    """Whether a step makes a table with differential privacy."""
    known = catalogue.methods()
    slugs = (step.get("method") for step in draft.get("steps", ()))
    return any(slug in known and known[slug].tabulates for slug in slugs)


def guessed_kinds(columns: Iterable[Column], steps: Iterable[Method]) -> list[Column]:
    """The columns that steps with differential privacy name and whose kind nobody confirmed. Text is what
    every other one is to such a step, so that a guess of text asks for nothing."""
    named = {name for step in steps if step.tabulates for _, name, _ in step.named_columns()}
    if not named:
        return []
    guessed = (one for one in columns if one.role and not one.kind_confirmed and one.kind != Kind.TEXT)
    return [one for one in guessed if one.name in named]


def needs_kind(column: Column) -> bool:
    """Whether such a step counts it by its bounds, which mean nothing without a kind."""
    return "bounds" in column.settings


def column_of(column: Column, *, guessed: bool = True) -> ColumnEntry:
    """One column as a recipe names it; without a kind that was only guessed where that may decide nothing."""
    entry = cast(ColumnEntry, {"role": column.role, **column.settings})
    if guessed or column.kind_confirmed:
        entry["kind"] = column.kind
    if column.release_weight and column.role == Role.WEIGHT:
        entry["release"] = True
    if reason := why(column):
        entry |= {"known": "no", "why": reason}
    if column.hierarchy is not None:
        entry["hierarchy"] = column.hierarchy.as_recipe()
    return entry


def declared_of(version: Version, names: Collection[str]) -> dict[str, ColumnEntry]:
    """What is declared now of these columns and of those every answer heeds."""
    tagged = {column.name: column_of(column, guessed=False) for column in version.columns.tagged()}
    chosen = {name: part for name, part in tagged.items() if name in names or part["role"] in BESIDE}
    return {name: _kept(part) for name, part in chosen.items()}


def _kept(part: ColumnEntry) -> ColumnEntry:
    return cast(ColumnEntry, {name: value for name, value in part.items() if name in KEPT})


def dictionary_of(version: Version) -> dict[str, dict[str, Any]]:
    """What a codebook says of the tagged columns and a recipe does not."""
    return {
        column.name: {"label": column.label, "randomized": column.randomized}
        for column in version.columns.tagged()
        if column.label or column.randomized
    }


def populations_named(version: Version, draft: RecipeJson) -> VersionQuerySet:
    """The versions a draft, finished or not, compares this one with: goals and measures name them by ids.

    Nothing is measured of a table with noise.
    """
    measures = [] if tabulates(draft) else draft.get("measures", [])
    return version.usable_as_population().filter(pk__in={*_ids(draft.get("goals", [])), *_ids(measures)})


def _ids(part: Any) -> Iterator[uuid.UUID]:
    """Everything in it that reads like an id, whichever part calls it what."""
    if isinstance(part, str):
        with suppress(ValueError):
            yield uuid.UUID(part)
    elif isinstance(part, Mapping | list):
        for one in part.values() if isinstance(part, Mapping) else part:
            yield from _ids(one)


def methods_of(draft: RecipeJson) -> Iterator[tuple[int, Method]]:
    """The steps by their numbers; what is no step yet is left out, because it cannot run."""
    for number, part in enumerate(draft.get("steps", ())):
        with suppress(EngineError):
            yield number, catalogue.method(part.get("method", "")).of(part.get("params", {}))


def needs_project_key(draft: RecipeJson) -> bool:
    """Whether a step computes under the key of the project."""
    return any(method.needs_project_key() for _, method in methods_of(draft))
