"""What the pages about people and their budgets ask of the database."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import Count, Exists, OuterRef, Prefetch, Q, QuerySet

from stewardapp.models import (
    Allotment,
    Allowance,
    Charge,
    Dataset,
    JobState,
    Population,
    Project,
    Proposal,
    ProposalKind,
    Query,
    Release,
    Run,
    User,
    Version,
)
from stewardapp.models.prepared import prepared
from stewardapp.models.release import ReleaseQuerySet

PAID = Q(candidate__stated__privacy_loss__epsilon__gt=0)


@dataclass(frozen=True)
class Bought:
    """What was bought about some people; what and by whom is told of the purchases that somebody may see."""

    charges: Sequence[Charge] = ()
    told: frozenset[uuid.UUID] = frozenset()
    runs: frozenset[uuid.UUID | None] = frozenset()
    """The runs among them whose pages they may open."""


def charges_of(population: Population) -> list[Charge]:
    """Every purchase about these people, the oldest first."""
    return list(_charges(population))


def _charges(population: Population) -> QuerySet[Charge]:
    return population.charges.select_related("by", "project", "run")


def bought_about(population: Population, user: User) -> Bought:
    """What was bought, for those who may know of purchases at all."""
    seen = Exists(Charge.objects.visible_to(user).filter(pk=OuterRef("pk")))
    opens = Exists(Run.objects.visible_to(user).filter(pk=OuterRef("run")))
    found = list(_charges(population).annotate(is_told=seen, run_opens=opens))
    told = frozenset(one.pk for one in found if vars(one)["is_told"])
    return Bought(found, told, frozenset(one.run_id for one in found if vars(one)["run_opens"]))


def own_allowances(population: Population, user: User) -> list[Allowance]:
    """What this person may spend on questions about these people, in each of their projects."""
    return list(user.allowances.filter(allotment__population=population))


@dataclass(frozen=True)
class Holders:
    """The projects that hold data about some people: those that somebody sees, and how many others."""

    seen: list[Project]
    hidden: int


def holders_of(population: Population, user: User) -> Holders:
    """Who holds data about these people, as far as this person sees it."""
    found = [(one, vars(one)["is_seen"]) for one in _holding(population.pk, user)]
    shown = [one for one, is_seen in found if is_seen]
    return Holders(shown, len(found) - len(shown))


@prepared
def _holding(population: uuid.UUID, user: User) -> QuerySet[Project]:
    seen = Project.objects.visible_to(user).filter(pk=OuterRef("pk"))
    data = Dataset.objects.holding([Population(pk=population)])
    return Project.objects.filter(datasets__in=data).distinct().annotate(is_seen=Exists(seen))


def officers() -> list[User]:
    """The data protection officers of the site."""
    return list(User.objects.filter(is_officer=True, is_active=True))


def open_proposals(population: Population) -> list[Proposal]:
    """What waits for others and concerns these people."""
    return _open_about(population.pk)


@prepared
def _open_about(population: uuid.UUID) -> QuerySet[Proposal]:
    found = Proposal.objects.open().about(Population(pk=population)).prefetch_related("agreements__by")
    return found.select_related("population", "target", "project", "dataset__project", "proposed_by")


def waits_already(kind: ProposalKind, population: Population, project: Project) -> bool:
    """Whether such a proposal waits: there is one limit of a population, and a part for each project."""
    found = Proposal.objects.open().filter(kind=kind, population=population)
    return (found.filter(project=project) if kind == ProposalKind.PART else found).exists()


def part_of(population: Population, project: Project) -> Allotment | None:
    """The part of the budget that a project has."""
    return population.allotments.filter(project=project).first()


def parts_seen(population: Population, user: User) -> list[Allotment]:
    """The parts of the projects this person sees, each with the allowances they see of it."""
    own = Prefetch("allowances", Allowance.objects.visible_to(user).select_related("user"))
    seen = Allotment.objects.visible_to(user).filter(population=population).select_related("project")
    return list(seen.prefetch_related(own))


def raw_data(population: Population, user: User) -> list[Version]:
    """Raw data about these people that still exist, as far as this person sees them."""
    live = Version.objects.visible_to(user).live().filter(dataset__population=population)
    return list(live.select_related("dataset__project"))


@dataclass(frozen=True)
class Mixture:
    """How many releases and answers about the same people carry a budgeted promise, and how many do not."""

    private: int
    other: int

    @property
    def broken(self) -> bool:
        """Whether the promise no longer stands for what others have of these people."""
        return bool(self.private and self.other)


def mixture_about(population: uuid.UUID) -> Mixture:
    """How many of each kind are out about these people, or any that share people with them."""
    live = _live_about(population).aggregate(whole=Count("pk"), private=Count("pk", filter=PAID))
    answers = _answers_about(population).count()
    return Mixture(live["private"] + answers, live["whole"] - live["private"])


@dataclass(frozen=True)
class Out:
    """Whether anything is out about some people that keeps a budgeted promise, and anything that does not."""

    private: bool
    other: bool

    def broken_by(self, *, private: bool) -> bool:
        """Whether one more result would leave promises of both kinds beside one another."""
        return self.other if private else self.private


def out_about(population: uuid.UUID) -> Out:
    """Published releases and answered questions about these people, or any that share people with them."""
    ((is_private, asked, other),) = _out_about(population)
    return Out(is_private or asked, other)


@prepared
def _out_about(population: uuid.UUID) -> QuerySet[Population, tuple[bool, bool, bool]]:
    live = _live_about(population)
    private = live.filter(PAID)
    found = Population.objects.filter(pk=population).annotate(
        private=Exists(private),
        asked=Exists(_answers_about(population)),
        other=Exists(live.exclude(pk__in=private.values("pk"))),
    )
    return found.values_list("private", "asked", "other")


def _live_about(population: uuid.UUID) -> ReleaseQuerySet:
    people = Population.objects.sharing_with(population)
    live = Release.objects.live().filter(version__dataset__population__in=people)
    return live.filter(candidate__isnull=False).order_by()


def _answers_about(population: uuid.UUID) -> QuerySet[Query]:
    people = Population.objects.sharing_with(population)
    return Query.objects.filter(version__dataset__population__in=people, state=JobState.SUCCEEDED)
