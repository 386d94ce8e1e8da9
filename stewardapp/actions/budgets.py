"""Dividing a population's budget: its limit, the parts of projects, the parts of analysts."""

from __future__ import annotations

from stewardapp.access.amounts import spend_words
from stewardapp.access.rules import may_allot, may_allow, may_propose_limit
from stewardapp.access.verdict import Invalid, require
from stewardapp.actions import audit
from stewardapp.actions.action import action, locked
from stewardapp.models import Allotment, Allowance, Population, Project, User
from stewardapp.models.membership import person_anywhere, person_of
from stewardapp.models.purse import Divisible, Purse, hand_on, resize
from worker.engine.privacy import Spend

UNDER_SPENT = "Part of it is spent or handed on already; no limit can be lower than that."


@action
def lower_limit(*, population: Population, limit: Spend, by: User) -> Population:
    """Set a lower limit; one person is enough, but what is spent or handed on stays covered."""
    require(may_propose_limit(person_anywhere(by)))
    population = locked(population)
    if not limit.within(population.limit):
        reason = "This would raise the limit: propose it, and somebody else confirms it."
        raise Invalid("needs-two", reason, "epsilon")
    if not resize(population, *_change(population, limit)):
        raise Invalid("under-spent", UNDER_SPENT, "epsilon")
    population.refresh_from_db()
    audit.record("budget.limit-lowered", population, by=by, details=_details(limit))
    return population


@action
def allot(*, population: Population, project: Project, limit: Spend, by: User) -> Allotment:
    """Set the part of a project, within what the limit of the population has not handed on yet."""
    require(may_allot(person_of(by)))
    Allotment.objects.get_or_create(population=population, project=project)
    allotment = Allotment.objects.get(population=population, project=project)
    _hand_on(population, allotment, limit)
    details = _details(limit) | {"population": str(population.pk)}
    audit.record("budget.allotted", allotment, by=by, project=project, details=details)
    allotment.refresh_from_db()
    return allotment


@action
def allow(*, allotment: Allotment, user: User, limit: Spend, by: User) -> Allowance:
    """Set the part of a member, within what the allotment of the project has not handed on yet."""
    require(may_allow(allotment.project.person(by)))
    if not allotment.project.memberships.filter(user=user).exists():
        raise Invalid("not-a-member", "Only members of the project can have an allowance.", "user")
    Allowance.objects.get_or_create(allotment=allotment, user=user)
    allowance = Allowance.objects.get(allotment=allotment, user=user)
    _hand_on(allotment, allowance, limit)
    details = _details(limit) | {"user": str(user.pk)}
    audit.record("budget.allowed", allowance, by=by, project=allotment.project, details=details)
    allowance.refresh_from_db()
    return allowance


def _hand_on(whole: Divisible, part: Purse, limit: Spend) -> None:
    """Give the part its new limit and take the difference from the whole, or do neither."""
    part = locked(part)
    change = _change(part, limit)
    if not resize(part, *change):
        raise Invalid("under-spent", UNDER_SPENT, "epsilon")
    if not hand_on(whole, *change):
        raise Invalid("not-enough", _not_enough(whole), "epsilon")


def _not_enough(whole: Divisible) -> str:
    whole.refresh_from_db()
    free = whole.unshared
    return f"Only {spend_words(free.epsilon_micro, free.delta_femto)} is not handed on yet."


def _change(purse: Purse, limit: Spend) -> tuple[int, int]:
    return (
        limit.epsilon_micro - purse.limit_epsilon_micro,
        limit.delta_femto - purse.limit_delta_femto,
    )


def _details(limit: Spend) -> dict[str, object]:
    return {"epsilon_micro": limit.epsilon_micro, "delta_femto": limit.delta_femto}
