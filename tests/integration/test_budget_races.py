"""Thirty-two grants of ten race for the last eighty units: eight are paid, whoever comes first.

The control – read, check, write in a transaction – overspends on PostgreSQL, else the race would prove
nothing. Populations that share people are charged in one order, so that nobody waits for ever.
"""

from contextlib import ExitStack
from dataclasses import dataclass

import pytest

from stewardapp.actions import budgets
from stewardapp.domain import audit_chain
from stewardapp.models import Charge, Population, User, Version
from tests import factories
from tests.integration.test_races import Field, crowd, postgres_site
from tests.sampling import WHOLE
from tests.site import Site
from worker.engine.contracts.privacy import Spend

__all__ = ["postgres_site"]
ROUNDS = 100 if WHOLE else 4
LIMIT = Spend(80)
PLENTY = Spend(1_000_000)


@dataclass
class Scene:
    """One team's people; every round has populations of its own."""

    team: factories.Team
    analysts: list[User]

    @classmethod
    def make(cls) -> "Scene":
        team = factories.make_project()
        return cls(team, crowd(team, "analyst"))

    def version(self, limit: Spend) -> Version:
        """Data about people with that budget, plenty of it in the hands of each analyst."""
        own = f"40,{factories.unique('zip')},cold\n"  # the same bytes would be the same people
        version = factories.make_version(self.team, data=factories.CSV + own.encode())
        people = version.dataset.population
        allotment = factories.give_budget(self.team, people, PLENTY)
        for analyst in self.analysts:
            part = {"allotment": allotment, "user": analyst, "limit": Spend(1000)}
            budgets.allow(by=self.team.steward, **part)
        Population.objects.filter(pk=people.pk).update(  # the last units, as after many purchases
            limit_epsilon_micro=limit.epsilon_micro,
            left_epsilon_micro=limit.epsilon_micro,
            unshared_epsilon_micro=0,
        )
        return version


def spent_in(version: Version) -> tuple[int, int]:
    """What the purse says and what the charges say."""
    people = Population.objects.get(pk=version.dataset.population_id)
    return people.spent.epsilon_micro, Charge.objects.filter(population=people).total().epsilon_micro


def race(site: Site) -> None:
    with ExitStack() as stack:
        field, scene = Field.start(site, stack), Scene.make()
        for _ in range(ROUNDS):
            version = scene.version(LIMIT)
            field.race("charge", version.pk, scene.analysts)
            assert spent_in(version) == (80, 80)
        one, other = scene.version(LIMIT), scene.version(LIMIT)
        factories.declare_overlap(scene.team, one.dataset.population, other.dataset.population)
        field.start_all("charge", [one if number % 2 else other for number in range(8)], scene.analysts)
        assert spent_in(one) == spent_in(other) == (80, 80)
        assert isinstance(audit_chain.verify(), audit_chain.Whole)


@pytest.mark.postgres
def test_never_overspent_on_postgres_and_the_control_is(postgres_site: Site) -> None:
    race(postgres_site)
    with ExitStack() as stack:
        field, scene = Field.start(postgres_site, stack), Scene.make()
        overspent = 0
        for _ in range(ROUNDS):
            version = scene.version(Spend(10))
            field.race("careless-charge", version.pk, scene.analysts)
            overspent += spent_in(version)[1] > 10
        assert overspent >= ROUNDS - max(1, ROUNDS // 20), "without the condition several must win"


def test_never_overspent_on_sqlite(embedded_site: Site) -> None:
    race(embedded_site)
