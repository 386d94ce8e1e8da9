"""Taking from privacy budgets: committed before any noise is drawn, never given back.

Purses are taken from in one order everywhere – allowance, allotment, populations by id – so that two
purchases never wait for each other.
"""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from django.db import IntegrityError
from django.db.models.functions import Now

from stewardapp.access.amounts import spend_words
from stewardapp.access.verdict import Conflict, Refused
from stewardapp.actions import audit
from stewardapp.actions.action import action
from stewardapp.models import Allotment, Allowance, Charge, Population, Run, User, Version
from stewardapp.models.pricing import Cost
from stewardapp.models.purse import Purse, spend
from worker.engine.privacy import Spend


class Exhausted(Refused):
    """The budget does not suffice; nothing was charged."""

    status = 409


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
    for cost in costs:
        _note(version, populations, by, cost.spend, cost.what, run=run, step=cost.step)
    _pay(version, populations, total, None)
    audit.record("budget.charged", run, by=by, project=version.project, details=_details(total, populations))
    run.refresh_from_db(fields=["charged_at"])
    return run


@action
def charge_query(*, query: UUID, version: Version, cost: Spend, what: str, by: User) -> None:
    """Pay for a query from the personal allowance of whoever asks, under the id of the query."""
    populations = version.charged_populations
    try:
        _note(version, populations, by, cost, what, query=query)
    except IntegrityError:
        raise Conflict("charged", "This question was charged before.") from None
    _pay(version, populations, cost, by)
    details = _details(cost, populations) | {"query": str(query)}
    audit.record("budget.charged", version, by=by, project=version.project, details=details)


def _pay(version: Version, populations: Sequence[Population], cost: Spend, asker: User | None) -> None:
    """Take the cost everywhere it is owed, or nowhere; last, so that others wait for these rows briefly."""
    dataset = version.dataset
    allotment = Allotment.objects.filter(population=dataset.population, project=dataset.project).first()
    if allotment is None:
        raise Exhausted(
            "budget-exhausted", f"The project holds no part of the budget of {dataset.population}."
        )
    if asker is not None:
        _take(_allowance(allotment, asker), cost, "your allowance")
    _take(allotment, cost, "the allotment of the project")
    for population in populations:
        _take(population, cost, f"the population {population}")


def _allowance(allotment: Allotment, asker: User) -> Allowance:
    allowance = allotment.allowances.filter(user=asker).first()
    if allowance is None:
        raise Exhausted("budget-exhausted", "You have no allowance for questions about these people.")
    return allowance


def _take(purse: Purse, cost: Spend, name: str) -> None:
    if not spend(purse, cost):
        asked = spend_words(cost.epsilon_micro, cost.delta_femto)
        raise Exhausted("budget-exhausted", f"This takes {asked}, and {name} has less than that left.")


def _note(
    version: Version,
    populations: Sequence[Population],
    by: User,
    cost: Spend,
    what: str,
    *,
    run: Run | None = None,
    step: int | None = None,
    query: UUID | None = None,
) -> None:
    dataset = version.dataset
    Charge.objects.bulk_create(
        Charge(
            population=population,
            project=dataset.project,
            version=version,
            by=by,
            run=run,
            step=step,
            query=query,
            direct=population.pk == dataset.population_id,
            what=what[:200],
            epsilon_micro=cost.epsilon_micro,
            delta_femto=cost.delta_femto,
        )
        for population in populations
    )


def _details(total: Spend, populations: Sequence[Population]) -> dict[str, object]:
    return {
        "epsilon_micro": total.epsilon_micro,
        "delta_femto": total.delta_femto,
        "populations": [str(population.pk) for population in populations],
    }
