"""How the events of the audit log are linked and sealed, and whether the whole log still holds.

Each event seals the one before it with a key that is not in the database, so that whoever can only write to
the database can neither change, drop, reorder nor forge events unnoticed.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import islice
from typing import Any

from django.db import connection, models, transaction

from stewardapp import anchors, keyring, witness
from stewardapp.canonical import canonical
from stewardapp.models import AuditEvent, AuditHead
from stewardapp.models.audit import Telling

UNSEALED = "budget.charged"
"""What the database writes by itself, without the key."""
ANCHORED = "audit.anchored"


def head_needs_seal() -> bool:
    """Whether something was bought since the end was sealed; asked without a lock."""
    return AuditHead.objects.filter(sealed_count__lt=models.F("count")).exists()


def head_seal(count: int, hash: str) -> str:
    """What only our key can say of an end; there is none of an empty log."""
    return _keyed({"end": [count, hash]}) if count else ""


def is_sealed(head: AuditHead) -> bool:
    """Whether the log was sealed by us, and after that only purchases were written."""
    hash = head.hash
    if head.sealed_count != head.count:
        hash = AuditEvent.objects.filter(id=head.sealed_count).values_list("hash", flat=True).first() or ""
        later = AuditEvent.objects.filter(id__gt=head.sealed_count, id__lte=head.count)
        if head.sealed_count > head.count or later.exclude(action=UNSEALED).exists():
            return False
    return hmac.compare_digest(head.seal, head_seal(head.sealed_count, hash))


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
    """The chain holds: how many events, and the hash of the last one; and what was held against it."""

    count: int
    hash: str
    notes: int = 0
    unreadable: int = 0
    anchors: int = 0


class Contradiction(Exception):
    """The log is not what it once was."""

    def __init__(self, id: int, reason: str) -> None:
        super().__init__(reason)
        self.broken = Broken(id, reason)


def verify() -> Whole | Broken:
    """Walk the chain from its first event to its head, and hold it against the notes and anchors outside."""
    notes = witness.Noted()  # those of now: later ones tell of events that we do not see
    with _one_view():
        try:
            number, hash = _walked()
            _check_head(number, hash)
            noted = _check_notes(notes, number)
            return Whole(number, hash, noted, notes.unreadable, _check_anchors())
        except Contradiction as found:
            return found.broken


def verify_against(anchor: anchors.Signed) -> Whole | Broken:
    """Whether the log, which holds by itself, still contains what it contained when the anchor was made."""
    found = verify()
    if isinstance(found, Broken):
        return found
    with _one_view():
        try:
            _check_anchor(anchor)
        except Contradiction as contradiction:
            return contradiction.broken
    return found


@contextmanager
def _one_view() -> Iterator[None]:
    """Everything as of one moment, while others go on writing."""
    outermost = not connection.in_atomic_block
    with transaction.atomic():
        if outermost and connection.vendor == "postgresql":
            with connection.cursor() as cursor:
                cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        yield


def _walked() -> tuple[int, str]:
    number, previous = 0, ""
    for event in _in_order().iterator(chunk_size=1000):
        number += 1
        if reason := _wrong(event, number, previous):
            raise Contradiction(number, reason)
        previous = event.hash
    return number, previous


def _check_head(number: int, hash: str) -> None:
    head = AuditHead.objects.filter(id=1).first() or AuditHead()
    if (head.count, head.hash) != (number, hash):
        raise Contradiction(number + 1, "the end of the log does not match its last event")
    if not is_sealed(head):
        raise Contradiction(number + 1, "the end of the log is not sealed: events were cut off or added")


def _check_notes(notes: witness.Noted, count: int) -> int:
    """Every event that was noted outside the database must be there, and be the same."""
    checked, waiting = 0, iter(notes)
    while some := list(islice(waiting, 1000)):
        checked += len(some)
        _check_hashes(some, count)
    return checked


def _check_hashes(some: Sequence[witness.Note], count: int) -> None:
    known = dict(AuditEvent.objects.filter(id__in=[note.number for note in some]).values_list("id", "hash"))
    for note in some:
        if note.number > count:
            raise Contradiction(count + 1, f"the end was cut off: event {note.number} was written once")
        if known[note.number] != note.hash:
            raise Contradiction(note.number, "another event was written here once")


def _check_anchors() -> int:
    """Every anchor still holds, and none is lost of those that the log says were made."""
    found = set()
    try:
        for anchor in anchors.kept():
            _check_anchor(anchor)
            found.add((anchor.day, anchor.count))
    except anchors.Unusable as unusable:
        raise Contradiction(0, str(unusable)) from None
    for event in AuditEvent.objects.filter(action=ANCHORED).order_by("id"):
        day, count = event.details["day"], event.details["count"]
        if (day, count) not in found:
            raise Contradiction(event.id, f"the anchor of {day} that it tells of is missing")
    return len(found)


def _check_anchor(anchor: anchors.Signed) -> None:
    reason = f"it is not the event that the anchor of {anchor.day} names"
    for number, hash in ((1, anchor.installation), (anchor.count, anchor.hash)):
        if not AuditEvent.objects.filter(id=number, hash=hash).exists():
            raise Contradiction(number, reason)


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
