"""Bytes on their way in."""

from __future__ import annotations

from datetime import datetime, timedelta
from enum import StrEnum

from django.conf import settings
from django.db import models
from django.utils import timezone

from stewardapp.models.base import Record, implies, one_of
from stewardapp.models.user import AnyUser


class UploadState(StrEnum):
    """Where an upload stands."""

    OPEN = "open"
    COMPLETE = "complete"
    ABANDONED = "abandoned"


def left_since() -> datetime:
    """An upload of which nothing came after this moment is not waited for."""
    return timezone.now() - timedelta(days=settings.STEWARD_UPLOAD_DAYS)


class UploadQuerySet(models.QuerySet["Upload"]):
    """Questions about uploads."""

    def visible_to(self, user: AnyUser) -> UploadQuerySet:
        """Only the person who uploads sees an upload."""
        if not user.is_authenticated or not user.is_active:
            return self.none()
        return self.filter(user=user)

    def open(self) -> UploadQuerySet:
        """Uploads that may go on."""
        return self.filter(state=UploadState.OPEN)

    def old(self) -> UploadQuerySet:
        """Open uploads that may have been left: announced so long ago."""
        return self.open().filter(created_at__lt=left_since())


class Upload(Record):
    """A resumable upload; its bytes lie sealed and unfinished until it is complete."""

    project = models.ForeignKey("stewardapp.Project", on_delete=models.PROTECT, related_name="uploads")
    dataset = models.ForeignKey("stewardapp.Dataset", on_delete=models.PROTECT, related_name="uploads")
    user = models.ForeignKey("stewardapp.User", on_delete=models.PROTECT, related_name="uploads")
    filename = models.CharField(max_length=255)
    length = models.BigIntegerField()
    offset = models.BigIntegerField(default=0)
    key = models.ForeignKey("stewardapp.DataKey", on_delete=models.PROTECT, related_name="uploads")
    path = models.CharField(max_length=200, blank=True, default="")
    state = models.CharField(max_length=16, default=UploadState.OPEN)
    version = models.OneToOneField(
        "stewardapp.Version", on_delete=models.PROTECT, null=True, blank=True, related_name="upload"
    )

    objects = UploadQuerySet.as_manager()

    class Meta:
        ordering = ("-created_at",)
        constraints = [
            one_of("upload_state_known", "state", UploadState),
            models.CheckConstraint(
                condition=models.Q(length__gte=0, offset__gte=0, offset__lte=models.F("length")),
                name="upload_offset_within_length",
            ),
            implies(
                "upload_complete_is_a_whole_version",
                models.Q(state=UploadState.COMPLETE),
                models.Q(offset=models.F("length"), version__isnull=False),
            ),
        ]

    def __str__(self) -> str:
        return f"upload {self.pk}"
