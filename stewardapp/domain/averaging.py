"""What is out about the same columns of the same people: promises that add up, noise that averages out.

Randomized answers of one version are snapshots of one process where their laws are alike; the report names
their draws. Equal names promise together what the strongest of them promises, different ones add up.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypedDict

from django.db.models import Q, QuerySet
from django.db.models.functions import Now

from stewardapp.access.facts import LocalFacts
from stewardapp.access.workflow import Audience, State
from stewardapp.canonical import sha256_of
from stewardapp.domain.recipe import methods_of
from stewardapp.models.leak import Leak, LeakQuerySet
from stewardapp.models.population import Population
from stewardapp.models.run import Run, RunQuerySet
from worker.engine.contracts.facts import StepJson
from worker.engine.contracts.traces import Trace
from worker.engine.recipes.document import RecipeJson
from worker.engine.recipes.report import ReportJson
from worker.engine.tables.kinds import Kind, Role
from worker.engine.tables.table import Field, Schema

if TYPE_CHECKING:
    from stewardapp.models.release import Release
    from worker.engine.contracts.method import Method


class Change(TypedDict):
    """What a step did to one column, as the manifest keeps it."""

    column: str
    method: str
    averages_out: bool
    draws: str | None
    """The name of the draws that every run on the version shares; empty where a version had no name for them,
    and none where nothing was promised of single cells."""
    local_epsilon: str | None
    """What a cell gives away at most; none where nothing bounds it."""


def changes_of(recipe: RecipeJson, report: ReportJson) -> list[Change]:
    """What the steps of a run did to single columns at random.

    A second randomization of a column tells nothing that the first one does not.
    """
    found: list[Change] = []
    facts, schema = list(report.get("steps", ())), _schema(recipe)
    methods = [(number, method) for number, method in methods_of(recipe) if number < len(facts)]
    for number, method in methods:
        for column in _touched(method, schema):
            drawn = column == method.drawn_column
            if drawn and any(one["column"] == column and one["draws"] is not None for one in found):
                continue
            if drawn or method.averages_out:
                before = [
                    recipe["steps"][i]
                    for i, other in methods
                    if i < number and _altered(other, facts[i], column, schema)
                ]
                found.append(_change(method, column, facts[number], before, drawn=drawn))
    return found


def _schema(recipe: RecipeJson) -> Schema:
    columns = recipe.get("columns", {}).items()
    return Schema(
        tuple(Field(name, Kind(part.get("kind", Kind.TEXT)), Role(part["role"])) for name, part in columns)
    )


def _touched(method: Method, schema: Schema) -> list[str]:
    return [name for name, trace in method.leaves(schema).items() if trace is not Trace.KEPT]


def _altered(method: Method, facts: StepJson, column: str, schema: Schema) -> bool:
    """Whether a step changed the column, for all that is known: a changed cell is drawn apart."""
    return column in _touched(method, schema) and bool(facts.get("changed", {}).get(column, True))


def _change(method: Method, column: str, facts: StepJson, before: list[Any], *, drawn: bool) -> Change:
    epsilon, draws = facts.get("local_epsilon"), facts.get("draws") or ""
    bounded = drawn and epsilon is not None and not facts.get("matrix_depends_on_data")
    return {
        "column": column,
        "method": method.slug,
        "averages_out": method.averages_out,
        "draws": (sha256_of([draws, *before]) if draws and before else draws) if drawn else None,
        "local_epsilon": f"{epsilon:.6f}" if bounded else None,
    }


def changes_in(run: Run) -> list[Change]:
    """What the manifest says; for an older one its recipe and report do, while the data are there."""
    if not run.stated:
        return []
    if "randomized" in run.stated:
        found: list[Change] = run.stated["randomized"]
        return found
    return changes_of(run.recipe, run.report)


def out_beside(release: Release) -> QuerySet[Release]:
    """Other releases about the same people, or people who overlap, that others had, have, or will have.

    What was taken back was known for a while, and is not forgotten.
    """
    return _out_of(release.pk, release.version.dataset.population_id)


def _out_of(release: uuid.UUID, people: uuid.UUID) -> QuerySet[Release]:
    from stewardapp.models.release import Release

    sharing = Population.objects.sharing_with(people)
    out = Q(published_at__isnull=False) | Q(state=State.APPROVED)
    others = Release.objects.filter(out, version__dataset__population__in=sharing).exclude(pk=release)
    return others.select_related("candidate", "version__dataset").order_by("published_at", "pk")


def known_beside(release: Release) -> RunQuerySet:
    """The candidates among them that the team may look into: its project's own, and those that everybody
    may have."""
    return _candidates(_known_of(release.pk, release.project_id, release.version.dataset.population_id))


def published_of(release: uuid.UUID, project: uuid.UUID, people: uuid.UUID) -> RunQuerySet:
    """Those of them that somebody may have had in hand, and not only will, by the keys of the release, its
    project and its people."""
    return _candidates(_known_of(release, project, people).filter(published_at__isnull=False))


def leaked_beside(release: Release) -> LeakQuerySet:
    """The files about the same people, or people who overlap, that leaked and were registered."""
    return Leak.objects.known_about(release.version.dataset.population_id)


def _known_of(release: uuid.UUID, project: uuid.UUID, people: uuid.UUID) -> QuerySet[Release]:
    own = Q(project=project)
    free = Q(embargo_until__isnull=True) | Q(embargo_until__lte=Now())
    everybody = Q(audience__in=EVERYBODY, published_at__isnull=False) & free
    return _out_of(release, people).filter(own | everybody)


def _candidates(found: QuerySet[Release]) -> RunQuerySet:
    return Run.objects.filter(pk__in=found.order_by().values("candidate"))


EVERYBODY = (Audience.SIGNED_IN, Audience.PUBLIC_LINK)


class OutBeside:
    """What is out beside a release, with what its steps did; asked once, and only when somebody wants it."""

    def __init__(self, release: Release) -> None:
        self.release = release

    @cached_property
    def changes(self) -> list[tuple[Release, list[Change]]]:
        """Each other release and what was done to its columns."""
        found = ((other, other.candidate) for other in out_beside(self.release))
        return [(other, changes_in(run)) for other, run in found if run is not None]


@dataclass(frozen=True)
class Beside:
    """Another release, and the columns it shares with a candidate."""

    release: Release
    columns: tuple[str, ...]


@dataclass(frozen=True)
class Added:
    """What is promised of the cells of one column by everything that is out together with one run."""

    column: str
    epsilon: Decimal | None
    own: Decimal | None
    others: tuple[Release, ...]

    def facts(self) -> LocalFacts:
        """As the rules read it."""
        return LocalFacts(self.column, self.epsilon, len(self.others))


def added_up(run: Run, out: OutBeside | None = None) -> tuple[Added, ...]:
    """For each column whose cells this run randomized: what they give away at most, with all that is out.

    One law that promises nothing, alone, is no promise; beside another one nothing bounds the sum.
    """
    own = [one for one in changes_in(run) if one["draws"] is not None]
    if not own:
        return ()
    beside = (out or OutBeside(run.release)).changes
    return tuple(found for one in own if (found := _added(run.release, one, beside)))


def _added(release: Release, own: Change, beside: Iterable[tuple[Release, list[Change]]]) -> Added | None:
    laws: dict[str, list[str | None]] = {own["draws"] or str(release.pk): [own["local_epsilon"]]}
    others = []
    for other, changes in beside:
        for one in changes:
            if one["column"] == own["column"] and one["draws"] is not None:
                laws.setdefault(one["draws"] or str(other.pk), []).append(one["local_epsilon"])
                others.append(other)
    if len(laws) == 1 and own["local_epsilon"] is None:
        return None
    return Added(own["column"], _sum(laws.values()), _decimal(own["local_epsilon"]), tuple(others))


def _sum(laws: Iterable[list[str | None]]) -> Decimal | None:
    """The strongest of each law, added up; None where one of them promises nothing."""
    total = Decimal(0)
    for promised in laws:
        bounds = [Decimal(one) for one in promised if one is not None]
        if len(bounds) < len(promised):
            return None
        total += max(bounds)
    return total


def _decimal(text: str | None) -> Decimal | None:
    return None if text is None else Decimal(text)


def averaged_with(run: Run, out: OutBeside | None = None) -> tuple[Beside, ...]:
    """What is out with noise of its own, or values exchanged anew, on columns where this run has some too."""
    own = set(_noisy(changes_in(run)))
    if not own:
        return ()
    return tuple(_shared(own, (out or OutBeside(run.release)).changes))


def _shared(own: set[str], beside: Iterable[tuple[Release, list[Change]]]) -> Iterator[Beside]:
    for other, changes in beside:
        if columns := own & set(_noisy(changes)):
            yield Beside(other, tuple(sorted(columns)))


def _noisy(changes: Iterable[Change]) -> Iterator[str]:
    return (one["column"] for one in changes if one["averages_out"])
