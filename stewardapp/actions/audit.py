"""The audit log: written inside every action, checked by a command.

Each event seals the one before it with a key that is not in the database, so that whoever can only write to
the database can neither change, drop, reorder nor forge events unnoticed. The head is locked last.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from django.db import models, transaction
from django.utils import timezone

from stewardapp import keyring
from stewardapp.actions.action import count_event
from stewardapp.models import AuditEvent, AuditHead, Project, User
from stewardapp.models.audit import Telling
from stewardapp.models.canonical import canonical


def record(
    action: str,
    subject: models.Model,
    *,
    by: User | None,
    project: Project | None = None,
    details: dict[str, Any] | None = None,
) -> AuditEvent:
    """Add an event as the last step of a transaction. `by` None means the machinery itself."""
    if not transaction.get_connection().in_atomic_block:
        raise RuntimeError("an audit event is written in the transaction of what it tells")
    event = AuditEvent(**vars(told(action, subject, by, project, details)))
    head = _locked_head()
    event.id, event.previous_hash = head.count + 1, head.hash
    event.hash = link(event)
    event.save()
    AuditHead.objects.update(count=event.id, hash=event.hash)
    count_event(event.id)
    return event


def told(
    action: str,
    subject: models.Model,
    by: User | None,
    project: Project | None,
    details: dict[str, Any] | None,
) -> Telling:
    """What an event tells, made now."""
    return Telling(
        timezone.now(),
        None if by is None else by.pk,
        action,
        None if project is None else project.pk,
        subject._meta.model_name or "",
        subject.pk,
        details or {},
    )


def _locked_head() -> AuditHead:
    locked = AuditHead.objects.select_for_update().filter(id=1)
    if (head := locked.first()) is None:
        AuditHead.objects.get_or_create(id=1)
        head = locked.get()
    return head


def link(event: AuditEvent) -> str:
    """The hash of an event at its place: of what it tells and, through `previous_hash`, of all before it.

    What it tells is sealed apart from its place, so that the database can put it there: it is given the seal
    of this one event, which is stored nowhere, and never the key.
    """
    return _linked(event, seal(event))


def seal(event: AuditEvent | Telling) -> str:
    """A hash of what an event tells, wherever in the log it stands, that only our key makes."""
    return _keyed(_content(event))


def _linked(event: AuditEvent, seal: str) -> str:
    return hashlib.sha256(f"{event.id} {event.previous_hash} {seal}".encode()).hexdigest()


def _content(event: AuditEvent | Telling) -> dict[str, Any]:
    return {
        "at": _moment(event.at),
        "actor": str(event.actor_id),
        "action": event.action,
        "project": str(event.project_id),
        "subject": [event.subject_type, str(event.subject_id)],
        "details": event.details,
    }


def _keyed(document: dict[str, Any]) -> str:
    return hmac.digest(keyring.seal_of("audit log"), canonical(document).encode(), "sha256").hex()


def _moment(at: datetime) -> str:
    return at.astimezone(UTC).isoformat(timespec="microseconds")


@dataclass(frozen=True, slots=True)
class Broken:
    """The first place where the chain does not hold."""

    id: int
    reason: str


@dataclass(frozen=True, slots=True)
class Whole:
    """The chain holds: how many events, and the hash of the last one, worth noting elsewhere."""

    count: int
    hash: str


def verify() -> Whole | Broken:
    """Walk the chain from its first event to its head."""
    with transaction.atomic():
        number, previous = 0, ""
        for event in _in_order().iterator(chunk_size=1000):
            number += 1
            if reason := _wrong(event, number, previous):
                return Broken(number, reason)
            previous = event.hash
        head = AuditHead.objects.filter(id=1).first() or AuditHead()
    if (head.count, head.hash) != (number, previous):
        return Broken(number + 1, "the end of the log does not match its last event")
    return Whole(number, previous)


def _in_order() -> models.QuerySet[AuditEvent]:
    """All events, each with the hash of its anchor: of an event before it, which is checked before it."""
    anchors = AuditEvent.objects.filter(id=models.OuterRef("anchor"), id__lt=models.OuterRef("id"))
    return AuditEvent.objects.annotate(anchor_hash=models.Subquery(anchors.values("hash"))).order_by("id")


def _wrong(event: Any, number: int, previous: str) -> str:
    if event.id != number:
        return "an event is missing"
    if event.previous_hash != previous:
        return "the event does not follow the one before it"
    if not any(hmac.compare_digest(event.hash, right) for right in _hashes(event)):
        return "the event was changed"
    return ""


def _hashes(event: Any) -> Iterator[str]:
    """What may be its hash: as events are linked now, or in one of the two ways they were before."""
    if event.seal is None:
        yield link(event)
        yield _keyed({**_content(event), "id": event.id, "previous": event.previous_hash})
    elif event.seal == _keyed({**_content(event), "anchor": [event.anchor, event.anchor_hash or ""]}):
        yield _linked(event, event.seal)
