"""Handing parts of a budget on; written inside other actions."""

from __future__ import annotations

from stewardapp.access.amounts import spend_words
from stewardapp.access.verdict import Invalid
from stewardapp.actions.action import locked
from stewardapp.models import Allotment, Population, Project
from stewardapp.models.purse import Divisible, Purse, hand_on, resize
from worker.engine.contracts.privacy import Spend

UNDER_SPENT = "Part of it is spent or handed on already; no limit can be lower than that."


def set_limit(population: Population, limit: Spend) -> None:
    """The limit of a population, down no further than what is neither spent nor handed on."""
    if not resize(population, *_change(population, limit)):
        raise Invalid("under-spent", UNDER_SPENT, "epsilon")
    population.refresh_from_db()


def give_part(population: Population, project: Project, limit: Spend) -> Allotment:
    """The part of a project, within what the limit of the population has not handed on yet."""
    Allotment.objects.get_or_create(population=population, project=project)
    allotment = Allotment.objects.get(population=population, project=project)
    hand_on_to(population, allotment, limit)
    allotment.refresh_from_db()
    return allotment


def hand_on_to(whole: Divisible, part: Purse, limit: Spend) -> None:
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
