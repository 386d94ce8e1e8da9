"""One upload of a dataset: immutable, known by the hash of its bytes."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from django.db import connection, models
from django.db.models.functions import Now

from stewardapp.access.facts import Person, VersionFacts
from stewardapp.access.roles import Permission
from stewardapp.models.base import Record
from stewardapp.models.membership import seen_through
from stewardapp.models.user import AnyUser

if TYPE_CHECKING:
    from stewardapp.models.hierarchy import Hierarchy
    from stewardapp.models.population import Population
    from stewardapp.models.project import Project
    from stewardapp.models.reading import Reading


class VersionQuerySet(models.QuerySet["Version"]):
    """Questions about versions."""

    def visible_to(self, user: AnyUser) -> VersionQuerySet:
        """Versions in projects where this person may see data; admins see that they exist."""
        return seen_through(self, user, "dataset__project", Permission.VIEW_DATA, admins=True)

    def live(self) -> VersionQuerySet:
        """Versions whose data still exist."""
        return self.filter(destroyed_at__isnull=True)

    def ready(self) -> VersionQuerySet:
        """Versions that were read and can be used in a release."""
        return self.live().filter(current__isnull=False)

    def due_for_destruction(self) -> VersionQuerySet:
        """Versions past their date, by the clock of the database."""
        return self.live().filter(retention_until__lte=Now())


class Version(Record):
    """The bytes somebody uploaded; how they were read, time and again, are its readings."""

    dataset = models.ForeignKey("stewardapp.Dataset", on_delete=models.PROTECT, related_name="versions")
    number = models.PositiveIntegerField()
    filename = models.CharField(max_length=255)
    sha256 = models.CharField(max_length=64, db_index=True)
    size = models.BigIntegerField()
    raw = models.ForeignKey("stewardapp.Blob", on_delete=models.PROTECT, related_name="+")
    # The reading that new work uses: the latest that succeeded. What was begun before names its own.
    current = models.ForeignKey(
        "stewardapp.Reading", on_delete=models.PROTECT, related_name="+", null=True, blank=True
    )
    key = models.ForeignKey("stewardapp.DataKey", on_delete=models.PROTECT, related_name="versions")
    uploaded_by = models.ForeignKey("stewardapp.User", on_delete=models.PROTECT, related_name="versions")
    taggers = models.ManyToManyField("stewardapp.User", related_name="tagged_versions", blank=True)
    retention_until = models.DateTimeField()
    destroyed_at = models.DateTimeField(null=True, blank=True)
    destroyed_by = models.ForeignKey(
        "stewardapp.User", on_delete=models.PROTECT, related_name="+", null=True, blank=True
    )

    objects = VersionQuerySet.as_manager()

    class Meta:
        ordering = ("dataset", "-number")
        constraints = [
            models.UniqueConstraint(fields=("dataset", "number"), name="version_number_once"),
            models.CheckConstraint(condition=models.Q(number__gte=1), name="version_number_counts"),
            models.CheckConstraint(condition=models.Q(size__gte=0), name="version_size_not_negative"),
        ]

    def __str__(self) -> str:
        return f"{self.dataset} · version {self.number}"

    @property
    def project(self) -> Project:
        """The project the dataset belongs to."""
        return self.dataset.project

    @property
    def charged_populations(self) -> list[Population]:
        """Whom a purchase about these bytes is charged to, in the one order in which rows are locked.

        The people of the dataset, those of any other that holds the same bytes under another name, and
        all populations declared to share people with them.
        """
        from stewardapp.models.population import Population

        statement, places = whom_to_charge(connection.vendor)
        return list(Population.objects.raw(statement, [self.sha256] * places))

    @property
    def attempt(self) -> Reading | None:
        """The latest attempt to read the bytes, however it ended."""
        return self.readings.order_by("-queued_at").first()

    def read_now(self) -> Reading:
        """The reading that what begins now is about; nothing begins on a version that was never read."""
        assert self.current is not None
        return self.current

    @property
    def rows(self) -> int | None:
        """How many rows new work finds."""
        return None if self.current is None else self.current.rows

    @property
    def profile(self) -> dict[str, Any]:
        """What the page of the version shows of the current reading."""
        return {} if self.current is None else self.current.profile

    def person(self, user: AnyUser) -> Person:
        """This user seen from the version's project."""
        return self.project.person(user)

    def earlier_hierarchies(self) -> dict[str, Hierarchy]:
        """For each column without one, the hierarchy that a column of this name last had in the project.

        What the same dataset had comes before what other datasets had.
        """
        from stewardapp.models.column import Column
        from stewardapp.models.hierarchy import Hierarchy

        names = self.columns.filter(hierarchy=None).values("name")
        columns = Column.objects.filter(
            version__dataset__project=self.project, name__in=names, hierarchy__in=Hierarchy.objects.there()
        ).select_related("hierarchy", "version")
        own = self.dataset_id
        known = sorted(columns, key=lambda one: (one.version.dataset_id == own, one.version.created_at))
        return {column.name: column.hierarchy for column in known if column.hierarchy is not None}

    def usable_as_population(self) -> VersionQuerySet:
        """The project's other versions that were read: a goal may compare this one with them."""
        others = Version.objects.ready().filter(dataset__project=self.project).exclude(pk=self.pk)
        return others.select_related("current__table")

    def facts(self) -> VersionFacts:
        """What the rules need to know about this version."""
        return VersionFacts(
            destroyed=self.destroyed_at is not None,
            has_table=self.current_id is not None,
            busy=self.readings.in_use().exists(),
        )


@cache
def whom_to_charge(_vendor: str) -> tuple[str, int]:
    """The question and how often it names the bytes; put together once, which takes longer than asking it."""
    from stewardapp.models.dataset import Dataset
    from stewardapp.models.population import Population

    same = Dataset.objects.filter(versions__sha256="").order_by().values("population")
    ties = Population.overlaps.through.objects.filter(from_population__datasets__versions__sha256="")
    found = Population.objects.filter(pk__in=same.union(ties.values("to_population"))).order_by("pk")
    statement, named = found.query.sql_with_params()
    return statement, len(named)
