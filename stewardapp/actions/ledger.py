"""Taking from privacy budgets: committed before any noise is drawn, never given back.

Purses are taken from in one order everywhere – allowance, allotment, populations by id – so that two
purchases never wait for each other. On PostgreSQL the database itself takes what a query costs, in one
statement that is the whole transaction.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from functools import wraps
from typing import Any, ParamSpec, TypeVar
from uuid import UUID

from django.db import IntegrityError, connection, transaction
from django.db.models.functions import Now

from stewardapp import witness
from stewardapp.access.amounts import spend_words
from stewardapp.access.verdict import Conflict, Refused
from stewardapp.actions import audit
from stewardapp.actions.action import action, brief_action, count_event, is_one_statement
from stewardapp.database import purchase
from stewardapp.domain import audit_chain
from stewardapp.domain.pricing import SAME_DATA, Cost
from stewardapp.models import Allotment, Charge, Population, Query, Run, User, Version
from stewardapp.models.purse import Purse, spend
from worker.engine.contracts.privacy import Protected, Spend

MOST_WORDS = 200
P = ParamSpec("P")
R = TypeVar("R")


class Exhausted(Refused):
    """The budget does not suffice; nothing was charged."""

    status = 409


class Unaware(Conflict):
    """An overlap was declared while this purchase was made: it would not have charged everybody."""


class BeingAnswered(Conflict):
    """Another worker is drawing the answer to the same question: it is going to be repeated."""


def _aware(charge: Callable[P, R]) -> Callable[P, R]:
    """Charge again as long as overlaps are declared meanwhile; what was refused so wrote nothing."""

    @wraps(charge)
    def charged(*args: P.args, **kwargs: P.kwargs) -> R:
        while True:
            with suppress(Unaware):
                return charge(*args, **kwargs)

    return charged


@_aware
@action
def charge_run(*, run: Run, fence: int, costs: Sequence[Cost], by: User) -> Run:
    """Pay for the steps of a run, each under (run, step), if this claim still holds it."""
    held = Run.objects.held(run.pk, fence).filter(charged_at__isnull=True)
    if held.update(charged_at=Now()) != 1:
        raise Conflict(
            "claim-lost", "Another worker has this run now, or it was cancelled or charged before."
        )
    total = sum((cost.spend for cost in costs), Spend())
    version = run.release.version
    populations = version.charged_populations
    Charge.objects.bulk_create(
        charge
        for cost in costs
        for charge in _charges(version, populations, by, cost, run=run, step=cost.step)
    )
    _pay(version, populations, total, None)
    details = _details(total, [population.pk for population in populations])
    audit.record("budget.charged", run, by=by, project=version.project, details=details)
    run.refresh_from_db(fields=["charged_at"])
    return run


@_aware
@brief_action
def charge_query(
    *,
    query: UUID,
    version: Version,
    cost: Spend,
    what: str,
    unit: Protected = Protected.ROW,
    by: User,
    fence: int | None = None,
) -> None:
    """Pay for a query from the personal allowance of whoever asks, under the id of the query.

    With the fence of a claim the question is marked as paid for, if that claim still holds it.
    """
    pay = _pay_at_once if is_one_statement() else _pay_step_by_step
    pay(query, fence, version, Cost(0, what[:MOST_WORDS], cost, unit), by)


def _pay_at_once(query: UUID, fence: int | None, version: Version, cost: Cost, by: User) -> None:
    """All that is done step by step below, by the database itself, which knows if others have to pay too."""
    number, linked, payers = 0, "", [version.dataset.population_id]
    while not number:
        details = _details(cost.spend, payers, query)
        event = audit.told("budget.charged", version, by, version.project, details)
        seal = audit_chain.seal(event)
        try:
            with _apart():
                number, linked, payers = purchase.buy(query, fence, version, payers, cost, event, seal)
        except purchase.Refusal as refusal:
            raise _refused(refusal.code, cost.spend, _told(version, refusal.population)) from None
    count_event(number)
    witness.note_after_commit(number, linked)


def _apart() -> AbstractContextManager[object]:
    """Inside a larger transaction a refusal undoes the purchase alone: why it was refused is still asked."""
    return transaction.atomic() if connection.in_atomic_block else nullcontext()


def _pay_step_by_step(query: UUID, fence: int | None, version: Version, cost: Cost, by: User) -> None:
    if fence is not None and not _marked(query, fence):
        raise _refused("claim-lost", cost.spend)
    populations = version.charged_populations
    _add(_charges(version, populations, by, cost, query=query))
    _pay(version, populations, cost.spend, by)
    details = _details(cost.spend, [population.pk for population in populations], query)
    audit.record("budget.charged", version, by=by, project=version.project, details=details)


def _marked(query: UUID, fence: int) -> bool:
    try:
        return Query.objects.mark_charged(query, fence)
    except IntegrityError:
        raise _refused("being-answered", Spend()) from None


@action
def charge_repeat(*, query: Query, fence: int, earlier: Query, by: User) -> Query:
    """Pay for an answer that was drawn for a colleague: from the own allowance alone, because nothing more
    is told of anybody. It is refused whenever a new question would be: or what was left would tell."""
    if not Query.objects.mark_repeated(query.pk, fence, earlier):
        raise _refused("claim-lost", query.spend)
    cost = query.spend
    for code, name, purse in _shared(query.version):
        if purse is None or not cost.within(purse.left):
            raise _refused(code, cost, name)
    allowance = query.desk.allowance_of(by)
    if allowance is None:
        raise _refused("no-allowance", cost)
    _take(allowance, cost, "allowance")
    details = {"repeats": str(earlier.pk), "epsilon_micro": cost.epsilon_micro}
    audit.record("query.repeated", query, by=by, project=query.project, details=details)
    query.refresh_from_db(fields=["charged_at", "repeats"])
    return query


def _shared(version: Version) -> Iterator[tuple[str, str, Purse | None]]:
    """What a new question would be paid from besides the own allowance, with the refusal of each."""
    dataset = version.dataset
    held = Allotment.objects.filter(population=dataset.population, project=dataset.project)
    yield "allotment", "", held.first()
    for population in version.charged_populations:
        yield "population", _told(version, population.name), population


def _add(charges: Sequence[Charge]) -> None:
    try:
        Charge.objects.bulk_create(charges)
    except IntegrityError:
        raise _refused("charged", Spend()) from None


def _pay(version: Version, populations: Sequence[Population], cost: Spend, asker: User | None) -> None:
    """Take the cost everywhere it is owed, or nowhere; last, so that others wait for these rows briefly."""
    dataset = version.dataset
    allotment = Allotment.objects.filter(population=dataset.population, project=dataset.project).first()
    if allotment is None:
        raise _refused("no-allotment", cost, _told(version, dataset.population.name))
    if asker is not None:
        allowance = allotment.allowances.filter(user=asker).first()
        if allowance is None:
            raise _refused("no-allowance", cost)
        _take(allowance, cost, "allowance")
    _take(allotment, cost, "allotment")
    for population in populations:
        if not spend(population, cost, ties=population.ties):
            code = "unaware" if _has_new_ties(population) else "population"
            raise _refused(code, cost, _told(version, population.name))


def _take(purse: Purse, cost: Spend, code: str) -> None:
    if not spend(purse, cost):
        raise _refused(code, cost)


def _told(version: Version, name: str) -> str:
    """A population by its name, where it is known to share people with those of the data."""
    known = any(one.name == name for one in version.dataset.population.charged_with)
    return f"the population {name}" if known else SAME_DATA


def _refused(code: str, cost: Spend, population: str = "") -> Refused:
    """Why nothing was bought, in the words of whoever wanted to buy."""
    if code == "charged":
        return Conflict("charged", "This question was charged before.")
    if code == "claim-lost":
        return Conflict("claim-lost", "Another worker has this question now, or it was charged before.")
    if code == "being-answered":
        return BeingAnswered("being-answered", "The same question is being answered.")
    if code == "unaware":
        return Unaware("unaware", "The people this is about were described anew in the meantime.")
    asked = spend_words(cost.epsilon_micro, cost.delta_femto)
    return Exhausted("budget-exhausted", REFUSALS[code].format(asked=asked, population=population))


def _has_new_ties(population: Population) -> bool:
    return not Population.objects.filter(pk=population.pk, ties=population.ties).exists()


SHORT = "This takes {asked}, and %s has less than that left."
REFUSALS = {
    "no-allotment": "The project holds no part of the budget of {population}.",
    "no-allowance": "You have no allowance for questions about these people.",
    "allowance": SHORT % "your allowance",
    "allotment": SHORT % "the allotment of the project",
    "population": SHORT % "{population}",
}


def _charges(
    version: Version,
    populations: Sequence[Population],
    by: User,
    cost: Cost,
    **key: Any,
) -> list[Charge]:
    """One row for each population, under (run, step) or (query)."""
    return [
        Charge(
            population=population,
            project=version.dataset.project,
            version=version,
            by=by,
            direct=population.pk == version.dataset.population_id,
            what=cost.what[:MOST_WORDS],
            unit=cost.unit,
            epsilon_micro=cost.spend.epsilon_micro,
            delta_femto=cost.spend.delta_femto,
            **key,
        )
        for population in populations
    ]


def _details(total: Spend, populations: Sequence[UUID], query: UUID | None = None) -> dict[str, object]:
    asked = {} if query is None else {"query": str(query)}
    return asked | {
        "epsilon_micro": total.epsilon_micro,
        "delta_femto": total.delta_femto,
        "populations": [str(population) for population in populations],
    }
