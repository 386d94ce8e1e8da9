"""One attempt to read a version's bytes into a table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.db import models

from stewardapp.access.facts import JobFacts
from stewardapp.access.roles import Permission
from stewardapp.models.base import Record
from stewardapp.models.job import Job, JobQuerySet, job_constraints
from stewardapp.models.membership import seen_through
from stewardapp.models.user import AnyUser

if TYPE_CHECKING:
    from stewardapp.models.project import Project


class ReadingQuerySet(JobQuerySet["Reading"]):
    """Questions about readings."""

    def visible_to(self, user: AnyUser) -> ReadingQuerySet:
        """Readings of versions this person may look into."""
        return seen_through(self, user, "version__dataset__project", Permission.VIEW_DATA, admins=False)


class Reading(Job, Record):
    """Reads and profiles; a corrected dialect makes another reading."""

    version = models.ForeignKey("stewardapp.Version", on_delete=models.PROTECT, related_name="readings")
    dialect = models.JSONField(default=dict, blank=True)
    requested_by = models.ForeignKey("stewardapp.User", on_delete=models.PROTECT, related_name="readings")

    objects = ReadingQuerySet.as_manager()

    class Meta:
        ordering = ("-queued_at",)
        constraints = [
            *job_constraints("reading"),
            models.UniqueConstraint(
                fields=("version",),
                condition=models.Q(state__in=["queued", "running"]),
                name="reading_one_alive_per_version",
            ),
        ]

    def __str__(self) -> str:
        return f"reading of {self.version}"

    @property
    def project(self) -> Project:
        """The project of the version."""
        return self.version.project

    def facts(self) -> JobFacts:
        """What the rules need to know about this reading."""
        return JobFacts(state=self.state, stop_requested=self.cancel_requested_at is not None)
