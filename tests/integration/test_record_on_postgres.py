"""The record on a real PostgreSQL: the same moves, constraints, actions and chain as on SQLite."""

import inspect
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from django.db import connection, transaction

from stewardapp.access.workflow import State
from stewardapp.actions import audit, ledger
from stewardapp.models import AuditEvent, AuditHead, Project
from tests import factories
from tests.services import fresh_database
from tests.site import Site, inhabited
from tests.unit.actions import test_ledger as budgets
from tests.unit.actions.test_one_event_each import CALLS
from tests.unit.models import test_constraints as constraints
from tests.unit.models import test_jobs as jobs

pytestmark = pytest.mark.postgres


def taking(module: ModuleType, parameter: str) -> dict[str, Callable[..., None]]:
    """The tests of a module that need nothing but this."""
    return {
        name: function
        for name, function in inspect.getmembers(module, inspect.isfunction)
        if name.startswith("test_") and list(inspect.signature(function).parameters) == [parameter]
    }


MOVES = taking(jobs, "run")
PURCHASES = taking(budgets, "scene")


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


def test_budgets() -> None:
    assert len(PURCHASES) > 10
    for spends in PURCHASES.values():
        with undone():
            spends(budgets.make_scene())


def anchored() -> list[AuditEvent]:
    return list(AuditEvent.objects.filter(anchor__isnull=False).order_by("id"))


def test_a_purchase_alone_is_one_statement(django_assert_num_queries: Any) -> None:
    scene = budgets.make_scene()
    with django_assert_num_queries(2):  # who is charged and where the log ends, the purchase
        scene.charge(10)
    assert scene.left() == (999_990,) * 3
    with pytest.raises(ledger.Exhausted, match="your allowance has less"):
        scene.charge(1_000_000)
    (event,) = anchored()
    assert (event.action, event.anchor, event.actor) == ("budget.charged", event.id - 1, scene.team.analyst)
    assert isinstance(audit.verify(), audit.Whole)


@pytest.mark.parametrize(
    "change",
    [
        "SET details = jsonb_set(details, '{epsilon_micro}', '1')",
        "SET at = at + interval '1 microsecond'",
        "SET actor_id = NULL",
        "SET anchor = anchor - 1",
        "SET anchor = id",
        "SET seal = repeat('0', 64)",
        "SET seal = NULL, anchor = NULL",
        "SET hash = repeat('0', 64)",
    ],
)
def test_an_anchored_event_that_was_changed_is_found(change: str) -> None:
    event = charged_twice()[0]
    with connection.cursor() as cursor:
        cursor.execute(f"UPDATE stewardapp_auditevent {change} WHERE id = {event.id}")
    assert audit.verify() == audit.Broken(event.id, "the event was changed")


def charged_twice() -> list[AuditEvent]:
    scene = budgets.make_scene()
    for _ in range(2):
        scene.charge(10)
    return anchored()


def linked_anew(events: list[AuditEvent]) -> None:
    """What somebody can do who writes to the database and has no key: hash the events as they stand now."""
    AuditEvent.objects.all()._raw_delete("default")
    previous = ""
    for number, event in enumerate(events, start=1):
        event.id, event.previous_hash = number, previous
        previous = event.hash = audit.link(event) if event.seal else event.hash
        event._state.adding = True
        event.save()
    AuditHead.objects.update(count=len(events), hash=previous)


@pytest.mark.parametrize("change", ["dropped", "swapped"])
def test_hashing_without_the_key_hides_nothing_that_was_anchored(change: str) -> None:
    first, second = charged_twice()
    place = first.id
    events = list(AuditEvent.objects.order_by("id"))
    if change == "dropped":
        events.remove(first)
    else:
        events[-2:] = [second, first]
    linked_anew(events)
    assert audit.verify() == audit.Broken(place, "the event was changed")


def test_a_purchase_that_did_not_know_of_an_overlap_is_made_again(monkeypatch: pytest.MonkeyPatch) -> None:
    scene = budgets.make_scene()
    budgets.declared_while_buying(scene, monkeypatch)
