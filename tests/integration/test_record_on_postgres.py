"""The record on a real PostgreSQL: the same moves, constraints, actions and chain as on SQLite."""

import inspect
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from django.db import transaction

from stewardapp.access.workflow import State
from stewardapp.actions import audit
from stewardapp.models import AuditEvent, Project
from tests import factories
from tests.services import fresh_database
from tests.site import Site, inhabited
from tests.unit.actions.test_one_event_each import CALLS
from tests.unit.models import test_constraints as constraints
from tests.unit.models import test_jobs as jobs

pytestmark = pytest.mark.postgres

MOVES: dict[str, Callable[..., None]] = {
    name: function
    for name, function in inspect.getmembers(jobs, inspect.isfunction)
    if name.startswith("test_") and list(inspect.signature(function).parameters) == ["run"]
}


@pytest.fixture(autouse=True)
def _on_postgres(
    postgres_server: str, postgres_template: str, tmp_path: Path, django_db_blocker: Any
) -> Iterator[None]:
    data = tmp_path / "data"
    data.mkdir()
    with ExitStack() as stack:
        address = stack.enter_context(fresh_database(postgres_server, postgres_template))
        stack.enter_context(django_db_blocker.unblock())
        stack.enter_context(inhabited(Site(data, address, f"spool://{data}/spool")))
        yield


class undone:  # noqa: N801 - used like a function
    """A transaction that leaves nothing behind."""

    def __enter__(self) -> None:
        self._atomic = transaction.atomic()
        self._atomic.__enter__()

    def __exit__(self, *error: Any) -> None:
        transaction.set_rollback(True)
        self._atomic.__exit__(None, None, None)


def test_moves_of_jobs() -> None:
    assert len(MOVES) > 10
    release = factories.make_release(factories.make_project())
    for move in MOVES.values():
        with undone():
            move(factories.make_run(release))


def test_constraints() -> None:
    with undone():
        constraints.test_the_database_refuses()
    for change, suffix in constraints.JOBS:
        with undone():
            constraints.test_the_database_refuses_impossible_jobs(change, suffix)
    for make in constraints.UNIQUE:
        with undone():
            constraints.test_the_database_refuses_doubles(make)


def test_every_action_and_the_chain() -> None:
    team = factories.make_project()
    for name, arrange in CALLS.items():
        with undone():
            call = arrange(team)
            before = AuditEvent.objects.count()
            call()
            assert AuditEvent.objects.count() == before + 1, name
    for state in State:
        assert factories.make_release(team, state=state).state == state
    assert isinstance(audit.verify(), audit.Whole)
    assert Project.objects.visible_to(team.steward).get() == team.project
