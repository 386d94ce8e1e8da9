"""A named dataset of a project."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from django.db import models

from stewardapp.access.facts import DatasetFacts
from stewardapp.access.roles import Permission
from stewardapp.models.base import Record, both_or_neither
from stewardapp.models.job import ALIVE
from stewardapp.models.membership import seen_through
from stewardapp.models.user import AnyUser

if TYPE_CHECKING:
    from stewardapp.models.population import Population


class DatasetQuerySet(models.QuerySet["Dataset"]):
    """Questions about datasets."""

    def visible_to(self, user: AnyUser) -> DatasetQuerySet:
        """Datasets of projects in which this person may see data; admins see that they exist."""
        return seen_through(self.there(), user, "project", Permission.VIEW_DATA, admins=True)

    def there(self) -> DatasetQuerySet:
        """Datasets nobody removed."""
        return self.filter(removed_at__isnull=True)

    def holding(self, populations: Iterable[Population]) -> DatasetQuerySet:
        """The datasets through which projects hold data about these people."""
        ids = [population.pk for population in populations]
        live = models.Q(admitted=True, versions__isnull=False, versions__destroyed_at__isnull=True)
        return self.filter(live, population__in=ids).order_by().distinct()


class Dataset(Record):
    """A name under which versions are uploaded."""

    project = models.ForeignKey("stewardapp.Project", on_delete=models.PROTECT, related_name="datasets")
    population = models.ForeignKey("stewardapp.Population", on_delete=models.PROTECT, related_name="datasets")
    name = models.CharField(max_length=120)
    description = models.TextField(blank=True, default="")
    removed_at = models.DateTimeField(null=True, blank=True)
    removed_by = models.ForeignKey(
        "stewardapp.User", on_delete=models.PROTECT, related_name="+", null=True, blank=True
    )
    # Whether its project counts among those who hold data about the people: naming them is not enough.
    admitted = models.BooleanField(default=False)
    # Who said whom it is about; unknown of those that were named before this was kept.
    created_by = models.ForeignKey(
        "stewardapp.User", on_delete=models.PROTECT, null=True, blank=True, related_name="datasets"
    )

    objects = DatasetQuerySet.as_manager()

    class Meta:
        ordering = ("name",)
        constraints = [
            models.UniqueConstraint(
                fields=("project", "name"),
                condition=models.Q(removed_at__isnull=True),
                name="dataset_name_once_in_project",
            ),
            both_or_neither("dataset_removed_by_somebody", "removed_at", "removed_by"),
            models.CheckConstraint(condition=~models.Q(name=""), name="dataset_has_a_name"),
        ]

    def __str__(self) -> str:
        return self.name

    def facts(self) -> DatasetFacts:
        """What the rules need to know about this dataset."""
        made = (
            self.versions.filter(models.Q(releases__isnull=False) | models.Q(desks__isnull=False)),
            self.versions.filter(readings__state__in=ALIVE),
            self.uploads.open(),
            self.proposals.open(),
        )
        return DatasetFacts(
            holds_data=self.versions.ready().exists(),
            used=hasattr(self, "survey") or any(found.exists() for found in made),
            removed=self.removed_at is not None,
        )
