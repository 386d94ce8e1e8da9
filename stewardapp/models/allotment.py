"""A project's part of a population's budget."""

from __future__ import annotations

from django.db import models

from stewardapp.access.roles import Permission
from stewardapp.models.membership import seen_through
from stewardapp.models.purse import Divisible, purse_constraints
from stewardapp.models.user import AnyUser


class AllotmentQuerySet(models.QuerySet["Allotment"]):
    """Questions about allotments."""

    def visible_to(self, user: AnyUser) -> AllotmentQuerySet:
        """Allotments of the projects this person sees."""
        return seen_through(self, user, "project", Permission.VIEW_PROJECT, admins=True, officers=True)


class Allotment(Divisible):
    """What one project may spend on one population; all of them together stay within its limit."""

    population = models.ForeignKey(
        "stewardapp.Population", on_delete=models.PROTECT, related_name="allotments"
    )
    project = models.ForeignKey("stewardapp.Project", on_delete=models.PROTECT, related_name="allotments")

    objects = AllotmentQuerySet.as_manager()

    class Meta:
        ordering = ("project__name",)
        constraints = [
            models.UniqueConstraint(fields=("population", "project"), name="allotment_once"),
            *purse_constraints("allotment", "left", "unshared"),
        ]

    def __str__(self) -> str:
        return f"{self.project} · {self.population}"
