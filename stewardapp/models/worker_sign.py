"""That a worker lives: its last sign."""

from __future__ import annotations

from datetime import timedelta

from django.db import models
from django.db.models.functions import Now
from django.utils import timezone

ALIVE = timedelta(minutes=1)
FORGOTTEN = timedelta(days=1)


class WorkerSignQuerySet(models.QuerySet["WorkerSign"]):
    """Questions about workers, and the one thing they say."""

    def alive(self) -> WorkerSignQuerySet:
        """Heard of within a minute."""
        return self.filter(seen_at__gte=timezone.now() - ALIVE)

    def forgotten(self) -> WorkerSignQuerySet:
        """Of workers that ended long ago."""
        return self.filter(seen_at__lt=timezone.now() - FORGOTTEN)

    def give(self, name: str, engine: str) -> None:
        """This worker lives now: one statement, whether it was known or not."""
        sign = WorkerSign(name=name, engine=engine, seen_at=Now())
        told = ["seen_at", "engine"]
        self.bulk_create([sign], update_conflicts=True, unique_fields=["name"], update_fields=told)


class WorkerSign(models.Model):
    """One row for each process that works; `engine` is the version of the code it runs."""

    name = models.CharField(primary_key=True, max_length=128)
    engine = models.CharField(max_length=32)
    seen_at = models.DateTimeField(db_index=True)

    objects = WorkerSignQuerySet.as_manager()

    class Meta:
        ordering = ("name",)

    def __str__(self) -> str:
        return self.name
