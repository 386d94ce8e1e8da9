"""Too little budget for a recipe: what it costs, what is left, and the limit that would do."""

from __future__ import annotations

from dataclasses import dataclass

from stewardapp.access import rules
from stewardapp.access.amounts import spend_words
from stewardapp.access.facts import PriceFacts
from stewardapp.access.verdict import Verdict
from stewardapp.models import Population, Release, User
from stewardapp.models.holding import facts_of, stake_of
from stewardapp.models.pricing import price_of
from worker.engine.privacy import Spend


@dataclass(frozen=True)
class Shortage:
    """What stands between a recipe and its run, and who may propose the cure."""

    price: str
    left: tuple[tuple[str, str], ...]
    population: Population
    limit: Spend
    limit_words: str
    may_propose: Verdict


def shortage_of(release: Release, user: User) -> Shortage | None:
    """Nothing while every purse holds enough."""
    price = price_of(release)
    short = [
        one
        for one in price.funds
        if price.epsilon_micro > one.epsilon_micro or price.delta_femto > one.delta_femto
    ]
    if not short:
        return None
    population = release.version.dataset.population
    limit = population.limit + _lacking(release, price)
    return Shortage(
        spend_words(price.epsilon_micro, price.delta_femto),
        tuple((one.name, spend_words(one.epsilon_micro, one.delta_femto)) for one in price.funds),
        population,
        limit,
        spend_words(limit.epsilon_micro, limit.delta_femto),
        rules.may_propose(stake_of(user, [population]), facts_of([population])),
    )


def _lacking(release: Release, price: PriceFacts) -> Spend:
    """By how much the limit has to rise when all that is added goes to the project."""
    population = release.version.dataset.population
    allotment = population.allotments.filter(project=release.project).first()
    own = (population.left, allotment.left if allotment else Spend())
    return Spend(
        max(0, *(price.epsilon_micro - one.epsilon_micro for one in own)),
        max(0, *(price.delta_femto - one.delta_femto for one in own)),
    )
