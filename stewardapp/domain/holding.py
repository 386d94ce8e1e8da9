"""Which projects hold data about which people, and who speaks for them.

A project holds data about a population when a dataset of it that was admitted has a version that still
exists. The first project to name new people is admitted at once, others by those who hold data already.
"""

from __future__ import annotations

import uuid
from collections import defaultdict
from collections.abc import Iterable
from datetime import datetime

from django.db.models import Q

from stewardapp.access.facts import Person, PopulationFacts, ProposalFacts, Stake
from stewardapp.access.roles import Permission, roles_with
from stewardapp.models.dataset import Dataset, DatasetQuerySet
from stewardapp.models.membership import Membership, MembershipQuerySet, person_of
from stewardapp.models.population import Population
from stewardapp.models.project import Project
from stewardapp.models.proposal import Proposal, ProposalState
from stewardapp.models.user import AnyUser, User

DECIDING = roles_with(Permission.DECIDE_BUDGET)


def facts_of(populations: Iterable[Population]) -> tuple[PopulationFacts, ...]:
    """The populations as the rules see them."""
    found = list(populations)
    holders = defaultdict[uuid.UUID, set[uuid.UUID]](set)
    for population, project in Dataset.objects.holding(found).values_list("population", "project"):
        holders[population].add(project)
    return tuple(PopulationFacts(one.pk, one.name, len(holders[one.pk])) for one in found)


def stake_of(user: AnyUser, populations: Iterable[Population], begun: datetime | None = None) -> Stake:
    """Somebody before these populations: those of which a project holds data in which they decide.

    `begun` is when that was proposed which they would decide about.
    """
    person = person_of(user)
    if not person.signed_in:
        return Stake(Person())
    found = Dataset.objects.holding(populations)
    mine = Membership.objects.filter(user=person.id, role__in=DECIDING)
    holds = _spoken_for(found, mine)
    if begun is None:
        return Stake(person, holds)
    before = _spoken_for(found, mine.there_at(begun))
    handed_over = person.reviews_since is not None and person.reviews_since > begun
    return Stake(person, before, came_later=handed_over or (before != holds and not person.is_officer))


def stake_in(proposal: Proposal, user: AnyUser) -> Stake:
    """Somebody who would agree to a proposal, or agreed."""
    return stake_of(user, proposal.concerned, proposal.created_at)


def proposal_facts(proposal: Proposal) -> ProposalFacts:
    """What the rules need to know: who stands behind it counts as what they are now."""
    agreed = [one.by for one in proposal.agreements.select_related("by")]
    return ProposalFacts(
        proposed_by=proposal.proposed_by_id,
        concerned=facts_of(proposal.concerned),
        backers=tuple(stake_in(proposal, one) for one in (proposal.proposed_by, *agreed)),
        open=proposal.state == ProposalState.OPEN,
    )


def _spoken_for(found: DatasetQuerySet, mine: MembershipQuerySet) -> frozenset[uuid.UUID]:
    there = found.filter(project__in=mine.values("project"))
    return frozenset(there.values_list("population", flat=True))


def guardians(populations: Iterable[Population]) -> set[User]:
    """Everybody who has a say: stewards of projects that hold data, officers; without data administrators."""
    found = list(populations)
    projects = Dataset.objects.holding(found).values_list("project", flat=True)
    stewards = Q(memberships__project__in=projects, memberships__role__in=DECIDING)
    everybody = stewards | Q(is_officer=True)
    if not projects:
        everybody |= Q(is_staff=True)
    return set(User.objects.filter(everybody, is_active=True).distinct())


def begins_to_hold(project: Project, population: Population) -> bool:
    """Whether a dataset of this project counts without anybody's leave."""
    there = Dataset.objects.holding([population])
    return population.is_free_for(project) or there.filter(project=project).exists()
