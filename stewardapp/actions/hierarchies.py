"""Making hierarchies and attaching them to columns."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.db import IntegrityError, transaction

from stewardapp.access.rules import may_edit_hierarchies, may_tag
from stewardapp.access.verdict import Conflict, Invalid, require
from stewardapp.actions import audit
from stewardapp.actions.action import action, locked
from stewardapp.actions.contributions import shape
from stewardapp.actions.text import required
from stewardapp.models import Column, Hierarchy, Project, User, Version

BUILDERS = ("interval", "order", "mask", "date", "tree")


@action
def create(
    *,
    project: Project,
    name: str,
    spec: dict[str, Any] | None = None,
    lines: str = "",
    levels: int = 0,
    by: User,
) -> Hierarchy:
    """Make a hierarchy from a builder (`spec`) or from the lines of a table, never from both."""
    require(may_edit_hierarchies(project.person(by)))
    hierarchy = Hierarchy(
        project=project,
        name=required(name, "name", 120),
        spec=spec or {},
        lines=lines,
        levels=levels,
        made_by=by,
    )
    _check(hierarchy)
    try:
        with transaction.atomic():
            hierarchy.save()
    except IntegrityError:
        reason = "Another hierarchy of this project has this name; choose a different one."
        raise Invalid("name-taken", reason, "name") from None
    audit.record("hierarchy.created", hierarchy, by=by, project=project)
    return hierarchy


def _check(hierarchy: Hierarchy) -> None:
    if bool(hierarchy.spec) == bool(hierarchy.lines.strip()):
        raise Invalid("one-source", "Give either a builder or the lines of a table.", "spec")
    if hierarchy.spec and hierarchy.spec.get("builder") not in BUILDERS:
        raise Invalid("unknown-builder", f"The builder must be one of {', '.join(BUILDERS)}.", "spec")


@action
def attach(*, column: Column, hierarchy: Hierarchy, by: User) -> Column:
    """Let a column generalize along a hierarchy of the same project."""
    version = locked(column.version)
    require(may_tag(version.project.person(by), version.facts()))
    if hierarchy.project_id != version.project.pk:
        raise Invalid("other-project", "This hierarchy belongs to another project.", "hierarchy")
    _set(column, hierarchy)
    shape(version, by)
    details = {"column": column.name, "hierarchy": str(hierarchy.pk)}
    audit.record("hierarchy.attached", column, by=by, project=version.project, details=details)
    return column


@action
def reuse(*, version: Version, hierarchies: Mapping[str, Hierarchy], by: User) -> list[Column]:
    """Attach hierarchies that the project has already, by the names of columns that have none yet."""
    version = locked(version)
    require(may_tag(version.project.person(by), version.facts()))
    free = version.columns.filter(hierarchy=None, name__in=hierarchies)
    chosen = [column for column in free if hierarchies[column.name].project_id == version.project.pk]
    for column in chosen:
        column.hierarchy = hierarchies[column.name]
    Column.objects.bulk_update(chosen, ["hierarchy"], batch_size=500)
    shape(version, by)
    details = {column.name: str(column.hierarchy_id) for column in chosen}
    audit.record("hierarchies.reused", version, by=by, project=version.project, details=details)
    return chosen


@action
def detach(*, column: Column, by: User) -> Column:
    """Let a column have only two levels again: kept, or `*`."""
    version = locked(column.version)
    require(may_tag(version.project.person(by), version.facts()))
    if column.hierarchy_id is None:
        raise Conflict("not-attached", "This column has no hierarchy.")
    _set(column, None)
    shape(version, by)
    details = {"column": column.name}
    audit.record("hierarchy.detached", column, by=by, project=version.project, details=details)
    return column


def _set(column: Column, hierarchy: Hierarchy | None) -> None:
    Column.objects.filter(pk=column.pk).update(hierarchy=hierarchy)
    column.refresh_from_db()
