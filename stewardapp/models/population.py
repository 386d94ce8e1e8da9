"""The people a dataset is about."""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING

from django.db import models

from stewardapp.models.purse import Divisible, purse_constraints
from stewardapp.models.user import AnyUser

if TYPE_CHECKING:
    from stewardapp.models.project import Project


class PopulationQuerySet(models.QuerySet["Population"]):
    """Questions about populations."""

    def visible_to(self, user: AnyUser) -> PopulationQuerySet:
        """Populations belong to the site: admins, officers and members of any project see them all."""
        if not user.is_authenticated or not user.is_active:
            return self.none()
        if user.is_admin or user.protects_data or user.memberships.exists():
            return self
        return self.none()

    def sharing_with(self, population: uuid.UUID) -> PopulationQuerySet:
        """These people, and all of whom some are among them."""
        return self.filter(models.Q(pk=population) | models.Q(overlaps=population)).order_by().only("pk")


class Population(Divisible):
    """A group of people, known to the whole site because copies of their data cross projects.

    The privacy budget is theirs: it begins at nothing, and what is spent of it stays spent whatever becomes
    of the datasets.
    """

    name = models.CharField(max_length=120, unique=True)
    description = models.TextField(blank=True, default="")
    overlaps = models.ManyToManyField("self", blank=True)
    # How many overlaps were declared: a purchase that does not know of the last one is made again.
    ties = models.IntegerField(default=0)

    objects = PopulationQuerySet.as_manager()

    class Meta:
        ordering = ("name",)
        constraints = [
            models.CheckConstraint(condition=~models.Q(name=""), name="population_has_a_name"),
            *purse_constraints("population", "left", "unshared"),
        ]

    def __str__(self) -> str:
        return self.name

    def is_free_for(self, project: Project) -> bool:
        """Whether nothing was ever said of these people but by this project: then it begins to hold them."""
        others = (self.datasets.exclude(project=project), self.surveys.exclude(project=project))
        used = self.limit or self.charges.exists() or self.overlaps.exists()
        return not used and not any(found.exists() for found in others)

    @property
    def charged_with(self) -> list[Population]:
        """This population and all that share people with it."""
        return sorted([self, *self.overlaps.all()], key=lambda population: population.pk)
