"""The recipe of a release, put together from its settings and its version's columns."""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from worker.engine import catalogue
from worker.engine.errors import EngineError
from worker.engine.fields import Role

if TYPE_CHECKING:
    from stewardapp.models.column import Column
    from stewardapp.models.release import Release
    from stewardapp.models.version import Version, VersionQuerySet
    from worker.engine.method import Method


def recipe_of(release: Release) -> dict[str, Any]:
    """A complete recipe; a column nobody tagged is not named and so is dropped."""
    columns = release.version.columns.tagged().select_related("hierarchy")
    draft = release.recipe
    counted = tabulates(draft)
    asked = {"formats": draft["formats"]} if draft.get("formats") else {}
    return asked | {
        "version": 1,
        "columns": {column.name: column_of(column, guessed=not counted) for column in columns},
        "goals": draft.get("goals", []),
        "steps": draft.get("steps", []),
        "measures": draft.get("measures", ["*"]),
    }


def tabulates(draft: Mapping[str, Any]) -> bool:
    """Whether a step makes a table with differential privacy."""
    known = catalogue.methods()
    slugs = (step.get("method") for step in draft.get("steps", ()))
    return any(slug in known and known[slug].tabulates for slug in slugs)


def column_of(column: Column, *, guessed: bool = True) -> dict[str, Any]:
    """One column as a recipe names it; without a kind that was only guessed where that may decide nothing."""
    entry: dict[str, Any] = {"role": column.role, **column.settings}
    if guessed or column.kind_confirmed:
        entry["kind"] = column.kind
    if column.release_weight and column.role == Role.WEIGHT:
        entry["release"] = True
    if column.hierarchy is not None:
        entry["hierarchy"] = column.hierarchy.as_recipe()
    return entry


def dictionary_of(version: Version) -> dict[str, dict[str, Any]]:
    """What a codebook says of the tagged columns and a recipe does not."""
    return {
        column.name: {"label": column.label, "randomized": column.randomized}
        for column in version.columns.tagged()
        if column.label or column.randomized
    }


def populations_named(version: Version, draft: Mapping[str, Any]) -> VersionQuerySet:
    """The versions a draft, finished or not, compares this one with: its goals name them by their ids."""
    return version.usable_as_population().filter(pk__in=set(_ids(draft.get("goals", []))))


def _ids(part: Any) -> Iterator[uuid.UUID]:
    """Everything in it that reads like an id, whichever goal calls it what."""
    if isinstance(part, str):
        with suppress(ValueError):
            yield uuid.UUID(part)
    elif isinstance(part, Mapping | list):
        for one in part.values() if isinstance(part, Mapping) else part:
            yield from _ids(one)


def methods_of(draft: Mapping[str, Any]) -> Iterator[tuple[int, Method]]:
    """The steps by their numbers; what is no step yet is left out, because it cannot run."""
    for number, part in enumerate(draft.get("steps", ())):
        with suppress(EngineError):
            yield number, catalogue.method(part.get("method", "")).of(part.get("params", {}))


def needs_project_key(draft: Mapping[str, Any]) -> bool:
    """Whether a step computes under the key of the project."""
    return any(method.needs_project_key() for _, method in methods_of(draft))
