"""Attacks replayed on people who do not exist: nothing here is about anybody, so everybody may read it."""

from __future__ import annotations

from django.db import models

from stewardapp.access.facts import JobFacts
from stewardapp.models.base import Record
from stewardapp.models.job import Job, JobQuerySet, JobState, job_constraints
from stewardapp.models.user import AnyUser


class ReplayQuerySet(JobQuerySet["Replay"]):
    """Questions about replays."""

    def visible_to(self, user: AnyUser) -> ReplayQuerySet:
        """All of them, for whoever is signed in."""
        return self if user.is_authenticated and user.is_active else self.none()

    def latest_result(self) -> Replay | None:
        """The newest one that has something to show."""
        return self.filter(state=JobState.SUCCEEDED).first()


class Replay(Job, Record):
    """`settings` are those of the engine's attacks, `result` its charts and findings."""

    settings = models.JSONField(default=dict)
    requested_by = models.ForeignKey("stewardapp.User", on_delete=models.PROTECT, related_name="replays")
    result = models.JSONField(default=dict, blank=True)

    objects = ReplayQuerySet.as_manager()

    class Meta:
        ordering = ("-queued_at",)
        constraints = [
            *job_constraints("replay"),
            models.UniqueConstraint(
                models.Value(1), condition=models.Q(state__in=["queued", "running"]), name="replay_one_alive"
            ),
        ]

    def __str__(self) -> str:
        return "replay of attacks"

    @property
    def project(self) -> None:
        """It belongs to no project."""
        return None

    def facts(self) -> JobFacts:
        """What the rules need to know about this replay."""
        return JobFacts(state=self.state, stop_requested=self.cancel_requested_at is not None)
