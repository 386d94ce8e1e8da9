"""A named dataset of a project."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.db import models

from stewardapp.access.roles import Permission
from stewardapp.models.base import Record
from stewardapp.models.membership import seen_through
from stewardapp.models.user import AnyUser

if TYPE_CHECKING:
    from stewardapp.models.version import Version


class DatasetQuerySet(models.QuerySet["Dataset"]):
    """Questions about datasets."""

    def visible_to(self, user: AnyUser) -> DatasetQuerySet:
        """Datasets of projects in which this person may see data; admins see that they exist."""
        return seen_through(self, user, "project", Permission.VIEW_DATA, admins=True)


class Dataset(Record):
    """A name under which versions are uploaded."""

    project = models.ForeignKey("stewardapp.Project", on_delete=models.PROTECT, related_name="datasets")
    population = models.ForeignKey("stewardapp.Population", on_delete=models.PROTECT, related_name="datasets")
    name = models.CharField(max_length=120)
    description = models.TextField(blank=True, default="")

    objects = DatasetQuerySet.as_manager()

    class Meta:
        ordering = ("name",)
        constraints = [
            models.UniqueConstraint(fields=("project", "name"), name="dataset_name_once_in_project"),
            models.CheckConstraint(condition=~models.Q(name=""), name="dataset_has_a_name"),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def latest_version(self) -> Version | None:
        """The newest version, destroyed or not."""
        return self.versions.select_related("current").order_by("-number").first()
