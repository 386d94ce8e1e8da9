"""Describing the people data are about."""

from __future__ import annotations

from django.db import IntegrityError, transaction

from stewardapp.access.rules import may_manage_populations
from stewardapp.access.verdict import Invalid, require
from stewardapp.actions import audit
from stewardapp.actions.action import action
from stewardapp.domain.text import required
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
