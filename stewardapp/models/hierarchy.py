"""How the values of a column generalize, level by level."""

from __future__ import annotations

from typing import Any

from django.db import models

from stewardapp.access.roles import Permission
from stewardapp.models.base import Record
from stewardapp.models.membership import seen_through
from stewardapp.models.user import AnyUser


class HierarchyQuerySet(models.QuerySet["Hierarchy"]):
    """Questions about hierarchies."""

    def visible_to(self, user: AnyUser) -> HierarchyQuerySet:
        """Hierarchies of projects where this person may see data: they hold values."""
        return seen_through(self, user, "project", Permission.VIEW_DATA, admins=False)


class Hierarchy(Record):
    """A builder and its settings, or the lines of a table somebody brought."""

    project = models.ForeignKey("stewardapp.Project", on_delete=models.PROTECT, related_name="hierarchies")
    name = models.CharField(max_length=120)
    spec = models.JSONField(default=dict, blank=True)
    lines = models.TextField(blank=True, default="")
    levels = models.PositiveSmallIntegerField(default=0)
    # Unknown of those that were made before this was kept, and nobody wrote down who.
    made_by = models.ForeignKey(
        "stewardapp.User", on_delete=models.PROTECT, null=True, blank=True, related_name="hierarchies"
    )

    objects = HierarchyQuerySet.as_manager()

    class Meta:
        ordering = ("name",)
        constraints = [
            models.UniqueConstraint(fields=("project", "name"), name="hierarchy_name_once_in_project"),
            models.CheckConstraint(
                condition=(models.Q(lines="") & ~models.Q(spec={}))
                | (~models.Q(lines="") & models.Q(spec={})),
                name="hierarchy_is_built_or_written",
            ),
        ]

    def __str__(self) -> str:
        return self.name

    def as_recipe(self) -> dict[str, Any] | list[str]:
        """The hierarchy as a recipe holds it: a builder, or inline lines."""
        return self.lines.splitlines() if self.lines else dict(self.spec)
