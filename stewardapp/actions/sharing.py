"""What was bought before two populations were known to share people."""

from __future__ import annotations

from dataclasses import asdict

from django.db.models import F

from stewardapp.access.amounts import spend_words
from stewardapp.access.verdict import Conflict, Invalid
from stewardapp.actions.action import locked
from stewardapp.models import Charge, Population
from stewardapp.models.purse import spend
from worker.engine.contracts.privacy import Spend


def both_locked(one: Population, other: Population) -> None:
    """Let every purchase of either end first, or learn that others have to pay and begin again."""
    for population in sorted((one, other), key=lambda each: each.pk):
        locked(population)
    Population.objects.filter(pk__in=(one.pk, other.pk)).update(ties=F("ties") + 1)


def overlap(one: Population, other: Population) -> dict[str, dict[str, int]]:
    """Charge both from now on with every spend on one, past and future; what that took of each."""
    both_locked(one, other)
    if one.overlaps.filter(pk=other.pk).exists():
        raise Conflict("already-declared", "This overlap is already declared.")
    one.overlaps.add(other)
    pairs = ((one, other), (other, one))
    return {str(owing.pk): asdict(charge_earlier(source, owing)) for source, owing in pairs}


def separate(one: Population, other: Population) -> None:
    """Charge each with its own again; what both paid so far stays paid."""
    both_locked(one, other)
    if not one.overlaps.filter(pk=other.pk).exists():
        raise Conflict("not-declared", "No overlap of these populations is declared.")
    one.overlaps.remove(other)


def charge_earlier(source: Population, other: Population) -> Spend:
    """Charge one population with everything bought about the other that it has not paid for."""
    owed = [
        Charge(
            population=other,
            project_id=charge.project_id,
            version_id=charge.version_id,
            by_id=charge.by_id,
            run_id=charge.run_id,
            step=charge.step,
            query=charge.query,
            direct=False,
            what=charge.what,
            unit=charge.unit,
            epsilon_micro=charge.epsilon_micro,
            delta_femto=charge.delta_femto,
        )
        for charge in Charge.objects.about(source).unknown_to(other)
    ]
    total = sum((charge.spend for charge in owed), Spend())
    if owed and not spend(other, total):
        raise Invalid("overlap-overspends", _too_much(source, other, total), "other")
    Charge.objects.bulk_create(owed)
    return total


def _too_much(source: Population, other: Population, total: Spend) -> str:
    other.refresh_from_db()
    asked = spend_words(total.epsilon_micro, total.delta_femto)
    left = spend_words(other.left.epsilon_micro, other.left.delta_femto)
    return (
        f"Under {source}, {asked} was already spent on people of both, and {other} has only {left} left "
        f"to cover it. Propose a higher limit for {other}; once others agreed to it, agree to the overlap."
    )
