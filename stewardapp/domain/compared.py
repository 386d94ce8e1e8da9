"""What a candidate was compared with, of all that is out about the same people."""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Set
from typing import TYPE_CHECKING, Any

from django.db.models import QuerySet

from stewardapp.domain.assessed import ANSWERED
from stewardapp.domain.averaging import leaked_beside, published_of
from stewardapp.domain.demands import looking_beside
from stewardapp.models.assessment import Assessment
from stewardapp.models.leak import Leak
from stewardapp.models.prepared import prepared
from worker.engine import catalogue

if TYPE_CHECKING:
    from stewardapp.models.policy import Policy
    from stewardapp.models.release import Release
    from stewardapp.models.run import Run, RunQuerySet
    from worker.engine.contracts.measure import Measure


def uncompared(run: Run, policy: Policy, out: RunQuerySet) -> list[Measure]:
    """The measures that look at other releases and have not looked at all that is `out` or leaked.

    Of a table with noise, and where the data are gone, nothing can be measured any more.
    """
    leaked = leaked_beside(run.release)
    wanted = frozenset(id for found in (out, leaked) for id in found.values_list("pk", flat=True))
    if not (wanted and measurable(run)):
        return []
    seen = frozenset(_saw(run, wanted))
    return [one for one in looking_beside(policy) if one.id not in seen]


def went_out_since(release: Release) -> bool:
    """Whether something was published or leaked beside its candidate that nobody compared it with for the
    policy."""
    if release.candidate_id is None:
        return False
    people = release.version.dataset.population_id
    out = _out_since(release.pk, release.project_id, people, release.candidate_id)
    return bool(out) and release.candidate is not None and measurable(release.candidate)


@prepared
def _out_since(
    release: uuid.UUID, project: uuid.UUID, people: uuid.UUID, run: uuid.UUID
) -> QuerySet[Any, uuid.UUID]:
    compared = Assessment.objects.for_policy().filter(run=run)
    out = published_of(release, project, people).exclude(others_of=run)
    out = out.exclude(pk__in=compared.values("others"))
    leaked = Leak.objects.known_about(people).exclude(runs=run)
    leaked = leaked.exclude(pk__in=compared.values("leaks"))
    return _ids(out).union(_ids(leaked))[:1]


def _ids(found: QuerySet[Any]) -> QuerySet[Any, uuid.UUID]:
    return found.order_by().values_list("pk", flat=True)


def measurable(run: Run) -> bool:
    """Whether measures apply to what it made, and the table that it read is there."""
    table = run.reading.table
    return bool(run.stated.get("microdata")) and table is not None and table.destroyed_at is None


def _saw(run: Run, wanted: Set[uuid.UUID]) -> Iterator[str]:
    """The instances that the run answered with all these beside it, and those that were asked for since."""
    if wanted <= _beside(run):
        results = run.figures.get("results", {})
        yield from (id for id, one in results.items() if one["state"] in ANSWERED)
    for assessment in run.assessments.for_policy().prefetch_related("others", "leaks"):
        if wanted <= _beside(assessment):
            yield from _asked(assessment)


def _beside(looked: Run | Assessment) -> set[uuid.UUID]:
    """The releases and the leaked files that were known to it."""
    return {one.pk for found in (looked.others, looked.leaks) for one in found.all()}


def _asked(assessment: Assessment) -> Iterator[str]:
    """What it measured, or could not: its result says which, and was voted on."""
    known = catalogue.measures()
    for one in assessment.measures:
        if one["measure"] in known:
            yield known[one["measure"]].of(one.get("params", {})).id
