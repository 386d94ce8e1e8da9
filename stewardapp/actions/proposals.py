"""What takes two people: one proposes, another one confirms."""

from __future__ import annotations

from typing import Any

from django.db import IntegrityError, transaction
from django.db.models.functions import Now

from stewardapp.access.rules import (
    may_decide_proposal,
    may_decline_proposal,
    may_propose_limit,
    may_propose_move,
)
from stewardapp.access.verdict import Conflict, Invalid, require
from stewardapp.actions import audit
from stewardapp.actions.action import action, locked
from stewardapp.actions.sharing import both_locked
from stewardapp.actions.text import required
from stewardapp.models import Dataset, Population, Project, Proposal, ProposalKind, ProposalState, User
from stewardapp.models.membership import person_anywhere
from stewardapp.models.purse import resize
from worker.engine.privacy import Spend


@action
def propose_limit(*, population: Population, limit: Spend, reason: str, by: User) -> Proposal:
    """Ask for a higher limit."""
    require(may_propose_limit(person_anywhere(by)))
    now = Population.objects.get(pk=population.pk).limit
    if not now.within(limit):
        raise Invalid("not-higher", "This would lower the limit; that needs no second person.", "epsilon")
    if limit == now:
        raise Invalid("no-change", "This is the limit already.", "epsilon")
    proposal = Proposal(
        kind=ProposalKind.LIMIT,
        population=population,
        epsilon_micro=limit.epsilon_micro,
        delta_femto=limit.delta_femto,
        reason=required(reason, "reason"),
        proposed_by=by,
    )
    return _proposed(proposal, None, {"epsilon_micro": limit.epsilon_micro, "delta_femto": limit.delta_femto})


@action
def propose_move(*, dataset: Dataset, target: Population, reason: str, by: User) -> Proposal:
    """Say that a dataset is about other people than those it named."""
    require(may_propose_move(dataset.project.person(by)))
    dataset = Dataset.objects.get(pk=dataset.pk)
    if dataset.population_id == target.pk:
        raise Invalid("no-change", "The dataset is about these people already.", "target")
    proposal = Proposal(
        kind=ProposalKind.MOVE,
        population=dataset.population,
        dataset=dataset,
        target=target,
        reason=required(reason, "reason"),
        proposed_by=by,
    )
    return _proposed(proposal, dataset.project, {"dataset": str(dataset.pk), "target": str(target.pk)})


def _proposed(proposal: Proposal, project: Project | None, details: dict[str, Any]) -> Proposal:
    try:
        with transaction.atomic():
            proposal.save()
    except IntegrityError:
        raise Conflict("already-proposed", "Another proposal about this waits for a decision.") from None
    event, by = f"proposal.{proposal.kind}-proposed", proposal.proposed_by
    audit.record(event, proposal, by=by, project=project, details=details)
    return proposal


@action
def confirm(*, proposal: Proposal, by: User) -> Proposal:
    """Agree with what somebody else proposed: it is done at once."""
    proposal = locked(proposal)
    require(may_decide_proposal(person_anywhere(by), proposal.facts()))
    _decide(proposal, ProposalState.CONFIRMED, by)
    project = CONSEQUENCES[ProposalKind(proposal.kind)](proposal)
    audit.record(f"proposal.{proposal.kind}-confirmed", proposal, by=by, project=project)
    return proposal


@action
def decline(*, proposal: Proposal, by: User) -> Proposal:
    """Turn a proposal down, or take the own one back."""
    proposal = locked(proposal)
    require(may_decline_proposal(person_anywhere(by), proposal.facts()))
    _decide(proposal, ProposalState.DECLINED, by)
    project = proposal.dataset.project if proposal.dataset else None
    audit.record(f"proposal.{proposal.kind}-declined", proposal, by=by, project=project)
    return proposal


def _decide(proposal: Proposal, state: ProposalState, by: User) -> None:
    changed = Proposal.objects.open().filter(pk=proposal.pk)
    if changed.update(state=state, decided_by=by, decided_at=Now()) != 1:
        raise Conflict("decided", "Somebody else has decided about this proposal in the meantime.")
    proposal.refresh_from_db()


def _raise_limit(proposal: Proposal) -> None:
    """The limit as proposed; what somebody lowered meanwhile is part of the difference."""
    population, limit = locked(proposal.population), proposal.limit
    change = (
        max(0, limit.epsilon_micro - population.limit_epsilon_micro),
        max(0, limit.delta_femto - population.limit_delta_femto),
    )
    resize(population, *change)


def _move(proposal: Proposal) -> Project:
    """The dataset to its people; what was charged to the others stays theirs."""
    assert proposal.dataset is not None  # the database keeps it so
    assert proposal.target is not None
    both_locked(proposal.population, proposal.target)
    moved = Dataset.objects.filter(pk=proposal.dataset.pk, population=proposal.population)
    if moved.update(population=proposal.target) != 1:
        raise Conflict("changed", "The dataset is about other people by now; propose it again.")
    return proposal.dataset.project


CONSEQUENCES = {ProposalKind.LIMIT: _raise_limit, ProposalKind.MOVE: _move}
