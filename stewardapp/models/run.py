"""One execution of a recipe by a worker."""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING, Any

from django.db import models

from stewardapp.access.roles import Permission
from stewardapp.models.base import Record, implies
from stewardapp.models.job import Job, JobQuerySet, JobState, job_constraints
from stewardapp.models.membership import seen_through
from stewardapp.models.sealed import SealedField, SealedRow, opened
from stewardapp.models.user import AnyUser

if TYPE_CHECKING:
    from stewardapp.models.project import Project
    from stewardapp.models.reading import Reading


class RunQuerySet(JobQuerySet["Run"]):
    """Questions about runs."""

    def visible_to(self, user: AnyUser) -> RunQuerySet:
        """Runs of releases whose working pages this person sees."""
        return seen_through(self, user, "release__project", Permission.VIEW_RELEASE, admins=True)

    def succeeded(self) -> RunQuerySet:
        """Runs that can become a candidate."""
        return self.filter(state=JobState.SUCCEEDED)

    def of_sweeps(self) -> RunQuerySet:
        """Runs that try one of many values; everything else comes before them."""
        return self.filter(sweep__isnull=False)

    def announce_again(self, id: uuid.UUID) -> None:
        """A queued job that stood aside is announced anew, behind what waits now."""
        self.filter(pk=id, state=JobState.QUEUED).update(dispatched_at=None)

    def answers(self, reading: Reading) -> RunQuerySet:
        """Runs on the very table of this reading whose answer was paid for and is still stored."""
        same = {"reading__version": reading.version_id, "reading__table__sha256": reading.table_sha256}
        stored = self.succeeded().filter(**same, charges__isnull=False)
        return stored.exclude(artifacts__blob__destroyed_at__isnull=False).distinct().order_by("number")


class Run(Job, SealedRow, Record):
    """A release may have many runs; the steward submits one as candidate."""

    reads = ("reading", "compared")

    release = models.ForeignKey("stewardapp.Release", on_delete=models.PROTECT, related_name="runs")
    number = models.PositiveIntegerField()
    # The grid of values that it tries one of.
    sweep = models.ForeignKey(
        "stewardapp.Sweep", on_delete=models.PROTECT, null=True, blank=True, related_name="runs"
    )
    sealed_recipe = SealedField()
    recipe = opened("sealed_recipe")
    recipe_sha256 = models.CharField(max_length=64)
    started_by = models.ForeignKey("stewardapp.User", on_delete=models.PROTECT, related_name="runs")
    key = models.ForeignKey("stewardapp.DataKey", on_delete=models.PROTECT, related_name="runs")
    # The table it reads, whatever is read from the same bytes later.
    reading = models.ForeignKey("stewardapp.Reading", on_delete=models.PROTECT, related_name="runs")
    # Readings of the versions that goals compare the data with; the recipe names these by their ids.
    compared = models.ManyToManyField("stewardapp.Reading", blank=True, related_name="compared_in")
    # The runs whose files other releases about the same people gave out: measures may look at them.
    others = models.ManyToManyField("self", symmetrical=False, blank=True, related_name="others_of")
    # Sealed files that it keeps to be measured again: in no manifest, never downloaded, gone with the data.
    kept = models.ManyToManyField("stewardapp.Blob", blank=True, related_name="kept_by")
    # What a codebook says of the columns and a recipe does not: labels, randomization at the source.
    dictionary = models.JSONField(default=dict, blank=True)
    # Which key the pseudonyms of this run are made with; a run that needs none holds none.
    project_key = models.ForeignKey(
        "stewardapp.ProjectKey", on_delete=models.PROTECT, null=True, blank=True, related_name="runs"
    )
    sealed_report = SealedField()
    report = opened("sealed_report")
    # The figures of what left that policies and lists read: numbers by instance and name, no values of data.
    figures = models.JSONField(default=dict, blank=True)
    # What was measured afterwards and counts: the reports that votes are bound to, and figures as above.
    assessed = models.JSONField(default=dict, blank=True)
    # The manifest in two parts: what stays when the data are destroyed, and what holds their values.
    stated = models.JSONField(default=dict, blank=True)
    sealed_inside = SealedField()
    inside = opened("sealed_inside")
    manifest_sha256 = models.CharField(max_length=64, blank=True, default="")
    engine_version = models.CharField(max_length=64, blank=True, default="")
    # When the privacy budget was charged for this run: noise must never be drawn twice for one charge.
    charged_at = models.DateTimeField(null=True, blank=True)
    # The run whose stored answer this one repeats, at no cost.
    answered_by = models.ForeignKey(
        "self", on_delete=models.PROTECT, null=True, blank=True, related_name="repeated_by"
    )

    objects = RunQuerySet.as_manager()

    class Meta:
        ordering = ("release", "-number")
        constraints = [
            *job_constraints("run"),
            models.UniqueConstraint(fields=("release", "number"), name="run_number_once"),
            models.CheckConstraint(condition=models.Q(number__gte=1), name="run_number_counts"),
            implies(
                "run_succeeded_has_manifest",
                models.Q(state=JobState.SUCCEEDED),
                models.Q(manifest_sha256__regex=r"^[0-9a-f]{64}$"),
            ),
            implies(
                "run_manifest_only_succeeded",
                ~models.Q(state=JobState.SUCCEEDED),
                models.Q(manifest_sha256=""),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.release} · run {self.number}"

    @property
    def project(self) -> Project:
        """The project of the release."""
        return self.release.project

    @property
    def sealing_key(self) -> uuid.UUID:
        """What a run tells of the data goes with them, whatever becomes of its files."""
        return self.release.version.key_id

    @property
    def manifest(self) -> dict[str, Any]:
        """All of it; after the data were destroyed, what stays of it."""
        return {**self.stated, **self.inside}
