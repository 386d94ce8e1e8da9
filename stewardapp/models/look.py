"""That somebody was told whether the people of a proposal are probably known to the site."""

from __future__ import annotations

from datetime import timedelta

from django.db import models
from django.db.models.functions import Now

from stewardapp.models.base import Record
from stewardapp.models.user import User


class LookQuerySet(models.QuerySet["Look"]):
    """Questions about looks."""

    def lately_by(self, user: User, within: timedelta) -> LookQuerySet:
        """Those of somebody that are not older than this, by the clock of the database."""
        return self.filter(by=user, at__gt=Now() - within)


class Look(Record):
    """One answer, which stays the same: whoever asks about the same proposal again learns nothing new."""

    proposal = models.ForeignKey("stewardapp.Proposal", on_delete=models.PROTECT, related_name="looks")
    by = models.ForeignKey("stewardapp.User", on_delete=models.PROTECT, related_name="+")
    at = models.DateTimeField(db_default=Now())
    known = models.BooleanField()

    objects = LookQuerySet.as_manager()

    class Meta:
        constraints = [models.UniqueConstraint(fields=("proposal", "by"), name="look_once")]

    def __str__(self) -> str:
        return f"{self.by} about {self.proposal}"
