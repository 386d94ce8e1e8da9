"""Who shaped a release: the other side of four eyes."""

from __future__ import annotations

from enum import StrEnum

from django.db import models

from stewardapp.models.base import Record, one_of


class ContributionKind(StrEnum):
    """How somebody shaped a release."""

    CREATED = "created"
    EDITED_RECIPE = "edited-recipe"
    STARTED_RUN = "started-run"
    SHAPED_INPUT = "shaped-input"
    DESCRIBED = "described"
    SUBMITTED = "submitted"


class Contribution(Record):
    """One way in which one person contributed to one release."""

    release = models.ForeignKey("stewardapp.Release", on_delete=models.PROTECT, related_name="contributions")
    user = models.ForeignKey("stewardapp.User", on_delete=models.PROTECT, related_name="contributions")
    kind = models.CharField(max_length=16)

    objects = models.Manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=("release", "user", "kind"), name="contribution_once"),
            one_of("contribution_kind_known", "kind", ContributionKind),
        ]

    def __str__(self) -> str:
        return f"{self.user} · {self.kind}"
