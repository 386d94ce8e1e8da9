"""The audit log: a chain in which every event seals the one before it.

For a while, purchases were sealed with an anchor, the event that was the last when they were begun. Such
events keep anchor and seal; no others have them.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any, NoReturn
from uuid import UUID

from django.db import models

from stewardapp.access.roles import Permission
from stewardapp.models.base import both_or_neither
from stewardapp.models.membership import seen_through
from stewardapp.models.user import AnyUser

GUARDED = ("population", "leak", "proposal", "allotment", "allowance")


@dataclass(frozen=True)
class Telling:
    """What an event tells, before it has a place in the log: the fields of an event but for the chain's."""

    at: datetime
    actor_id: UUID | None
    action: str
    project_id: UUID | None
    subject_type: str
    subject_id: UUID
    details: dict[str, Any]


class AuditEventQuerySet(models.QuerySet["AuditEvent"]):
    """Questions about the log; it is only ever added to."""

    def visible_to(self, user: AnyUser) -> AuditEventQuerySet:
        """Events of the projects this person works in (an admin: all), without votes still hidden.

        Whoever protects the data of the site sees those of populations and their budgets beside them.
        """
        from stewardapp.models.release import Release

        seen = seen_through(self, user, "project", Permission.VIEW_AUDIT, admins=True)
        if user.is_authenticated and user.protects_data and not user.is_admin:
            about_budgets = models.Q(action__startswith="budget.") | models.Q(subject_type__in=GUARDED)
            seen = self.filter(models.Q(pk__in=seen.order_by().values("pk")) | about_budgets)
        open_ = Release.objects.awaiting_review().order_by().values("pk")
        return seen.exclude(
            models.Q(action="review.recorded", subject_id__in=open_) & ~models.Q(actor_id=user.pk)
        )

    def about(self, subject: models.Model) -> AuditEventQuerySet:
        """Events of one thing, newest first."""
        return self.filter(subject_type=subject._meta.model_name, subject_id=subject.pk).order_by("-id")

    def update(self, **kwargs: Any) -> NoReturn:  # noqa: ARG002
        """Refused: an event is never changed."""
        raise TypeError("the audit log is only added to")

    def delete(self) -> NoReturn:
        """Refused: an event is never removed."""
        raise TypeError("the audit log is only added to")


class AuditEvent(models.Model):
    """Who did what to which thing, when; details hold no data value."""

    id = models.BigIntegerField(primary_key=True)
    at = models.DateTimeField()
    actor = models.ForeignKey(
        "stewardapp.User", on_delete=models.PROTECT, db_index=False, null=True, related_name="audit_events"
    )
    action = models.CharField(max_length=64)
    project = models.ForeignKey(
        "stewardapp.Project", on_delete=models.PROTECT, db_index=False, null=True, related_name="audit_events"
    )
    subject_type = models.CharField(max_length=32)
    subject_id = models.UUIDField()
    details = models.JSONField(default=dict)
    previous_hash = models.CharField(max_length=64)
    hash = models.CharField(max_length=64)
    anchor = models.BigIntegerField(null=True)
    seal = models.CharField(max_length=64, null=True)

    objects = AuditEventQuerySet.as_manager()

    class Meta:
        ordering = ("-id",)
        indexes = [
            models.Index(fields=("subject_type", "subject_id"), name="audit_by_subject"),
            models.Index(fields=("project", "-id"), name="audit_by_project"),
        ]
        constraints = [
            models.UniqueConstraint(fields=("previous_hash",), name="audit_is_followed_once"),
            both_or_neither("audit_anchor_is_sealed", "anchor", "seal"),
        ]

    def __str__(self) -> str:
        return f"{self.id} {self.action}"

    def save(self, *args: Any, **kwargs: Any) -> None:
        """Add the event; a written one is never changed."""
        if not self._state.adding:
            raise TypeError("the audit log is only added to")
        kwargs["force_insert"] = True
        super().save(*args, **kwargs)

    def delete(self, *args: Any, **kwargs: Any) -> NoReturn:  # noqa: ARG002
        """Refused: an event is never removed."""
        raise TypeError("the audit log is only added to")


class AuditHead(models.Model):
    """The end of the chain: how many events there are and the hash of the last. Locked last, always.

    The seal is of the event with the number `sealed_count` and made with the key: whoever cuts the log before
    it has none to put here. The database writes purchases without the key; they are sealed soon after.
    """

    id = models.SmallIntegerField(primary_key=True, default=1)
    count = models.BigIntegerField(default=0)
    hash = models.CharField(max_length=64, blank=True, default="")
    sealed_count = models.BigIntegerField(default=0)
    seal = models.CharField(max_length=64, blank=True, default="")

    objects = models.Manager()

    class Meta:
        constraints = [models.CheckConstraint(condition=models.Q(id=1), name="audit_head_is_one_row")]

    def __str__(self) -> str:
        return f"{self.count} events"
