"""One way in which the bytes of a version were read, and the table that came of it."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Iterator
from functools import reduce
from operator import or_
from typing import TYPE_CHECKING, Any

from django.db import models

from stewardapp.access.facts import JobFacts
from stewardapp.access.roles import Permission
from stewardapp.models.base import Record, both_or_neither, implies
from stewardapp.models.job import Job, JobQuerySet, JobState, job_constraints, kinds_of_jobs
from stewardapp.models.membership import seen_through
from stewardapp.models.sealed import SealedField, SealedRow, opened
from stewardapp.models.user import AnyUser

if TYPE_CHECKING:
    from stewardapp.models.project import Project


class ReadingQuerySet(JobQuerySet["Reading"]):
    """Questions about readings."""

    def visible_to(self, user: AnyUser) -> ReadingQuerySet:
        """Readings of versions this person may look into."""
        return seen_through(self, user, "version__dataset__project", Permission.VIEW_DATA, admins=False)

    def succeeded(self) -> ReadingQuerySet:
        """Readings that made a table."""
        return self.filter(state=JobState.SUCCEEDED)

    def needed(self) -> ReadingQuerySet:
        """Readings whose table somebody still reads, or answers for: what waits, and what was submitted."""
        from stewardapp.models.desk import Desk
        from stewardapp.models.release import Release
        from stewardapp.models.run import Run
        from stewardapp.models.version import Version

        candidates = Run.objects.filter(pk__in=Release.objects.relied_upon().values("candidate"))
        named = (
            Version.objects.values("current"),
            *(candidates.values(where) for where in Run.reads),
            *_read_by(kinds_of_jobs()),
            Desk.objects.open().values("reading"),
        )
        return self.filter(reduce(or_, (models.Q(pk__in=one) for one in named)))

    def in_use(self) -> ReadingQuerySet:
        """Readings that a job works on which does not simply go with the data."""
        kinds = (kind for kind in kinds_of_jobs() if not kind.goes_with)
        return self.filter(reduce(or_, (models.Q(pk__in=one) for one in _read_by(kinds))))

    def watchable_by(self, user: AnyUser) -> ReadingQuerySet:
        """That a file is being read is known to whoever may know of the file."""
        from stewardapp.models.version import Version

        return self.filter(version__in=Version.objects.visible_to(user))


def _read_by(kinds: Iterable[type[Job]]) -> Iterator[models.QuerySet[Any, Any]]:
    """The readings that jobs of these kinds need while they are alive."""
    for kind in kinds:
        for where in kind.reads:
            yield kind.jobs().alive().values(where)


class Reading(Job, SealedRow, Record):
    """Its table never changes: a corrected dialect makes another reading, and runs name theirs."""

    reads = ("pk",)  # it is one itself

    version = models.ForeignKey("stewardapp.Version", on_delete=models.PROTECT, related_name="readings")
    # What somebody said of the file; once it was read, everything that was said or found and then used.
    dialect = models.JSONField(default=dict, blank=True)
    requested_by = models.ForeignKey("stewardapp.User", on_delete=models.PROTECT, related_name="readings")
    table = models.ForeignKey(
        "stewardapp.Blob", on_delete=models.PROTECT, related_name="readings", null=True, blank=True
    )
    # What its people can be recognised by; readings of before have none, and are compared with nothing.
    likeness = models.ForeignKey(
        "stewardapp.Blob", on_delete=models.PROTECT, related_name="+", null=True, blank=True
    )
    # What is in each of its columns, for pages; readings of before have none.
    values_kept = models.ForeignKey(
        "stewardapp.Blob", on_delete=models.PROTECT, related_name="+", null=True, blank=True
    )
    rows = models.BigIntegerField(null=True, blank=True)
    sealed_profile = SealedField()
    profile = opened("sealed_profile")

    objects = ReadingQuerySet.as_manager()

    class Meta:
        ordering = ("-queued_at",)
        constraints = [
            *job_constraints("reading"),
            both_or_neither("reading_table_with_rows", "table", "rows"),
            implies(
                "reading_table_only_succeeded",
                ~models.Q(state=JobState.SUCCEEDED),
                models.Q(table__isnull=True),
            ),
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

    @property
    def sealing_key(self) -> uuid.UUID:
        """The key of the version."""
        return self.version.key_id

    @property
    def table_sha256(self) -> str:
        """The hash of the table, which stays known when the table is gone; empty when none was made."""
        return "" if self.table is None else self.table.sha256

    def facts(self) -> JobFacts:
        """What the rules need to know about this reading."""
        return JobFacts(state=self.state, stop_requested=self.cancel_requested_at is not None)
