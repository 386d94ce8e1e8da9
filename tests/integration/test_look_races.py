"""Somebody asks about eight populations in eight windows at once: told as often as one by one.

On PostgreSQL the control without the lock of the person is told too often, else the race would prove nothing.
"""

from contextlib import ExitStack

import pytest

from stewardapp.access.population_rules import LOOKS_A_DAY
from stewardapp.actions import proposals
from stewardapp.models import Look
from tests import factories
from tests.integration.test_races import RACERS, Field, postgres_site
from tests.site import Site
from worker.engine.contracts.privacy import Spend

__all__ = ["postgres_site"]


def told(field: Field, team: factories.Team, locks: str) -> int:
    """How often an officer was told who asked about everything at once."""
    officer = factories.make_officer()
    asked = []
    for _ in range(RACERS):
        population = factories.make_held_population(team)
        wanted = {"population": population, "limit": Spend(10), "reason": "Why."}
        asked.append(proposals.propose_limit(by=team.steward, **wanted))
    won = field.start_all("look", asked, [officer] * RACERS, locks)
    assert Look.objects.filter(by=officer).count() == won
    return won


@pytest.mark.postgres
def test_no_more_looks_at_once_than_one_by_one_and_the_control_has_more(postgres_site: Site) -> None:
    with ExitStack() as stack:
        field, team = Field.start(postgres_site, stack), factories.make_project()
        assert told(field, team, "locked") == LOOKS_A_DAY
        assert told(field, team, "unlocked") > LOOKS_A_DAY


def test_no_more_looks_at_once_on_sqlite(embedded_site: Site) -> None:
    with ExitStack() as stack:
        field, team = Field.start(embedded_site, stack), factories.make_project()
        assert told(field, team, "locked") == LOOKS_A_DAY
