"""What every record has: a random id and the moment it was made."""

from __future__ import annotations

import uuid
from collections.abc import Iterable

from django.db import models
from django.utils import timezone


class Record(models.Model):
    """Abstract base: UUID primary key, so that ids tell nothing and cannot be walked."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        abstract = True


def both_or_neither(name: str, *fields: str) -> models.CheckConstraint:
    """A constraint: these nullable columns are set together or not at all (who and when)."""
    together = models.Q(**{f"{field}__isnull": False for field in fields})
    neither = models.Q(**{f"{field}__isnull": True for field in fields})
    return models.CheckConstraint(condition=together | neither, name=name)


def one_of(name: str, field: str, values: Iterable[str]) -> models.CheckConstraint:
    """A constraint: the column holds one of these words."""
    words = sorted(str(value) for value in values)
    return models.CheckConstraint(condition=models.Q(**{f"{field}__in": words}), name=name)


def implies(name: str, condition: models.Q, consequence: models.Q) -> models.CheckConstraint:
    """A constraint: wherever the condition holds, the consequence holds."""
    return models.CheckConstraint(condition=~condition | consequence, name=name)
