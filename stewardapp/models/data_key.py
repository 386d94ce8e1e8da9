"""Keys of stored bytes: that there is one, and when it was destroyed. The key is not in the database."""

from __future__ import annotations

import uuid

from django.db import models
from django.db.models.functions import Now

from stewardapp.models.base import Record


class DataKeyQuerySet(models.QuerySet["DataKey"]):
    """Moves of keys."""

    def add(self, id: uuid.UUID) -> DataKey:
        """Note that there is a key."""
        return self.create(id=id)

    def forget(self, key: DataKey) -> None:
        """Destroy a key: the row stays and says when."""
        self.filter(pk=key.pk, destroyed_at__isnull=True).update(destroyed_at=Now())

    def destroyed(self) -> dict[uuid.UUID, bool]:
        """Of each key, whether it was destroyed."""
        return {id: at is not None for id, at in self.values_list("id", "destroyed_at")}


class DataKey(Record):
    """One key per version and per run; without it the bytes are noise, so destroying it destroys them."""

    destroyed_at = models.DateTimeField(null=True, blank=True)

    objects = DataKeyQuerySet.as_manager()

    def __str__(self) -> str:
        return f"key {self.pk}"
