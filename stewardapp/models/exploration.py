"""Every combination of levels that the searches of a run look at, listed when somebody asks for it."""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING

from django.db import models

from stewardapp.access.roles import Permission
from stewardapp.models.base import Record
from stewardapp.models.job import ALIVE, Job, JobQuerySet, JobState, job_constraints
from stewardapp.models.membership import seen_through
from stewardapp.models.sealed import SealedField, SealedRow, opened
from stewardapp.models.user import AnyUser

if TYPE_CHECKING:
    from stewardapp.models.project import Project


class ExplorationQuerySet(JobQuerySet["Exploration"]):
    """Questions about explorations."""

    def visible_to(self, user: AnyUser) -> ExplorationQuerySet:
        """Those of runs whose pages this person sees."""
        return seen_through(self, user, "run__release__project", Permission.VIEW_RELEASE, admins=True)


class Exploration(Job, SealedRow, Record):
    """`steps` holds what a report with lists says of each step; nothing for one that searches nothing."""

    reads = ("run__reading", "run__compared")

    run = models.ForeignKey("stewardapp.Run", on_delete=models.PROTECT, related_name="explorations")
    asked_by = models.ForeignKey("stewardapp.User", on_delete=models.PROTECT, related_name="explorations")
    sealed_steps = SealedField()
    steps = opened("sealed_steps", list)

    objects = ExplorationQuerySet.as_manager()

    class Meta:
        ordering = ("-queued_at",)
        constraints = [
            *job_constraints("exploration"),
            models.UniqueConstraint(
                fields=("run",),
                condition=models.Q(state__in=[str(state) for state in (*ALIVE, JobState.SUCCEEDED)]),
                name="exploration_once",
            ),
        ]

    def __str__(self) -> str:
        return f"solutions of {self.run}"

    @property
    def project(self) -> Project:
        """The project of the release."""
        return self.run.project

    @property
    def sealing_key(self) -> uuid.UUID:
        """What it tells of the data goes with them."""
        return self.run.sealing_key
