"""The audit log: written inside every action, checked by a command.

Each event seals the one before it with a key that is not in the database, so that whoever can only write to
the database can neither change, drop, reorder nor forge events unnoticed. The head is locked last.
"""

from __future__ import annotations

import hmac
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from django.db import models, transaction
from django.utils import timezone

from stewardapp import storage
from stewardapp.actions.action import count_event
from stewardapp.models import AuditEvent, AuditHead, Project, User
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
    head = _locked_head()
    event = AuditEvent(
        id=head.count + 1,
        at=timezone.now(),
        actor=by,
        action=action,
        project=project,
        subject_type=subject._meta.model_name or "",
        subject_id=subject.pk,
        details=details or {},
        previous_hash=head.hash,
    )
    event.hash = seal(event)
    event.save()
    AuditHead.objects.update(count=event.id, hash=event.hash)
    count_event(event.id)
    return event


def _locked_head() -> AuditHead:
    locked = AuditHead.objects.select_for_update().filter(id=1)
    if (head := locked.first()) is None:
        AuditHead.objects.get_or_create(id=1)
        head = locked.get()
    return head


def seal(event: AuditEvent) -> str:
    """The keyed hash of an event and, through `previous_hash`, of everything before it."""
    content = canonical(
        {
            "id": event.id,
            "at": _moment(event.at),
            "actor": str(event.actor_id),
            "action": event.action,
            "project": str(event.project_id),
            "subject": [event.subject_type, str(event.subject_id)],
            "details": event.details,
            "previous": event.previous_hash,
        }
    )
    return hmac.new(storage.seal_of("audit log"), content.encode(), "sha256").hexdigest()


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
        for event in AuditEvent.objects.order_by("id").iterator(chunk_size=1000):
            number += 1
            if event.id != number:
                return Broken(number, "an event is missing")
            if event.previous_hash != previous:
                return Broken(number, "the event does not follow the one before it")
            if not hmac.compare_digest(event.hash, seal(event)):
                return Broken(number, "the event was changed")
            previous = event.hash
        head = AuditHead.objects.filter(id=1).first() or AuditHead()
    if (head.count, head.hash) != (number, previous):
        return Broken(number + 1, "the end of the log does not match its last event")
    return Whole(number, previous)
