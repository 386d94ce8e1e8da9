"""Keys of stored bytes, wrapped by a key that is not in the database."""

from __future__ import annotations

import uuid

from django.db import models
from django.db.models.functions import Now

from stewardapp.models.base import Record


class DataKeyQuerySet(models.QuerySet["DataKey"]):
    """Moves of keys."""

    def add(self, id: uuid.UUID, wrapped: bytes) -> DataKey:
        """Keep a wrapped key."""
        return self.create(id=id, wrapped=wrapped)

    def forget(self, key: DataKey) -> None:
        """Destroy a key: the row stays and says when."""
        self.filter(pk=key.pk, destroyed_at__isnull=True).update(wrapped=None, destroyed_at=Now())


class DataKey(Record):
    """One key per version and per run; without it the bytes are noise, so destroying it destroys them."""

    wrapped = models.BinaryField(null=True)
    destroyed_at = models.DateTimeField(null=True, blank=True)

    objects = DataKeyQuerySet.as_manager()

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=models.Q(wrapped__isnull=False, destroyed_at__isnull=True)
                | models.Q(wrapped__isnull=True, destroyed_at__isnull=False),
                name="data_key_is_there_or_destroyed",
            )
        ]

    def __str__(self) -> str:
        return f"key {self.pk}"
