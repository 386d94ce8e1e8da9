"""The recipe of a release, put together from its settings and its version's columns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from worker.engine.fields import Role

if TYPE_CHECKING:
    from stewardapp.models.column import Column
    from stewardapp.models.release import Release


def recipe_of(release: Release) -> dict[str, Any]:
    """A complete recipe; a column nobody tagged is not named and so is dropped."""
    columns = release.version.columns.tagged().select_related("hierarchy")
    draft = release.recipe
    asked = {"formats": draft["formats"]} if draft.get("formats") else {}
    return asked | {
        "version": 1,
        "columns": {column.name: column_of(column) for column in columns},
        "goals": draft.get("goals", []),
        "steps": draft.get("steps", []),
        "measures": draft.get("measures", ["*"]),
    }


def column_of(column: Column) -> dict[str, Any]:
    """One column as a recipe names it."""
    entry: dict[str, Any] = {"role": column.role, "kind": column.kind, **column.settings}
    if column.release_weight and column.role == Role.WEIGHT:
        entry["release"] = True
    if column.hierarchy is not None:
        entry["hierarchy"] = column.hierarchy.as_recipe()
    return entry
