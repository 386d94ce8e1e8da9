"""An event of the audit log as a line."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from django.urls import NoReverseMatch, reverse

from stewardapp.presenters.numbers import short_hash

if TYPE_CHECKING:
    from stewardapp.models import AuditEvent

SHA256_DIGITS = 64
PAGES = {
    "release": "release-detail",
    "run": "run-detail",
    "desk": "desk-detail",
    "query": "question-detail",
    "version": "version-detail",
    "dataset": "dataset-detail",
    "project": "project-detail",
}


@dataclass(frozen=True)
class AuditLine:
    """What the table prints of an event."""

    event: AuditEvent
    actor: str
    words: str
    url: str
    details: str


def line(event: AuditEvent) -> AuditLine:
    """One event in words."""
    return AuditLine(
        event=event,
        actor=event.actor.get_username() if event.actor else "worker",
        words=event.action.replace(".", ": ").replace("-", " ").replace("_", " "),
        url=address(event.subject_type, event.subject_id),
        details=" · ".join(f"{name} {said(value)}" for name, value in event.details.items()),
    )


def said(value: Any) -> str:
    """A detail in words."""
    if isinstance(value, Mapping):
        return ", ".join(f"{name}: {said(part)}" for name, part in value.items())
    if isinstance(value, (list, tuple)):
        return ", ".join(map(said, value))
    return short_hash(value) if isinstance(value, str) and len(value) == SHA256_DIGITS else str(value)


def address(subject_type: str, subject_id: Any) -> str:
    """The page of the thing the event is about, where it has one."""
    try:
        return reverse(PAGES[subject_type], args=[subject_id]) if subject_type in PAGES else ""
    except NoReverseMatch:
        return ""
