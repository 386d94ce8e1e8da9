"""The next edition of a published release: the same recipe and words, on another version of the data."""

from __future__ import annotations

from collections.abc import Iterator

from stewardapp.access.rules import may_begin_edition
from stewardapp.access.verdict import Invalid, require
from stewardapp.actions import audit, columns
from stewardapp.actions.action import action, locked
from stewardapp.actions.classifications import kept
from stewardapp.actions.contributions import contribute, shape
from stewardapp.domain.facts import release_facts
from stewardapp.domain.text import required
from stewardapp.models import Column, ContributionKind, Hierarchy, Release, User, Version

SAID = (
    "role",
    "label",
    "release_weight",
    "unknown_because",
    "unknown_words",
    "kind",
    "kind_confirmed",
    "sealed_settings",
    "hierarchy",
)


@action
def begin(*, release: Release, version: Version, title: str, by: User) -> Release:
    """Begin a release like this one on another version of the project.

    What was said of the columns is said again of those of the same name that nobody tagged yet; what a person
    has said of the new version stays. Hierarchies become the project's classifications.
    """
    version = locked(version)
    require(may_begin_edition(release.person(by), release_facts(release), version.facts()))
    if version.project != release.project or version.pk == release.version_id:
        raise Invalid("other-version", "Choose another version of the data of this project.", "version")
    made = Release(
        project=release.project,
        version=version,
        title=required(title, "title", 200),
        purpose=release.purpose,
        context=release.context,
        audience=release.audience,
        author=by,
    ).saying(recipe=release.recipe)
    made.save()
    made.named.set(release.named.all())
    again = [_said_again(column, before, by) for column, before in _matching(release.version, version)]
    Column.objects.bulk_update(again, SAID, batch_size=500)
    contribute(made, by, ContributionKind.CREATED)
    shape(version, by)
    details = {"from": str(release.pk), "version": str(version.pk), "columns": len(again)}
    audit.record("release.continued", made, by=by, project=made.project, details=details)
    return made


def _matching(before: Version, version: Version) -> Iterator[tuple[Column, Column]]:
    """Columns that nobody tagged, each with the one of its name; no second of a role that one alone has."""
    known = {column.name: column for column in before.columns.tagged().select_related("hierarchy__key")}
    taken = set(version.columns.tagged().values_list("role", flat=True)) & set(columns.SINGLE)
    for column in version.columns.filter(role="", name__in=known):
        if known[column.name].role not in taken:
            yield column, known[column.name]


def _said_again(column: Column, before: Column, by: User) -> Column:
    column.role, column.label, column.release_weight = before.role, before.label, before.release_weight
    column.unknown_because, column.unknown_words = before.unknown_because, before.unknown_words
    if before.kind_confirmed:
        column.kind, column.kind_confirmed = before.kind, True
    if before.settings:
        column.settings = dict(before.settings)
    column.hierarchy = _usable(before.hierarchy, by)
    return column


def _usable(hierarchy: Hierarchy | None, by: User) -> Hierarchy | None:
    """Kept for the project, unless its values went with the version it was made for."""
    if hierarchy is None or hierarchy.key.destroyed_at is not None:
        return None
    return kept(hierarchy, by)
