"""What each column is to a release. Whoever says so shapes the releases of the version: four eyes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

from stewardapp.access.rules import may_tag
from stewardapp.access.verdict import Conflict, Invalid, require
from stewardapp.actions import audit
from stewardapp.actions.action import action, locked
from stewardapp.actions.contributions import shape
from stewardapp.domain.text import limited
from stewardapp.domain.unknown import Unknown
from stewardapp.models import Column, User, Version
from worker.engine.tables.kinds import Kind, Role

SINGLE = (Role.WEIGHT, Role.PERSON_KEY, Role.HOUSEHOLD_KEY, Role.CONSENT)
NOTHING: Mapping[str, Sequence[str]] = MappingProxyType({})
NOT_SAID: Mapping[str, Unknown | None] = MappingProxyType({})
TAGS = ("role", "sealed_settings", "unknown_because", "unknown_words")
SETTINGS = frozenset({"bounds", "bin_width", "categories", "granted", "provenance"})


@action
def tag(
    *,
    version: Version,
    roles: Mapping[str, str],
    granted: Mapping[str, Sequence[str]] = NOTHING,
    unknown: Mapping[str, Unknown | None] = NOT_SAID,
    by: User,
) -> None:
    """Give columns roles, by name; an empty role takes the tag away, so that the column is dropped.

    `granted` says of a consent column which of its values mean yes, `unknown` of a kept column why others
    could not know it, or that they could.
    """
    version = locked(version)
    require(may_tag(version.project.person(by), version.facts()))
    columns = {column.name: column for column in version.columns.all()}
    for name, role in roles.items():
        _named(columns, name).role = _role(role)
    for name, words in granted.items():
        column = _named(columns, name)
        column.settings = {**column.settings, "granted": list(words)}
    for name, said in unknown.items():
        _say_unknown(_named(columns, name), said)
    _check_single(columns)
    changed = [columns[name] for name in {**roles, **granted, **unknown}]
    Column.objects.bulk_update(changed, TAGS, batch_size=500)
    shape(version, by)
    details: dict[str, object] = {"roles": dict(roles), "consent": sorted(granted)}
    if unknown:
        details["unknown"] = {name: said.because if said else "" for name, said in unknown.items()}
    audit.record("version.tagged", version, by=by, project=version.project, details=details)


@action
def describe(
    *,
    version: Version,
    name: str,
    kind: str | None = None,
    label: str | None = None,
    release_weight: bool | None = None,
    settings: Mapping[str, Any] | None = None,
    kind_confirmed: bool | None = None,
    by: User,
) -> Column:
    """Correct the kind, the label or the declared bounds and categories of one column.

    Whoever declares something of it has seen its kind, and so confirms it, unless it is said otherwise: what
    is taken back takes the confirmation back that came with it.
    """
    version = locked(version)
    require(may_tag(version.project.person(by), version.facts()))
    column = _named({column.name: column for column in version.columns.all()}, name)
    given = {"kind": kind, "label": label, "release_weight": release_weight, "settings": settings}
    given["kind_confirmed"] = kind_confirmed
    changes = {field: value for field, value in given.items() if value is not None}
    _apply(column, changes)
    column.save()
    shape(version, by)
    details = {"column": name, "changed": sorted(changes)}
    audit.record("column.described", column, by=by, project=version.project, details=details)
    return column


@action
def confirm_kinds(*, version: Version, kinds: Mapping[str, str], confirmed: bool = True, by: User) -> None:
    """Say of guessed kinds, as they were seen by column, that they are right; or take that back."""
    version = locked(version)
    require(may_tag(version.project.person(by), version.facts()))
    columns = {column.name: column for column in version.columns.all()}
    changed = [_named(columns, name) for name in kinds]
    if not changed:
        raise Invalid("no-column", "Choose a column.", "kinds")
    for column in changed:
        if column.kind != kinds[column.name]:
            raise Conflict("kind-changed", "The kind of a column changed meanwhile; look at it again.")
        column.kind_confirmed = confirmed
    Column.objects.bulk_update(changed, ["kind_confirmed"], batch_size=500)
    shape(version, by)
    event = "version.kinds-confirmed" if confirmed else "version.kinds-doubted"
    audit.record(event, version, by=by, project=version.project, details={"kinds": dict(kinds)})


def _say_unknown(column: Column, said: Unknown | None) -> None:
    if said is not None and column.role != Role.OTHER:
        raise Invalid("not-kept", "Only of a column kept as it is can it be said that others do not know it.")
    column.unknown_because = said.because if said else ""
    column.unknown_words = said.words if said else ""


def _apply(column: Column, changes: dict[str, Any]) -> None:
    if changes.get("kind", Kind.TEXT) not in list(Kind):
        raise Invalid("unknown-kind", "This is not a kind of column.", "kind")
    unknown = set(changes.get("settings", ())) - SETTINGS
    if unknown:
        raise Invalid("unknown-setting", f"Unknown settings: {', '.join(sorted(unknown))}.", "settings")
    if {"kind", "settings"} & changes.keys():  # declared beside the kind, and read by it
        changes.setdefault("kind_confirmed", True)
    for field, value in changes.items():
        setattr(column, field, limited(value, field) if field == "label" else value)


def _named(columns: Mapping[str, Column], name: str) -> Column:
    if name not in columns:
        raise Invalid("unknown-column", "This version has no column of that name; reload the page.", "name")
    return columns[name]


def _role(role: str) -> str:
    if role and role not in list(Role):
        raise Invalid("unknown-role", "This is not a role a column can have.", "role")
    return role


def _check_single(columns: Mapping[str, Column]) -> None:
    tagged = [column.role for column in columns.values()]
    for role in SINGLE:
        if tagged.count(role) > 1:
            what = role.replace("-", " ")
            raise Invalid("one-only", f"Only one column can be the {what}; untag the other first.", "role")
