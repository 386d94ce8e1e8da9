"""Measures asked of a run after it ended: read from exactly the bytes that it made, beside its table."""

from __future__ import annotations

import uuid
from enum import StrEnum
from typing import TYPE_CHECKING

from django.db import models
from django.db.models.functions import Now

from stewardapp.access.facts import AssessmentFacts
from stewardapp.access.roles import Permission
from stewardapp.models.base import Record, implies, one_of
from stewardapp.models.job import ALIVE, Job, JobQuerySet, JobState, job_constraints
from stewardapp.models.membership import seen_through
from stewardapp.models.sealed import SealedField, SealedRow, opened
from stewardapp.models.user import AnyUser

if TYPE_CHECKING:
    from stewardapp.models.project import Project


class Why(StrEnum):
    """Why something was measured afterwards: somebody wanted to know, or a verdict hangs on it."""

    HAND = "hand"
    REVIEWER = "reviewer"
    POLICY = "policy"


class AssessmentQuerySet(JobQuerySet["Assessment"]):
    """Questions about assessments."""

    def visible_to(self, user: AnyUser) -> AssessmentQuerySet:
        """Those of runs whose pages this person sees."""
        return seen_through(self, user, "run__release__project", Permission.VIEW_RELEASE, admins=True)

    def succeeded(self) -> AssessmentQuerySet:
        """Those that have results, the oldest first."""
        return self.filter(state=JobState.SUCCEEDED).order_by("finished_at")

    def for_policy(self) -> AssessmentQuerySet:
        """Those of them that the policy asked for."""
        return self.succeeded().filter(why=Why.POLICY)

    def open_demands(self) -> AssessmentQuerySet:
        """Demanded, not given up, and without a result: nothing is approved before they have one."""
        return self.exclude(why=Why.HAND).exclude(state__in=[JobState.SUCCEEDED, JobState.CANCELLED])

    def give_up(self, id: uuid.UUID, by: models.Model) -> bool:
        """Let go of one that failed, so that nobody waits for it."""
        failed = self.filter(pk=id, state=JobState.FAILED)
        gone = {"state": JobState.CANCELLED, "cancel_requested_at": Now(), "cancelled_by": by}
        return failed.update(**gone) == 1


class Assessment(Job, SealedRow, Record):
    """The measures as a recipe lists them; the report has the shape of a run's, its file lies under the
    run's key."""

    reads = ("run__reading", "compared")

    run = models.ForeignKey("stewardapp.Run", on_delete=models.PROTECT, related_name="assessments")
    # Readings of the versions that measures compare the data with; they name these by their ids.
    compared = models.ManyToManyField("stewardapp.Reading", blank=True, related_name="compared_afterwards")
    # The runs whose files other releases about the same people had given out when it was asked for.
    others = models.ManyToManyField("stewardapp.Run", blank=True, related_name="others_of_assessments")
    # What whoever asked brought along for it: under a key of its own, destroyed when the job has ended.
    brought = models.ForeignKey(
        "stewardapp.Blob", on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    why = models.CharField(max_length=16, default=Why.HAND)
    sealed_measures = SealedField()
    measures = opened("sealed_measures", list)
    measures_sha256 = models.CharField(max_length=64)
    asked_by = models.ForeignKey("stewardapp.User", on_delete=models.PROTECT, related_name="assessments")
    sealed_report = SealedField()
    report = opened("sealed_report")
    file = models.ForeignKey(
        "stewardapp.Blob", on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    report_sha256 = models.CharField(max_length=64, blank=True, default="")
    engine_version = models.CharField(max_length=64, blank=True, default="")

    objects = AssessmentQuerySet.as_manager()

    class Meta:
        ordering = ("-queued_at",)
        constraints = [
            *job_constraints("assessment"),
            one_of("assessment_why_known", "why", Why),
            implies(
                "assessment_succeeded_has_report",
                models.Q(state=JobState.SUCCEEDED),
                models.Q(report_sha256__regex=r"^[0-9a-f]{64}$", file__isnull=False),
            ),
            models.UniqueConstraint(
                fields=("run", "why", "measures_sha256"),
                condition=models.Q(state__in=[str(state) for state in ALIVE]),
                name="assessment_once_at_a_time",
            ),
        ]

    def __str__(self) -> str:
        return f"assessment of {self.run}"

    @property
    def project(self) -> Project:
        """The project of the release."""
        return self.run.project

    @property
    def sealing_key(self) -> uuid.UUID:
        """What it tells of the data goes with them."""
        return self.run.sealing_key

    @property
    def demanded(self) -> bool:
        """Whether a verdict hangs on it."""
        return self.why != Why.HAND

    def facts(self) -> AssessmentFacts:
        """What the rules need to know about it."""
        return AssessmentFacts(
            state=self.state,
            stop_requested=self.cancel_requested_at is not None,
            asked_by=self.asked_by_id,
            by_hand=self.why == Why.HAND,
            by_reviewer=self.why == Why.REVIEWER,
        )
