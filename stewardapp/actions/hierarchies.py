"""Making hierarchies and attaching them to columns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from django.db import IntegrityError, transaction

from stewardapp.access.rules import may_edit_hierarchies, may_tag
from stewardapp.access.verdict import Conflict, Invalid, require
from stewardapp.actions import audit
from stewardapp.actions.action import action, locked
from stewardapp.actions.classifications import classification_key, kept, seal_for_project
from stewardapp.actions.contributions import shape
from stewardapp.domain.text import required
from stewardapp.models import Column, Hierarchy, Project, User, Version

NOT_KEPT = (
    "This hierarchy was made for another version and goes with it. "
    "Keep it as the project's classification first."
)
BUILDERS = ("interval", "order", "mask", "date", "tree")


@dataclass(frozen=True)
class Table:
    """The lines of a hierarchy that somebody brought, and how many levels they have."""

    lines: str
    levels: int


@action
def create(
    *,
    project: Project,
    version: Version | None = None,
    name: str,
    spec: Mapping[str, object] | None = None,
    lines: str = "",
    levels: int = 0,
    by: User,
) -> Hierarchy:
    """Make a hierarchy from a builder (`spec`) or from the lines of a table, never from both.

    Made for a version it goes when that is destroyed; made for none it is the project's classification.
    """
    require(may_edit_hierarchies(project.person(by)))
    key = classification_key(project) if version is None else version.key
    hierarchy = Hierarchy(
        project=project,
        key=key,
        name=required(name, "name", 120),
        levels=levels,
        made_by=by,
    ).saying(spec=spec or {}, lines=lines.strip() and lines)
    _check(hierarchy)
    audit.record("hierarchy.created", _saved(hierarchy), by=by, project=project)
    return hierarchy


def _saved(hierarchy: Hierarchy) -> Hierarchy:
    try:
        with transaction.atomic():
            hierarchy.save()
    except IntegrityError:
        reason = "Another hierarchy of this project has this name; choose a different one."
        raise Invalid("name-taken", reason, "name") from None
    return hierarchy


def _check(hierarchy: Hierarchy) -> None:
    if bool(hierarchy.spec) == bool(hierarchy.lines.strip()):
        raise Invalid("one-source", "Give either a builder or the lines of a table.", "spec")
    if hierarchy.spec and hierarchy.spec.get("builder") not in BUILDERS:
        raise Invalid("unknown-builder", f"The builder must be one of {', '.join(BUILDERS)}.", "spec")


@action
def bring(*, version: Version, tables: Mapping[str, Table], by: User) -> list[Column]:
    """Make a hierarchy of each table and attach it to the column of that name: all of them, or none."""
    version = locked(version)
    person = version.project.person(by)
    require(may_edit_hierarchies(person))
    require(may_tag(person, version.facts()))
    columns = list(version.columns.filter(name__in=tables))
    if not tables or len(columns) < len(tables):
        raise Invalid("unknown-column", "This version has no column of this name.", "column")
    for column in columns:
        column.hierarchy = _brought(version, column, tables[column.name], by)
    Column.objects.bulk_update(columns, ["hierarchy"], batch_size=500)
    shape(version, by)
    details = {column.name: str(column.hierarchy_id) for column in columns}
    audit.record("hierarchies.imported", version, by=by, project=version.project, details=details)
    return columns


def _brought(version: Version, column: Column, table: Table, by: User) -> Hierarchy:
    name = version.project.hierarchies.free_name(f"{column.name[:80]}: imported")
    made = Hierarchy(project=version.project, key=version.key, name=name, levels=table.levels, made_by=by)
    return _saved(made.saying(spec={}, lines=table.lines))


@action
def keep(*, hierarchy: Hierarchy, by: User) -> Hierarchy:
    """Make it the project's classification: it outlives the version it was made for."""
    hierarchy = locked(hierarchy)
    require(may_edit_hierarchies(hierarchy.project.person(by)))
    if hierarchy.is_kept:
        raise Conflict("kept", "This hierarchy is the project's classification already.")
    seal_for_project(hierarchy, by)
    audit.record("hierarchy.kept", hierarchy, by=by, project=hierarchy.project)
    return hierarchy


@action
def attach(*, column: Column, hierarchy: Hierarchy, by: User) -> Column:
    """Let a column generalize along a hierarchy of the same project."""
    version = locked(column.version)
    require(may_tag(version.project.person(by), version.facts()))
    if hierarchy.project_id != version.project.pk:
        raise Invalid("other-project", "This hierarchy belongs to another project.", "hierarchy")
    if hierarchy.key_id != version.key_id and not hierarchy.is_kept:
        raise Invalid("not-kept", NOT_KEPT, "hierarchy")
    _set(column, hierarchy)
    shape(version, by)
    details = {"column": column.name, "hierarchy": str(hierarchy.pk)}
    audit.record("hierarchy.attached", column, by=by, project=version.project, details=details)
    return column


@action
def reuse(*, version: Version, hierarchies: Mapping[str, Hierarchy], by: User) -> list[Column]:
    """Attach hierarchies that the project has already, by the names of columns that have none yet.

    They become the project's classifications: what two editions use goes with neither of them.
    """
    version = locked(version)
    require(may_tag(version.project.person(by), version.facts()))
    free = version.columns.filter(hierarchy=None, name__in=hierarchies)
    chosen = [column for column in free if hierarchies[column.name].project_id == version.project.pk]
    for column in chosen:
        column.hierarchy = kept(hierarchies[column.name], by)
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
