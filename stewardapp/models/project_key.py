"""The key under which a project's pseudonyms are computed."""

from __future__ import annotations

import uuid

from django.db import models
from django.db.models.functions import Now

from stewardapp.access.facts import ProjectKeyFacts
from stewardapp.models.base import Record, both_or_neither
from stewardapp.models.job import ALIVE
from stewardapp.models.user import User


class ProjectKeyQuerySet(models.QuerySet["ProjectKey"]):
    """Questions about project keys."""

    def in_force(self) -> ProjectKeyQuerySet:
        """Keys that new runs use: at most one per project."""
        return self.filter(replaced_at__isnull=True)

    def of(self, project_id: uuid.UUID) -> ProjectKey | None:
        """The key a project uses now; None before its first use."""
        return self.in_force().filter(project=project_id).select_related("key").first()

    def retire(self, key: ProjectKey, by: User) -> None:
        """Note that another key took its place."""
        self.in_force().filter(pk=key.pk).update(replaced_at=Now(), replaced_by=by)


class ProjectKey(Record):
    """Wrapped as every key is; replacing one destroys it, the row stays and says when."""

    project = models.ForeignKey("stewardapp.Project", on_delete=models.PROTECT, related_name="keys")
    number = models.PositiveIntegerField()
    key = models.OneToOneField("stewardapp.DataKey", on_delete=models.PROTECT, related_name="project_key")
    created_by = models.ForeignKey("stewardapp.User", on_delete=models.PROTECT, related_name="+")
    replaced_at = models.DateTimeField(null=True, blank=True)
    replaced_by = models.ForeignKey(
        "stewardapp.User", on_delete=models.PROTECT, related_name="+", null=True, blank=True
    )

    objects = ProjectKeyQuerySet.as_manager()

    class Meta:
        ordering = ("project", "-number")
        constraints = [
            models.UniqueConstraint(fields=("project", "number"), name="project_key_number_once"),
            models.UniqueConstraint(
                fields=("project",),
                condition=models.Q(replaced_at__isnull=True),
                name="project_key_one_in_force",
            ),
            both_or_neither("project_key_replaced_by_somebody", "replaced_at", "replaced_by"),
        ]

    def __str__(self) -> str:
        return f"{self.project} · key {self.number}"


def key_facts(project_id: uuid.UUID) -> ProjectKeyFacts:
    """What the rules need to know about the key of a project."""
    key = ProjectKey.objects.of(project_id)
    return ProjectKeyFacts(
        exists=key is not None, busy=key is not None and key.runs.filter(state__in=ALIVE).exists()
    )
