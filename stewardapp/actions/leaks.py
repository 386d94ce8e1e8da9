"""Registering a file that leaked, recording what was read of it, and unregistering it."""

from __future__ import annotations

from datetime import date

from stewardapp import storage
from stewardapp.access.rules import may_register_leak
from stewardapp.access.verdict import Conflict, require
from stewardapp.actions import audit, brought
from stewardapp.actions.action import action, locked
from stewardapp.actions.brought import Arrived
from stewardapp.domain.holding import facts_of, guardians, stake_of
from stewardapp.domain.text import required
from stewardapp.models import Blob, Leak, Population, User
from stewardapp.models.leak import RAW
from stewardapp.notifications import notify


@action
def register(*, population: Population, place: str, seen_on: date, file: Arrived, by: User) -> Leak:
    """Have a file that leaked read; then whatever is put forward about its people is compared with it."""
    _insist_on_a_say(population, by)
    place = required(place, "place", 200)
    raw = brought.keep(file, RAW)
    leak = Leak.objects.create(population=population, place=place, seen_on=seen_on, registered_by=by, raw=raw)
    audit.record("leak.registered", leak, by=by, details={**_about(leak), "uploaded_bytes": raw.size})
    _tell_others(leak, f"A file that leaked was registered for {population}.", by)
    return leak


@action
def record(*, leak: Leak, fence: int, table: Blob, rows: int, by: User | None = None) -> None:
    """Keep its table and destroy the bytes that it was read from."""
    if not Leak.objects.succeed(leak.pk, fence, table=table, rows=rows):
        raise Conflict("claim-lost", "Another worker has this job now, or it was cancelled.")
    storage.destroy_blob(leak.raw)
    audit.record("leak.succeeded", leak, by=by, details={**_about(leak), "rows": rows})


@action
def unregister(*, leak: Leak, reason: str, by: User) -> None:
    """Compare with it no longer: its key and its bytes are destroyed, also while they are read."""
    leak = locked(leak)
    _insist_on_a_say(leak.population, by)
    reason = required(reason, "reason")
    if not Leak.objects.unregister(leak.pk, by):
        raise Conflict("unregistered", "This leak is unregistered already.")
    Leak.objects.request_cancel(leak.pk, by)
    storage.destroy_key(leak.raw.key)
    audit.record("leak.unregistered", leak, by=by, details={**_about(leak), "reason": reason})
    _tell_others(leak, f"A leak of {leak.population} was unregistered.", by)


def _insist_on_a_say(population: Population, by: User) -> None:
    [facts] = facts_of([population])
    require(may_register_leak(stake_of(by, [population]), facts))


def _about(leak: Leak) -> dict[str, object]:
    """What the log says of one; where it was seen may tell more than the log should."""
    return {"population": str(leak.population_id)}


def _tell_others(leak: Leak, text: str, by: User) -> None:
    notify(guardians([leak.population]) - {by}, text, f"/populations/{leak.population_id}/leaks/")
