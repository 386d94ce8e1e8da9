"""One column of a version: what it is and what role it plays."""

from __future__ import annotations

import uuid

from django.db import models

from stewardapp.access.roles import Permission
from stewardapp.models.base import Record
from stewardapp.models.membership import seen_through
from stewardapp.models.sealed import SealedField, SealedRow, opened
from stewardapp.models.user import AnyUser
from worker.engine.tables.kinds import RELEASED, Kind


class ColumnQuerySet(models.QuerySet["Column"]):
    """Questions about columns."""

    def visible_to(self, user: AnyUser) -> ColumnQuerySet:
        """Columns of the versions this person may look into."""
        return seen_through(self, user, "version__dataset__project", Permission.VIEW_DATA, admins=False)

    def tagged(self) -> ColumnQuerySet:
        """Columns somebody gave a role; the others are dropped."""
        return self.exclude(role="")


class Column(SealedRow, Record):
    """Name, kind and role; a column nobody tagged is dropped from every release."""

    version = models.ForeignKey("stewardapp.Version", on_delete=models.PROTECT, related_name="columns")
    position = models.PositiveIntegerField()
    name = models.TextField()
    kind = models.CharField(max_length=32)
    # Whether a person said so; what a reading found is a guess, on which no promise of privacy may rest.
    kind_confirmed = models.BooleanField(default=False)
    role = models.CharField(max_length=32, blank=True, default="")
    distinct = models.BigIntegerField(default=0)
    missing = models.BigIntegerField(default=0)
    sealed_profile = SealedField()
    profile = opened("sealed_profile")
    suggested_role = models.CharField(max_length=32, blank=True, default="")
    sealed_reason = SealedField()
    reason = opened("sealed_reason", str)
    label = models.TextField(blank=True, default="")
    release_weight = models.BooleanField(default=False)
    # Why others could not know a kept column; empty where they could.
    unknown_because = models.CharField(max_length=32, blank=True, default="")
    unknown_words = models.TextField(blank=True, default="")
    hierarchy = models.ForeignKey(
        "stewardapp.Hierarchy", on_delete=models.PROTECT, null=True, blank=True, related_name="columns"
    )
    sealed_settings = SealedField()
    settings = opened("sealed_settings")
    # The exact weights by which respondents randomized their answers themselves; empty for everything else.
    randomized = models.JSONField(default=dict, blank=True, editable=False)

    objects = ColumnQuerySet.as_manager()

    class Meta:
        ordering = ("version", "position")
        constraints = [
            models.UniqueConstraint(fields=("version", "position"), name="column_position_once"),
            models.UniqueConstraint(fields=("version", "name"), name="column_name_once"),
            models.CheckConstraint(
                condition=models.Q(distinct__gte=0, missing__gte=0), name="column_counts_not_negative"
            ),
            models.CheckConstraint(
                condition=models.Q(unknown_because="", unknown_words="")
                | ~(models.Q(unknown_because="") | models.Q(unknown_words="")),
                name="column_unknown_says_why",
            ),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def sealing_key(self) -> uuid.UUID:
        """The key of the version: what is declared was read from the data, or tells about them."""
        return self.version.key_id

    @property
    def has_cells(self) -> bool:
        """Whether it is declared into which cells its values fall, and the cells may leave."""
        bins = "bounds" in self.settings and "bin_width" in self.settings and self.kind != Kind.DATE
        return (bins or bool(self.settings.get("categories"))) and self.role in RELEASED
