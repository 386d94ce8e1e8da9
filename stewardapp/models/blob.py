"""Stored bytes: what is on the disk and under which key."""

from __future__ import annotations

from django.db import models

from stewardapp.models.base import Record


class BlobQuerySet(models.QuerySet["Blob"]):
    """Questions about stored bytes."""

    def stored(self) -> BlobQuerySet:
        """Blobs whose bytes must be there."""
        return self.filter(destroyed_at__isnull=True)


class Blob(Record):
    """One sealed file, known by the hash of what is inside it."""

    sha256 = models.CharField(max_length=64)
    size = models.BigIntegerField()
    path = models.CharField(max_length=200, unique=True)
    key = models.ForeignKey("stewardapp.DataKey", on_delete=models.PROTECT, related_name="blobs")
    purpose = models.CharField(max_length=32)
    destroyed_at = models.DateTimeField(null=True, blank=True)

    objects = BlobQuerySet.as_manager()

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=models.Q(sha256__regex=r"^[0-9a-f]{64}$"), name="blob_hash_is_a_hash"
            ),
            models.CheckConstraint(condition=models.Q(size__gte=0), name="blob_size_not_negative"),
        ]

    def __str__(self) -> str:
        return f"{self.purpose} {self.sha256[:12]}"
