"""Runs of one release that try a grid of values, begun and cancelled as one."""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING

from django.db import models

from stewardapp.access.roles import Permission
from stewardapp.models.base import Record
from stewardapp.models.membership import seen_through
from stewardapp.models.sealed import SealedField, SealedRow, opened
from stewardapp.models.user import AnyUser

if TYPE_CHECKING:
    from stewardapp.models.project import Project


class SweepQuerySet(models.QuerySet["Sweep"]):
    """Questions about sweeps."""

    def visible_to(self, user: AnyUser) -> SweepQuerySet:
        """Those of releases whose working pages this person sees."""
        return seen_through(self, user, "release__project", Permission.VIEW_RELEASE, admins=True)


class Sweep(SealedRow, Record):
    """`varied` holds the parameters and their values; each of its runs has a recipe of its own."""

    release = models.ForeignKey("stewardapp.Release", on_delete=models.PROTECT, related_name="sweeps")
    begun_by = models.ForeignKey("stewardapp.User", on_delete=models.PROTECT, related_name="sweeps")
    sealed_varied = SealedField()
    varied = opened("sealed_varied", list)

    objects = SweepQuerySet.as_manager()

    class Meta:
        ordering = ("-created_at",)

    def __str__(self) -> str:
        return f"a sweep of {self.release}"

    @property
    def project(self) -> Project:
        """The project of the release."""
        return self.release.project

    @property
    def sealing_key(self) -> uuid.UUID:
        """A value to try may be one of the data, and goes with them."""
        return self.release.version.key_id
