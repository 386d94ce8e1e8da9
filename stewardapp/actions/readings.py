"""Reading uploaded bytes into a table: asked for, and recorded when a worker has done it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, cast

from django.db import transaction

from stewardapp import storage
from stewardapp.access.rules import may_cancel_reading, may_read_again
from stewardapp.access.verdict import Conflict, require
from stewardapp.actions import audit
from stewardapp.actions.action import action, locked
from stewardapp.models import Blob, Column, Reading, User, Version
from stewardapp.notifications import notify

if TYPE_CHECKING:
    from worker.engine.io.dialect import DialectJson
    from worker.engine.io.profile import ColumnJson, ProfileJson

NOTICED = ("suggested_missing", "notes")
PROFILED = ("kind", "distinct", "missing", "suggested_role", "reason")


@action
def start(*, version: Version, dialect: DialectJson | None = None, by: User) -> Reading:
    """Ask a worker to read the bytes once more, with a corrected dialect."""
    version = locked(version)
    require(may_read_again(version.project.person(by), version.facts()))
    reading = Reading.objects.create(version=version, dialect=dialect or {}, requested_by=by)
    audit.record("reading.started", reading, by=by, project=version.project)
    return reading


@action
def cancel(*, reading: Reading, by: User) -> Reading:
    """Stop a reading: at once while it waits, at its next checkpoint while a worker reads."""
    reading = locked(reading)
    require(may_cancel_reading(reading.project.person(by), reading.facts()))
    if not Reading.objects.request_cancel(reading.pk, by):
        raise Conflict("ended", "This reading has ended, or somebody else is cancelling it.")
    reading.refresh_from_db()
    audit.record("reading.cancel-requested", reading, by=by, project=reading.project)
    return reading


@action
def record(
    *,
    reading: Reading,
    fence: int,
    table: Blob,
    profile: ProfileJson,
    likeness: Blob | None = None,
    values: Blob | None = None,
    by: User | None = None,
) -> Version:
    """Store what a worker read, and end its job, in one transaction; refused when the claim was lost."""
    summary = {name: value for name, value in profile.items() if name != "columns"}
    outcome = {
        "table": table,
        "likeness": likeness,
        "values_kept": values,
        "rows": profile["rows"],
        **reading.sealed(profile=summary),
        "dialect": _used(reading, profile),
    }
    if not Reading.objects.succeed(reading.pk, fence, **outcome):
        raise Conflict("claim-lost", "Another worker has this job now, or it was cancelled.")
    version = locked(reading.version)
    version.current = reading
    version.save(update_fields=["current"])
    _store_columns(version, profile["columns"])
    version.refresh_from_db()
    _destroy_needless(version)
    details = {"rows": version.rows, "columns": len(profile["columns"])}
    audit.record("version.read", version, by=by, project=version.project, details=details)
    notify([reading.requested_by], f"{version} was read: tag its columns.", f"/versions/{version.pk}/")
    return version


def _used(reading: Reading, profile: ProfileJson) -> DialectJson:
    """Everything by which the bytes were read, without what was only noticed about them."""
    found = {**reading.dialect, **profile.get("dialect", {})}
    return cast("DialectJson", {name: value for name, value in found.items() if name not in NOTICED})


def _destroy_needless(version: Version) -> None:
    """Destroy the tables of earlier readings that nothing alive or submitted names, and every other likeness
    and list of values.

    Whoever begins something on a version holds its row until the reading is named.
    """
    kept = version.readings.needed()
    for table in (
        Blob.objects.stored().filter(readings__version=version).exclude(readings__in=kept).distinct()
    ):
        storage.destroy_blob(table)
    now = version.read_now()
    for name in ("likeness", "values_kept"):
        others = version.readings.exclude(**{name: getattr(now, f"{name}_id")}).values(name)
        for needless in Blob.objects.stored().filter(pk__in=others):
            storage.destroy_blob(needless)


def _store_columns(version: Version, columns: list[ColumnJson]) -> None:
    """Columns as read now; one that was there before under this name keeps what people said about it."""
    known = {column.name: column for column in version.columns.all()}
    version.columns.exclude(name__in=[column["name"] for column in columns]).delete()
    with transaction.atomic():
        for position, column in enumerate(known.values()):
            Column.objects.filter(pk=column.pk).update(position=1_000_000 + position)
    fresh = []
    for position, described in enumerate(columns):
        values = _values(position, described)
        old = known.get(described["name"])
        if old is None:
            fresh.append(
                Column(version=version, name=described["name"]).saying(**values, **_declared(described))
            )
        else:
            said = old.kind_confirmed and _looks_alike(old, values)
            if said:
                values["kind"] = old.kind
            Column.objects.filter(pk=old.pk).update(kind_confirmed=said, **_stored(old, values))
    Column.objects.bulk_create(fresh, batch_size=500)


def _looks_alike(column: Column, values: Mapping[str, Any]) -> bool:
    """Whether the data suggest what they suggested when a person confirmed or corrected it, or agree now."""
    found = values.get("kind", column.kind)
    return bool(found in (column.profile.get("guessed_kind", column.kind), column.kind))


def _stored(column: Column, values: dict[str, Any]) -> dict[str, Any]:
    """What was found in a column, sealed where it tells about values."""
    sealed = {name: values.pop(name) for name in ("profile", "reason") if name in values}
    return {**values, **column.sealed(**sealed)}


def _declared(described: ColumnJson) -> dict[str, Any]:
    """What the file itself says of a column that nobody has described yet."""
    settings = {"categories": described["categories"]} if described.get("categories") else {}
    return {"label": described.get("label", ""), "settings": settings}


def _values(position: int, described: ColumnJson) -> dict[str, Any]:
    values = {name: value for name, value in described.items() if name in PROFILED}
    taken = {"name", "position", "label", "categories", *PROFILED}
    rest = {name: value for name, value in described.items() if name not in taken}
    rest["guessed_kind"] = values.get("kind", "")
    return {"position": position, "profile": rest, **values}
