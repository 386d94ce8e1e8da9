"""The audit log, written inside every action; `domain/audit_chain.py` says how events are linked and checked.

The head is locked last, and sealed too. What was committed is noted outside the database, so that an end that
was cut off is missed.
"""

from __future__ import annotations

from collections.abc import Mapping

from django.db import models, transaction
from django.utils import timezone

from stewardapp import witness
from stewardapp.actions.action import count_event
from stewardapp.domain.audit_chain import head_seal, is_sealed, link
from stewardapp.models import AuditEvent, AuditHead, Project, User
from stewardapp.models.audit import Telling


def record(
    action: str,
    subject: models.Model,
    *,
    by: User | None,
    project: Project | None = None,
    details: Mapping[str, object] | None = None,
) -> AuditEvent:
    """Add an event as the last step of a transaction. `by` None means the machinery itself."""
    if not transaction.get_connection().in_atomic_block:
        raise RuntimeError("an audit event is written in the transaction of what it tells")
    event = AuditEvent(**vars(told(action, subject, by, project, details)))
    head = _locked_head()
    event.id, event.previous_hash = head.count + 1, head.hash
    event.hash = link(event)
    event.save()
    AuditHead.objects.update(count=event.id, hash=event.hash, **_seals(head, event.id, event.hash))
    count_event(event.id)
    witness.note_after_commit(event.id, event.hash)
    return event


def hold() -> None:
    """Let nobody else write an event until this transaction ends; what is rare may ask for that."""
    _locked_head()


def seal_head() -> None:
    """Seal the end after purchases, which the database writes without the key; every worker's timer does."""
    with transaction.atomic():
        head = _locked_head()
        AuditHead.objects.update(**_seals(head, head.count, head.hash))


def _seals(head: AuditHead, count: int, hash: str) -> dict[str, object]:
    """The seal of an end after a sealed one. A broken seal stays: what was cut is never sealed anew."""
    return {"sealed_count": count, "seal": head_seal(count, hash)} if is_sealed(head) else {}


def told(
    action: str,
    subject: models.Model,
    by: User | None,
    project: Project | None,
    details: Mapping[str, object] | None,
) -> Telling:
    """What an event tells, made now."""
    return Telling(
        timezone.now(),
        None if by is None else by.pk,
        action,
        None if project is None else project.pk,
        subject._meta.model_name or "",
        subject.pk,
        dict(details or {}),
    )


def _locked_head() -> AuditHead:
    locked = AuditHead.objects.select_for_update().filter(id=1)
    if (head := locked.first()) is None:
        AuditHead.objects.get_or_create(id=1)
        head = locked.get()
    return head
