"""A combination of levels that somebody wants to come back to, and why."""

from __future__ import annotations

from django.db import models

from stewardapp.access.roles import Permission
from stewardapp.models.base import Record
from stewardapp.models.membership import seen_through
from stewardapp.models.user import AnyUser

MOST = 8
"""So many of one step stand side by side and can still be read."""


class BookmarkQuerySet(models.QuerySet["Bookmark"]):
    """Questions about bookmarks."""

    def visible_to(self, user: AnyUser) -> BookmarkQuerySet:
        """Those of runs whose pages this person sees."""
        return seen_through(self, user, "run__release__project", Permission.VIEW_RELEASE, admins=True)


class Bookmark(Record):
    """`node` names the levels as the explorer's addresses do: one number for each column, in its order."""

    run = models.ForeignKey("stewardapp.Run", on_delete=models.PROTECT, related_name="bookmarks")
    step = models.PositiveIntegerField()
    node = models.CharField(max_length=400)
    note = models.CharField(max_length=500, blank=True, default="")
    kept_by = models.ForeignKey("stewardapp.User", on_delete=models.PROTECT, related_name="bookmarks")

    objects = BookmarkQuerySet.as_manager()

    class Meta:
        ordering = ("created_at",)
        constraints = [
            models.UniqueConstraint(fields=("run", "step", "node"), name="bookmark_once"),
            models.CheckConstraint(condition=~models.Q(node=""), name="bookmark_names_a_node"),
        ]

    def __str__(self) -> str:
        return f"bookmark in {self.run}"
