"""Describing the people data are about."""

from __future__ import annotations

from dataclasses import asdict

from django.db import IntegrityError, transaction

from stewardapp.access.rules import may_manage_populations
from stewardapp.access.verdict import Conflict, Invalid, require
from stewardapp.actions import audit
from stewardapp.actions.action import action
from stewardapp.actions.sharing import both_locked, charge_earlier
from stewardapp.actions.text import required
from stewardapp.models import Population, User
from stewardapp.models.membership import person_anywhere


@action
def create(*, name: str, description: str = "", by: User) -> Population:
    """Describe a population."""
    require(may_manage_populations(person_anywhere(by)))
    population = Population(name=required(name, "name", 120), description=description.strip())
    try:
        with transaction.atomic():
            population.save()
    except IntegrityError:
        raise Invalid("name-taken", "Another population has this name; use that one.", "name") from None
    audit.record("population.created", population, by=by)
    return population


@action
def declare_overlap(*, population: Population, other: Population, by: User) -> None:
    """Say that some people belong to both: every spend on one, past and future, is charged to both."""
    require(may_manage_populations(person_anywhere(by)))
    if population.pk == other.pk:
        raise Invalid("same", "A population always overlaps with itself; choose another one.", "other")
    both_locked(population, other)
    if population.overlaps.filter(pk=other.pk).exists():
        raise Conflict("already-declared", "This overlap is already declared.")
    population.overlaps.add(other)
    charged = {
        str(owing.pk): asdict(charge_earlier(source, owing))
        for source, owing in ((population, other), (other, population))
    }
    details = {"other": str(other.pk), "charged": charged}
    audit.record("population.overlap-declared", population, by=by, details=details)
