"""What the pages about one run ask of the database."""

from __future__ import annotations

import uuid
from functools import cached_property
from typing import TYPE_CHECKING

from django.db.models import QuerySet

from stewardapp.domain.averaging import Added, Beside, added_up, averaged_with
from stewardapp.domain.facts import assessable_facts, run_facts
from stewardapp.models.artifact import Artifact
from stewardapp.models.blob import Blob
from stewardapp.models.job import JobState
from stewardapp.models.prepared import prepared
from worker.engine.recipes.stored import results_of

if TYPE_CHECKING:
    from stewardapp.access.facts import RunFacts
    from stewardapp.models import Assessment, Policy, Reading, Run, Version
    from stewardapp.reads.releases import Seen
    from worker.engine.contracts.result import Result


PLACES = "beside.parquet"
"""What a run calls the file that says where its rows stood in the data."""


def reordered(one: Run, other: Run) -> bool:
    """Whether the rows of two runs stand in another order, for all that is known; no where one has none.

    Files are sorted by their values: only the same file, or the same places in the data, are the same order.
    """
    made = Artifact.objects.public().filter(run__in=(one, other), name__startswith="release.")
    files = dict(made.order_by("-name").values_list("run", "sha256"))
    if not {one.pk, other.pk} <= files.keys() or files[one.pk] == files[other.pk]:
        return False
    kept = Blob.objects.filter(kept_by__in=(one, other), purpose=PLACES).values_list("kept_by", "sha256")
    places = dict(kept)
    return len(places) < 2 or places[one.pk] != places[other.pk]


class SeenRun:
    """A run before somebody: what its page needs is asked once, whatever prints it."""

    def __init__(self, run: Run, seen: Seen) -> None:
        self.run, self.seen = run, seen

    @property
    def policy(self) -> Policy:
        """What it is judged by."""
        return self.seen.policy

    @cached_property
    def facts(self) -> RunFacts:
        """What the rules need to know about the run."""
        return run_facts(self.run, self.seen.out)

    @cached_property
    def results(self) -> dict[str, Result]:
        """What its measures found, by instance; nothing once the data are destroyed."""
        return {one.id: one for one in results_of(self.run.report)}

    @cached_property
    def assessable(self) -> RunFacts:
        """The same, and whether it can be measured again."""
        return assessable_facts(self.run, self.seen.out)

    @cached_property
    def assessments(self) -> list[Assessment]:
        """Everything that was asked of it after it ended, the newest first."""
        for one in (asked := _assessments(self.run.pk)):
            one.run = self.run
        return asked

    @property
    def measured_afterwards(self) -> list[Assessment]:
        """Those that have results."""
        return [one for one in self.assessments if one.state == JobState.SUCCEEDED]

    def files_to_compare_with(self) -> list[Version]:
        """What measures may compare it with now."""
        return list(self.seen.release.version.usable_as_population().select_related("dataset"))

    @cached_property
    def added_up(self) -> tuple[Added, ...]:
        """What the cells of single columns give away at most, with all that is out."""
        return added_up(self.run, self.seen.out)

    @cached_property
    def averaged_with(self) -> tuple[Beside, ...]:
        """What is out with noise on the same columns."""
        return averaged_with(self.run, self.seen.out)

    @cached_property
    def compared(self) -> list[Reading]:
        """What its data were compared with."""
        return _compared(self.run.pk)

    @property
    def names_of_files(self) -> dict[str, str]:
        """What people call the files it was compared with, by what its recipe calls them."""
        return {str(one.version_id): str(one.version) for one in self.compared}

    def files(self) -> list[Artifact]:
        """Everything it wrote."""
        return list(self.run.artifacts.all())

    def kept_beside(self) -> list[Blob]:
        """What it keeps beside them, to be measured again."""
        return list(self.run.kept.order_by("purpose"))

    def files_to_leave(self) -> list[Artifact]:
        """What would leave, or has left, as far as it is still stored."""
        return _files_to_leave(self.run.pk)


@prepared
def _assessments(run: uuid.UUID) -> QuerySet[Assessment]:
    from stewardapp.models.assessment import Assessment

    found = Assessment.objects.filter(run=run).select_related("asked_by")
    return found.prefetch_related("compared__version__dataset")


@prepared
def _compared(run: uuid.UUID) -> QuerySet[Reading]:
    from stewardapp.models.reading import Reading

    return Reading.objects.filter(compared_in=run).select_related("version__dataset")


@prepared
def _files_to_leave(run: uuid.UUID) -> QuerySet[Artifact]:
    return Artifact.objects.filter(run=run).public().stored().select_related("blob__key")
