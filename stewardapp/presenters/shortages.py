"""Too little budget for a recipe: what it costs, who is short of it, and what would do, for each of them.

A purchase is paid from the project's part, from its population and from all that share people with it. Each
of them that is short has a cure of its own, which those who have a say about its people may propose.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from django.urls import reverse

from stewardapp.access import rules
from stewardapp.access.amounts import spend_words
from stewardapp.access.verdict import Verdict
from stewardapp.domain.holding import facts_of, stake_of
from stewardapp.domain.pricing import SAME_DATA
from stewardapp.models import AnyUser, Population, ProposalKind, Release
from stewardapp.reads.populations import part_of, waits_already
from stewardapp.reads.releases import Seen
from worker.engine.contracts.privacy import Spend


@dataclass(frozen=True)
class Cure:
    """What would make up for what one purse lacks: where it is asked for, and whether somebody may."""

    label: str
    url: str
    fields: Mapping[str, str]
    may: Verdict
    waiting: bool
    page: str


@dataclass(frozen=True)
class Short:
    """A purse that holds too little. Of people whose name is not told neither amount nor cure is shown."""

    name: str
    left: str = ""
    cure: Cure | None = None


@dataclass(frozen=True)
class Shortage:
    """What stands between a recipe and its run."""

    price: str
    short: tuple[Short, ...] = field(default=())


def shortage_of(seen: Seen) -> Shortage | None:
    """Nothing while every purse holds enough."""
    facts = seen.price
    price = Spend(facts.epsilon_micro, facts.delta_femto)
    if all(price.within(Spend(one.epsilon_micro, one.delta_femto)) for one in facts.funds):
        return None  # also where nothing is to be paid
    short = tuple(_shorts(seen.release, price, seen.user))
    return Shortage(_words(price), short) if short else None


def _shorts(release: Release, price: Spend, user: AnyUser) -> Iterator[Short]:
    own = release.version.dataset.population
    named = set(own.charged_with)
    yield from _own(release, price, user)
    for population in release.version.charged_populations:
        if population == own or price.within(population.left):
            continue
        if population in named or rules.has_a_say(stake_of(user, [population]), facts_of([population])):
            lacking = _lacking(price, population.left)
            cure = _limit(release, population, population.limit + lacking, user)
            yield Short(f"The population {population.name}", _words(population.left), cure)
        else:
            yield Short(SAME_DATA.capitalize())


def _own(release: Release, price: Spend, user: AnyUser) -> Iterator[Short]:
    """The project's part and the limit it is taken from: one proposal raises both where both are short."""
    population = release.version.dataset.population
    allotment = part_of(population, release.project)
    part, held = (allotment.limit, allotment.left) if allotment else (Spend(), Spend())
    lacking, missing = _lacking(price, held), _lacking(price, population.left)
    if not (lacking or missing):
        return
    if lacking.within(population.unshared) and not missing:
        yield Short("The part of the project", _words(held), _part(release, part + lacking, user))
        return
    more = Spend(
        max(lacking.epsilon_micro, missing.epsilon_micro), max(lacking.delta_femto, missing.delta_femto)
    )
    cure = _limit(release, population, population.limit + more, user, with_part=True)
    if lacking:
        yield Short("The part of the project", _words(held), None if missing else cure)
    if missing:
        yield Short(f"The population {population.name}", _words(population.left), cure)


def _limit(
    release: Release, population: Population, limit: Spend, user: AnyUser, *, with_part: bool = False
) -> Cure:
    """A higher limit; with a part, what is added goes to the project."""
    may = rules.may_propose(stake_of(user, [population]), facts_of([population]))
    fields = {**_fields(release, limit), "project": str(release.project.pk) if with_part else ""}
    waiting = waits_already(ProposalKind.LIMIT, population, release.project)
    return _cure("limit", f"Propose a limit of {_words(limit)}", fields, population, may, waiting)


def _part(release: Release, limit: Spend, user: AnyUser) -> Cure:
    """A larger part of what is not handed on yet: set at once by those who hold the data alone."""
    population = release.version.dataset.population
    stake, facts = stake_of(user, [population]), facts_of([population])
    alone = rules.may_allot(stake, *facts)
    verb, may = ("Set", alone) if alone else ("Propose", rules.may_propose(stake, facts))
    fields = {**_fields(release, limit), "project": str(release.project.pk)}
    waiting = waits_already(ProposalKind.PART, population, release.project)
    return _cure("allot", f"{verb} a part of {_words(limit)}", fields, population, may, waiting)


def _cure(
    what: str, label: str, fields: Mapping[str, str], population: Population, may: Verdict, waiting: bool
) -> Cure:
    return Cure(
        label,
        reverse(f"population-{what}", args=[population.pk]),
        fields,
        may,
        waiting,
        reverse("population-budget", args=[population.pk]),
    )


def _fields(release: Release, limit: Spend) -> dict[str, str]:
    reason = f"For the release {release.title}."
    return {"epsilon": str(limit.epsilon), "delta": str(limit.delta), "reason": reason}


def _lacking(price: Spend, left: Spend) -> Spend:
    return Spend(
        max(0, price.epsilon_micro - left.epsilon_micro), max(0, price.delta_femto - left.delta_femto)
    )


def _words(spend: Spend) -> str:
    return spend_words(spend.epsilon_micro, spend.delta_femto)
