"""A file a run made."""

from __future__ import annotations

from django.db import models

from stewardapp.access.roles import Permission
from stewardapp.models.base import Record
from stewardapp.models.membership import seen_through
from stewardapp.models.user import AnyUser


class ArtifactQuerySet(models.QuerySet["Artifact"]):
    """Questions about artifacts."""

    def visible_to(self, user: AnyUser) -> ArtifactQuerySet:
        """Artifacts on the working pages; what a published release offers is asked of the catalogue."""
        return seen_through(self, user, "run__release__project", Permission.VIEW_DATA, admins=False)

    def public(self) -> ArtifactQuerySet:
        """Files meant to leave; the others stay with the team."""
        return self.filter(public=True)

    def damaged(self) -> ArtifactQuerySet:
        """Published files whose bytes were found to be others."""
        return self.stored().filter(damaged_at__isnull=False)

    def stored(self) -> ArtifactQuerySet:
        """Files whose bytes were not destroyed."""
        return self.filter(blob__destroyed_at__isnull=True)


class Artifact(Record):
    """Named bytes with their hash, as the manifest lists them."""

    run = models.ForeignKey("stewardapp.Run", on_delete=models.PROTECT, related_name="artifacts")
    name = models.CharField(max_length=120)
    media_type = models.CharField(max_length=120)
    public = models.BooleanField(default=False)
    blob = models.ForeignKey("stewardapp.Blob", on_delete=models.PROTECT, related_name="artifacts")
    sha256 = models.CharField(max_length=64)
    size = models.BigIntegerField()
    rows = models.BigIntegerField(null=True, blank=True)
    # When somebody asked for the bytes and they were no longer those that were approved.
    damaged_at = models.DateTimeField(null=True, blank=True, editable=False)

    objects = ArtifactQuerySet.as_manager()

    class Meta:
        ordering = ("run", "name")
        constraints = [
            models.UniqueConstraint(fields=("run", "name"), name="artifact_name_once_in_run"),
            models.CheckConstraint(condition=models.Q(size__gte=0), name="artifact_size_not_negative"),
            models.CheckConstraint(
                condition=models.Q(sha256__regex=r"^[0-9a-f]{64}$"), name="artifact_hash_is_a_hash"
            ),
        ]

    def __str__(self) -> str:
        return self.name
