"""Dividing a population's budget: the parts of projects, the parts of analysts."""

from __future__ import annotations

from stewardapp.access.amounts import spend_words
from stewardapp.access.rules import may_allot, may_allow
from stewardapp.access.verdict import Invalid, require
from stewardapp.actions import audit
from stewardapp.actions.action import action
from stewardapp.actions.parts import give_part, hand_on_to
from stewardapp.actions.telling import tell_guardians
from stewardapp.domain.holding import facts_of, stake_of
from stewardapp.models import Allotment, Allowance, Population, Project, User
from worker.engine.contracts.privacy import Spend


@action
def allot(*, population: Population, project: Project, limit: Spend, by: User) -> Allotment:
    """Set the part of a project, within what the limit of the population has not handed on yet."""
    require(may_allot(stake_of(by, [population]), *facts_of([population])))
    allotment = give_part(population, project, limit)
    details = _details(limit) | {"population": str(population.pk)}
    audit.record("budget.allotted", allotment, by=by, project=project, details=details)
    part = spend_words(limit.epsilon_micro, limit.delta_femto)
    tell_guardians([population], f"{project} has {part} of the budget of {population}.", by)
    return allotment


@action
def allow(*, allotment: Allotment, user: User, limit: Spend, by: User) -> Allowance:
    """Set the part of a member, within what the allotment of the project has not handed on yet."""
    require(may_allow(allotment.project.person(by)))
    if not allotment.project.memberships.filter(user=user).exists():
        raise Invalid("not-a-member", "Only members of the project can have an allowance.", "user")
    Allowance.objects.get_or_create(allotment=allotment, user=user)
    allowance = Allowance.objects.get(allotment=allotment, user=user)
    hand_on_to(allotment, allowance, limit)
    details = _details(limit) | {"user": str(user.pk)}
    audit.record("budget.allowed", allowance, by=by, project=allotment.project, details=details)
    allowance.refresh_from_db()
    return allowance


def _details(limit: Spend) -> dict[str, object]:
    return {"epsilon_micro": limit.epsilon_micro, "delta_femto": limit.delta_femto}
