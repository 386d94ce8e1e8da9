"""One step tried on one column before any run: aggregates, kept as long as the draft is one."""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING

from django.db import models

from stewardapp.access.roles import Permission
from stewardapp.models.base import Record
from stewardapp.models.job import Job, JobQuerySet, job_constraints
from stewardapp.models.membership import seen_through
from stewardapp.models.sealed import SealedField, SealedRow, opened
from stewardapp.models.user import AnyUser

if TYPE_CHECKING:
    from stewardapp.models.project import Project


class PreviewQuerySet(JobQuerySet["Preview"]):
    """Questions about previews."""

    def visible_to(self, user: AnyUser) -> PreviewQuerySet:
        """Previews of data this person may look into: they show aggregates of it."""
        return seen_through(self, user, "release__project", Permission.VIEW_DATA, admins=False)


class Preview(Job, SealedRow, Record):
    """The recipe holds the one step; no key is kept, because the engine draws one and forgets it."""

    reads = ("reading", "compared")
    goes_with = "release__version"

    release = models.ForeignKey("stewardapp.Release", on_delete=models.CASCADE, related_name="previews")
    reading = models.ForeignKey("stewardapp.Reading", on_delete=models.PROTECT, related_name="previews")
    compared = models.ManyToManyField("stewardapp.Reading", blank=True, related_name="compared_in_previews")
    sealed_recipe = SealedField()
    recipe = opened("sealed_recipe")
    column = models.CharField(max_length=1024, blank=True, default="")
    requested_by = models.ForeignKey("stewardapp.User", on_delete=models.PROTECT, related_name="previews")
    sealed_result = SealedField()
    result = opened("sealed_result")

    objects = PreviewQuerySet.as_manager()

    class Meta:
        ordering = ("-queued_at",)
        constraints = [*job_constraints("preview")]

    def __str__(self) -> str:
        return f"preview for {self.release}"

    @property
    def sealing_key(self) -> uuid.UUID:
        """The key of the version."""
        return self.release.version.key_id

    @property
    def project(self) -> Project:
        """The project of the release."""
        return self.release.project
