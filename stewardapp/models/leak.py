"""A file about some people that got out: whatever is made of data about them is compared with it."""

from __future__ import annotations

import uuid

from django.db import models
from django.db.models.functions import Now

from stewardapp.access.roles import Permission, roles_with
from stewardapp.models.base import Record, both_or_neither
from stewardapp.models.dataset import Dataset
from stewardapp.models.job import Job, JobQuerySet, JobState, job_constraints
from stewardapp.models.population import Population
from stewardapp.models.user import AnyUser

RAW, TABLE = "leaked", "leaked-table"


class LeakQuerySet(JobQuerySet["Leak"]):
    """Questions about leaks."""

    def visible_to(self, user: AnyUser) -> LeakQuerySet:
        """Whoever works with data about these people sees what leaked of them; so do administrators and
        officers."""
        if not user.is_authenticated or not user.is_active:
            return self.none()
        if user.is_admin or user.protects_data:
            return self
        mine = user.memberships.filter(role__in=roles_with(Permission.VIEW_RELEASE)).values("project")
        held = Dataset.objects.filter(admitted=True, project__in=mine)
        return self.filter(population__in=held.values("population"))

    def registered(self) -> LeakQuerySet:
        """Those that nobody unregistered."""
        return self.filter(unregistered_at__isnull=True)

    def known_about(self, population: uuid.UUID) -> LeakQuerySet:
        """Those that can be compared with and are about these people, or any that share people with them."""
        people = Population.objects.sharing_with(population)
        return self.registered().filter(state=JobState.SUCCEEDED, population__in=people)

    def unregister(self, id: uuid.UUID, by: models.Model) -> bool:
        """Compare with it no longer."""
        gone = {"unregistered_at": Now(), "unregistered_by": by}
        return self.registered().filter(pk=id).update(**gone) == 1


class Leak(Job, Record):
    """The file is sealed under a key of its own: its bytes until they are read, then the table alone."""

    population = models.ForeignKey("stewardapp.Population", on_delete=models.PROTECT, related_name="leaks")
    place = models.CharField(max_length=200)
    seen_on = models.DateField()
    registered_by = models.ForeignKey("stewardapp.User", on_delete=models.PROTECT, related_name="leaks")
    raw = models.ForeignKey("stewardapp.Blob", on_delete=models.PROTECT, related_name="+")
    table = models.ForeignKey(
        "stewardapp.Blob", on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    rows = models.BigIntegerField(null=True, blank=True)
    # What knew of it when it was asked for, and looks at it beside other releases.
    runs = models.ManyToManyField("stewardapp.Run", blank=True, related_name="leaks")
    assessments = models.ManyToManyField("stewardapp.Assessment", blank=True, related_name="leaks")
    unregistered_at = models.DateTimeField(null=True, blank=True)
    unregistered_by = models.ForeignKey(
        "stewardapp.User", on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )

    objects = LeakQuerySet.as_manager()

    class Meta:
        ordering = ("-seen_on", "-queued_at")
        constraints = [
            *job_constraints("leak"),
            models.CheckConstraint(condition=~models.Q(place=""), name="leak_was_seen_somewhere"),
            models.CheckConstraint(
                condition=models.Q(state=JobState.SUCCEEDED, table__isnull=False, rows__isnull=False)
                | (~models.Q(state=JobState.SUCCEEDED) & models.Q(table__isnull=True)),
                name="leak_read_has_table",
            ),
            both_or_neither("leak_unregistered_by_somebody", "unregistered_at", "unregistered_by"),
        ]

    def __str__(self) -> str:
        return f"file of {self.population} that leaked"

    @property
    def title(self) -> str:
        """What measures and reports call it: where it was seen stays with those who may know."""
        return f"Leaked file seen {self.seen_on:%Y-%m-%d} ({str(self.pk)[:8]})"

    @property
    def project(self) -> None:
        """It belongs to no project."""
        return None
