"""An anchor of the audit log: its end on a day, signed in a file, and whether it was sent outside."""

from __future__ import annotations

from datetime import timedelta
from uuid import UUID

from django.db import models
from django.db.models.functions import Now
from django.utils import timezone

from stewardapp.models.base import Record

PATIENCE, LONGEST_PATIENCE = timedelta(minutes=1), timedelta(hours=6)


class AnchorQuerySet(models.QuerySet["Anchor"]):
    """Questions about anchors, and the moves of sending one."""

    def due(self) -> AnchorQuerySet:
        """To be sent now, the oldest first."""
        return self.filter(sent_at__isnull=True, due_at__lte=timezone.now()).order_by("day")

    def begin_sending(self, anchor: Anchor) -> bool:
        """Whether this attempt is ours; the next one comes later each time."""
        wait = min(PATIENCE * 2 ** min(anchor.attempts, 16), LONGEST_PATIENCE)
        mine = self.filter(pk=anchor.pk, sent_at__isnull=True, attempts=anchor.attempts)
        return mine.update(attempts=anchor.attempts + 1, due_at=timezone.now() + wait) == 1

    def arrived(self, id: UUID) -> None:
        """Whoever is outside has it."""
        self.filter(pk=id, sent_at__isnull=True).update(sent_at=Now())


class Anchor(Record):
    """One a day; the file is what counts, the row says that there is one."""

    day = models.DateField(unique=True)
    count = models.BigIntegerField()
    hash = models.CharField(max_length=64)
    attempts = models.PositiveSmallIntegerField(default=0)
    due_at = models.DateTimeField(default=timezone.now)
    sent_at = models.DateTimeField(null=True)

    objects = AnchorQuerySet.as_manager()

    class Meta:
        ordering = ("-day",)

    def __str__(self) -> str:
        return str(self.day)
