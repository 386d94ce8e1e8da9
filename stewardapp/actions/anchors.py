"""Signing the end of the audit log once a day."""

from __future__ import annotations

from datetime import timedelta

from django.utils import timezone

from stewardapp import anchors
from stewardapp.access.verdict import Conflict
from stewardapp.actions import audit
from stewardapp.actions.action import action
from stewardapp.domain.audit_chain import ANCHORED
from stewardapp.models import Anchor, AuditEvent

SETTLED = timedelta(seconds=10)
"""An event this old is on the disk of the database: no crash takes back what was signed."""


@action
def make(*, settled: timedelta = SETTLED) -> Anchor:
    """Sign the end of the log as the anchor of today; refused when there is one, or nothing to sign.

    The file comes first and is the truth: whoever finds one that has no row yet takes it as it is.
    """
    now = timezone.now()
    last = AuditEvent.objects.filter(at__lte=now - settled).order_by("-id").first()
    if last is None:
        raise Conflict("nothing", "There is nothing to anchor yet.")
    first = AuditEvent.objects.get(id=1)
    kept = anchors.keep(anchors.signed(now.date(), last.id, last.hash, first.hash))
    anchor, made = Anchor.objects.get_or_create(
        day=now.date(), defaults={"count": kept.count, "hash": kept.hash}
    )
    if not made:
        raise Conflict("anchored", "The log was anchored today.")
    details = {"day": kept.day, "count": kept.count, "hash": kept.hash}
    audit.record(ANCHORED, anchor, by=None, details=details)
    return anchor
