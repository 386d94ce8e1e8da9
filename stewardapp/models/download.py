"""Who downloaded what."""

from __future__ import annotations

from django.db import models

from stewardapp.access.roles import Permission
from stewardapp.models.base import Record
from stewardapp.models.membership import seen_through
from stewardapp.models.user import AnyUser


class DownloadQuerySet(models.QuerySet["Download"]):
    """Questions about downloads."""

    def visible_to(self, user: AnyUser) -> DownloadQuerySet:
        """Downloads of the team's releases; an admin sees all."""
        return seen_through(self, user, "release__project", Permission.VIEW_AUDIT, admins=True)


class Download(Record):
    """Exactly these bytes were handed to this person (nobody, by a public link) at this time."""

    release = models.ForeignKey("stewardapp.Release", on_delete=models.PROTECT, related_name="downloads")
    artifact = models.ForeignKey("stewardapp.Artifact", on_delete=models.PROTECT, related_name="downloads")
    user = models.ForeignKey(
        "stewardapp.User", on_delete=models.PROTECT, null=True, blank=True, related_name="downloads"
    )
    sha256 = models.CharField(max_length=64)
    size = models.BigIntegerField()

    objects = DownloadQuerySet.as_manager()

    class Meta:
        ordering = ("-created_at",)

    def __str__(self) -> str:
        return f"download {self.pk}"
