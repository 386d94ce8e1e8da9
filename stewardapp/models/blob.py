"""Stored bytes: what is on the disk and under which key."""

from __future__ import annotations

from django.db import models
from django.db.models.functions import Now

from stewardapp.models.base import Record
from stewardapp.models.data_key import DataKey


class BlobQuerySet(models.QuerySet["Blob"]):
    """Questions about stored bytes."""

    def stored(self) -> BlobQuerySet:
        """Blobs whose bytes must be there."""
        return self.filter(destroyed_at__isnull=True)

    def settle(self, *, path: str, key: DataKey, sha256: str, size: int, purpose: str) -> Blob:
        """The row of bytes that lie under their final name; the same bytes twice are one row, and the first.

        Bytes that were destroyed and made again are there again.
        """
        facts = {"size": size, "purpose": purpose, "destroyed_at": None}
        first = {**facts, "path": path}
        blob, made = self.get_or_create(key=key, sha256=sha256, defaults=first)
        if not made and not self.stored().filter(pk=blob.pk).update(**facts):
            self.filter(pk=blob.pk, destroyed_at__isnull=False).update(**first)
        if not made:
            blob.refresh_from_db(fields=list(first))
        return blob

    def forget(self, blob: Blob) -> None:
        """Note that the bytes are gone."""
        self.filter(pk=blob.pk, destroyed_at__isnull=True).update(destroyed_at=Now())


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
            models.UniqueConstraint(fields=["key", "sha256"], name="blob_once_under_a_key"),
            models.CheckConstraint(
                condition=models.Q(sha256__regex=r"^[0-9a-f]{64}$"), name="blob_hash_is_a_hash"
            ),
            models.CheckConstraint(condition=models.Q(size__gte=0), name="blob_size_not_negative"),
        ]

    def __str__(self) -> str:
        return f"{self.purpose} {self.sha256[:12]}"
