"""Keys of stored bytes, wrapped by a key that is not in the database."""

from __future__ import annotations

from django.db import models

from stewardapp.models.base import Record


class DataKey(Record):
    """One key per version and per run; without it the bytes are noise, so destroying it destroys them."""

    wrapped = models.BinaryField(null=True)
    destroyed_at = models.DateTimeField(null=True, blank=True)

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
