"""What takes several people: one proposes, others agree; with everybody it needs it is done at once."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models.functions import Now

from stewardapp.access.rules import (
    is_there,
    may_agree,
    may_confirm,
    may_decline,
    may_propose,
    may_propose_move,
    still_missing,
)
from stewardapp.access.verdict import Conflict, Invalid, require
from stewardapp.actions import audit
from stewardapp.actions.action import action, locked
from stewardapp.actions.parts import give_part, set_limit
from stewardapp.actions.sharing import both_locked, overlap, separate
from stewardapp.actions.telling import tell_guardians
from stewardapp.domain.familiarity import facts_of_look
from stewardapp.domain.holding import begins_to_hold, facts_of, proposal_facts, stake_in, stake_of
from stewardapp.domain.text import required
from stewardapp.models import (
    Agreement,
    Allotment,
    Dataset,
    Population,
    Project,
    Proposal,
    ProposalKind,
    ProposalState,
    User,
)
from worker.engine.contracts.privacy import Spend


@action
def propose_limit(
    *, population: Population, limit: Spend, reason: str, project: Project | None = None, by: User
) -> Proposal:
    """Ask for another limit, higher or lower; what is added may go to a project at once."""
    _insist_on_a_say(by, population)
    population = Population.objects.get(pk=population.pk)
    now = population.limit
    if limit == now:
        raise Invalid("no-change", "This is the limit already.", "epsilon")
    if project is not None and not now.within(limit):
        raise Invalid("not-higher", "Only what is added to a limit can go to a project.", "epsilon")
    asked = {"population": population, "project": project, **_amount(limit)}
    return _proposed(ProposalKind.LIMIT, reason, by, **asked)


@action
def propose_part(
    *, population: Population, project: Project, limit: Spend, reason: str, by: User
) -> Proposal:
    """Ask for another part of a project within the limit."""
    _insist_on_a_say(by, population)
    asked = {"population": population, "project": project, **_amount(limit)}
    return _proposed(ProposalKind.PART, reason, by, **asked)


@action
def propose_overlap(*, population: Population, other: Population, reason: str, by: User) -> Proposal:
    """Say that some people belong to both: every spend on one, past and future, is charged to both."""
    if population.pk == other.pk:
        raise Invalid("same", "A population always overlaps with itself; choose another one.", "other")
    _insist_on_a_say(by, population, other)
    if population.overlaps.filter(pk=other.pk).exists():
        raise Conflict("already-declared", "This overlap is already declared.")
    return _proposed(ProposalKind.OVERLAP, reason, by, **_pair(population, other))


@action
def propose_separation(*, population: Population, other: Population, reason: str, by: User) -> Proposal:
    """Say that an overlap was declared by mistake; what it charged stays charged."""
    _insist_on_a_say(by, population, other)
    if not population.overlaps.filter(pk=other.pk).exists():
        raise Conflict("not-declared", "No overlap of these populations is declared.")
    return _proposed(ProposalKind.SEPARATION, reason, by, **_pair(population, other))


@action
def propose_move(*, dataset: Dataset, target: Population, reason: str, by: User) -> Proposal:
    """Say that a dataset is about other people than those it named."""
    require(may_propose_move(dataset.project.person(by)))
    dataset = locked(dataset)
    require(is_there(dataset.facts()))
    if dataset.population_id == target.pk:
        raise Invalid("no-change", "The dataset is about these people already.", "target")
    asked = {"population": dataset.population, "dataset": dataset, "target": target}
    return _proposed(ProposalKind.MOVE, reason, by, **asked)


@action
def propose_admission(*, dataset: Dataset, reason: str, by: User) -> Proposal:
    """Ask to count among those who hold data about the people."""
    require(may_propose_move(dataset.project.person(by)))
    dataset = locked(dataset)
    require(is_there(dataset.facts()))
    if dataset.admitted:
        raise Invalid("no-change", "This dataset counts already.")
    asked = {"population": dataset.population, "dataset": dataset}
    return _proposed(ProposalKind.ADMISSION, reason, by, **asked)


def _insist_on_a_say(by: User, *concerned: Population) -> None:
    require(may_propose(stake_of(by, concerned), facts_of(concerned)))


def _amount(limit: Spend) -> dict[str, int]:
    return {"epsilon_micro": limit.epsilon_micro, "delta_femto": limit.delta_femto}


def _pair(one: Population, other: Population) -> dict[str, Population]:
    """In one order, so that the same two are never proposed twice."""
    first, second = sorted((one, other), key=lambda population: population.pk)
    return {"population": first, "target": second}


def _proposed(kind: ProposalKind, reason: str, by: User, **asked: Any) -> Proposal:
    proposal = Proposal(kind=kind, reason=required(reason, "reason"), proposed_by=by, **asked)
    try:
        with transaction.atomic():
            proposal.save()
    except IntegrityError:
        raise Conflict("already-proposed", "Another proposal about this waits for a decision.") from None
    details = {name: getattr(value, "pk", value) for name, value in asked.items() if value is not None}
    said = {name: value if isinstance(value, int) else str(value) for name, value in details.items()}
    _record("proposed", proposal, by, said)
    tell_guardians(proposal.concerned, f"Proposed: {proposal.words}", by)
    return proposal


@action
def confirm(*, proposal: Proposal, by: User, aware: bool = False) -> Proposal:
    """Agree with what somebody else proposed: it is done with the last one it needs.

    `aware` is whoever was told that the people are probably known to the site, and agrees all the same.
    """
    proposal = locked(proposal)
    require(may_agree(stake_in(proposal, by), proposal_facts(proposal)))
    require(may_confirm(facts_of_look(proposal, by), aware))
    Agreement.objects.create(proposal=proposal, by=by)
    if still_missing(proposal_facts(proposal)):
        _record("agreed", proposal, by, {})
        return proposal
    told, words = proposal.concerned, proposal.words
    _decide(proposal, ProposalState.CONFIRMED, by)
    details = CONSEQUENCES[ProposalKind(proposal.kind)](proposal)
    _record("confirmed", proposal, by, details)
    tell_guardians(told, f"Agreed to: {words}", by)
    return proposal


@action
def decline(*, proposal: Proposal, by: User) -> Proposal:
    """Turn a proposal down, or take the own one back."""
    proposal = locked(proposal)
    require(may_decline(stake_of(by, proposal.concerned), proposal_facts(proposal)))
    _decide(proposal, ProposalState.DECLINED, by)
    _record("declined", proposal, by, {})
    tell_guardians(proposal.concerned, f"Declined: {proposal.words}", by)
    return proposal


def _record(what: str, proposal: Proposal, by: User, details: Mapping[str, object]) -> None:
    project = proposal.dataset.project if proposal.dataset else proposal.project
    audit.record(f"proposal.{proposal.kind}-{what}", proposal, by=by, project=project, details=details)


def _decide(proposal: Proposal, state: ProposalState, by: User) -> None:
    changed = Proposal.objects.open().filter(pk=proposal.pk)
    if changed.update(state=state, decided_by=by, decided_at=Now()) != 1:
        raise Conflict("decided", "Somebody else has decided about this proposal in the meantime.")
    proposal.refresh_from_db()


def _set_limit(proposal: Proposal) -> dict[str, object]:
    """The part of the project is locked before the limit, as a purchase does it."""
    population, limit, project = proposal.population, proposal.limit, proposal.project
    if project is not None:
        part, _ = Allotment.objects.get_or_create(population=population, project=project)
        part = locked(part)
    population = locked(population)
    before = population.limit
    set_limit(population, limit)
    if project is not None:
        more = Spend(limit.epsilon_micro - before.epsilon_micro, limit.delta_femto - before.delta_femto)
        give_part(population, project, part.limit + more)
    return {"before": _amount(before)}


def _set_part(proposal: Proposal) -> dict[str, object]:
    assert proposal.project is not None  # the database keeps it so
    give_part(proposal.population, proposal.project, proposal.limit)
    return {}


def _overlap(proposal: Proposal) -> dict[str, object]:
    assert proposal.target is not None  # the database keeps it so
    return {"charged": overlap(proposal.population, proposal.target)}


def _separate(proposal: Proposal) -> dict[str, object]:
    assert proposal.target is not None  # the database keeps it so
    separate(proposal.population, proposal.target)
    return {}


def _move(proposal: Proposal) -> dict[str, object]:
    """The dataset to its people; what was charged to the others stays theirs."""
    assert proposal.dataset is not None  # the database keeps it so
    assert proposal.target is not None
    dataset = proposal.dataset
    both_locked(proposal.population, proposal.target)
    admitted = begins_to_hold(dataset.project, proposal.target)
    moved = Dataset.objects.filter(pk=dataset.pk, population=proposal.population)
    if moved.update(population=proposal.target, admitted=admitted) != 1:
        raise Conflict("changed", "The dataset is about other people by now; propose it again.")
    return {"admitted": admitted}


def _admit(proposal: Proposal) -> dict[str, object]:
    assert proposal.dataset is not None  # the database keeps it so
    Dataset.objects.filter(pk=proposal.dataset.pk).update(admitted=True)
    return {}


CONSEQUENCES: dict[ProposalKind, Callable[[Proposal], dict[str, object]]] = {
    ProposalKind.LIMIT: _set_limit,
    ProposalKind.PART: _set_part,
    ProposalKind.OVERLAP: _overlap,
    ProposalKind.SEPARATION: _separate,
    ProposalKind.MOVE: _move,
    ProposalKind.ADMISSION: _admit,
}
