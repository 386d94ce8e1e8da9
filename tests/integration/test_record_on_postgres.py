"""The record on a real PostgreSQL: the same moves, constraints, actions and chain as on SQLite."""

import inspect
import shutil
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, nullcontext
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from django.db import connection, transaction

from stewardapp import anchors, storage
from stewardapp.access.workflow import State
from stewardapp.actions import ledger
from stewardapp.database import guards, purchase
from stewardapp.domain import audit_chain
from stewardapp.models import AuditEvent, AuditHead, Charge, Project
from tests import factories
from tests.services import TEMPLATE, fresh_database
from tests.site import Site, inhabited, until
from tests.unit.actions import test_ledger as budgets
from tests.unit.actions.test_one_event_each import CALLS, OF_PARTS
from tests.unit.models import test_constraints as constraints
from tests.unit.models import test_job as jobs
from worker.queue.kinds import kind

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
def _on_postgres(postgres_server: str, tmp_path: Path, django_db_blocker: Any) -> Iterator[None]:
    data = tmp_path / "data"
    data.mkdir()
    with ExitStack() as stack:
        address = stack.enter_context(fresh_database(postgres_server, TEMPLATE))
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
    for name, arrange in CALLS.items():
        with undone():
            call = arrange(
                factories.make_project()
            )  # people as they were, also those an action changed before
            before = AuditEvent.objects.count()
            call()
            assert AuditEvent.objects.count() == before + 1 + OF_PARTS.get(name, 0), name
    shutil.rmtree(storage.root() / anchors.FOLDER)  # made of a log that was undone
    team = factories.make_project()
    for state in State:
        assert factories.make_release(team, state=state).state == state
    assert isinstance(audit_chain.verify(), audit_chain.Whole)
    assert Project.objects.visible_to(team.steward).get() == team.project


def test_budgets() -> None:
    assert len(PURCHASES) > 10
    for spends in PURCHASES.values():
        with undone():
            spends(budgets.make_scene())


def bought() -> list[AuditEvent]:
    return list(AuditEvent.objects.filter(action="budget.charged").order_by("id"))


def one(statement: str) -> Any:
    with connection.cursor() as cursor:
        cursor.execute(statement)
        return cursor.fetchone()[0]


def test_a_purchase_alone_is_one_statement(
    django_assert_num_queries: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    scene = budgets.make_scene()
    calls = spied(monkeypatch)
    with django_assert_num_queries(0):  # nothing beside the call
        scene.charge(10)
    assert len(calls) == 1
    assert scene.left() == (999_990,) * 3
    with pytest.raises(ledger.Exhausted, match="your allowance has less"):
        scene.charge(1_000_000)
    (event,) = bought()
    assert (event.anchor, event.seal, event.actor) == (None, None, scene.team.analyst)
    assert isinstance(audit_chain.verify(), audit_chain.Whole)


def test_a_purchase_marks_the_question_that_its_claim_holds() -> None:
    team = factories.make_project()
    query = factories.make_query(factories.make_desk(team), team.analyst)
    claim = kind("query").take(query.pk)
    assert claim is not None

    def charge(fence: int) -> None:
        about = {"version": query.version, "cost": query.spend, "what": "A count", "by": team.analyst}
        ledger.charge_query(query=query.pk, fence=fence, **about)

    for fence, refused in ((claim.fence - 1, True), (claim.fence, False), (claim.fence, True)):
        with pytest.raises(ledger.Conflict) if refused else nullcontext():
            charge(fence)
        query.refresh_from_db()
        assert (
            (query.charged_at is not None)
            == Charge.objects.filter(query=query.pk).exists()
            == (len(bought()) == 1)
        )
    assert query.charged_at is not None


def spied(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    calls, call = [], purchase._said
    monkeypatch.setattr(purchase, "_said", lambda given: calls.append(given) or call(given))
    return calls


def test_a_purchase_returns_when_it_is_on_the_disk() -> None:
    scene = budgets.make_scene()
    one("SELECT set_config('synchronous_commit', 'on', false)")
    for _ in range(20):  # the server itself is seldom so quick
        scene.charge(10)
        assert one("SELECT pg_current_wal_flush_lsn() >= pg_current_wal_insert_lsn()")


def test_a_purchase_in_a_transaction_leaves_its_commit_as_it_is() -> None:
    scene = budgets.make_scene()
    one("SELECT set_config('synchronous_commit', 'on', false)")
    with transaction.atomic():
        scene.charge(10)
        assert one("SHOW synchronous_commit") == "on"
    assert scene.left() == (999_990,) * 3


@pytest.mark.parametrize(
    "change",
    [
        "SET details = jsonb_set(details, '{epsilon_micro}', '1')",
        "SET at = at + interval '1 microsecond'",
        "SET actor_id = NULL",
        "SET anchor = 1, seal = repeat('0', 64)",
        "SET hash = repeat('0', 64)",
    ],
)
def test_a_purchase_that_was_changed_in_the_log_is_found(change: str) -> None:
    event = bought_twice()[0]
    guards.remove()
    with connection.cursor() as cursor:
        cursor.execute(f"UPDATE stewardapp_auditevent {change} WHERE id = {event.id}")
    assert audit_chain.verify() == audit_chain.Broken(event.id, "the event was changed")


def bought_twice() -> list[AuditEvent]:
    scene = budgets.make_scene()
    for _ in range(2):
        scene.charge(10)
    return bought()


def linked_anew(events: list[AuditEvent]) -> None:
    """What somebody can do who writes to the database and has no key: say who follows whom."""
    guards.remove()
    AuditEvent.objects.all()._raw_delete("default")
    previous = ""
    for number, event in enumerate(events, start=1):
        event.id, event.previous_hash, previous = number, previous, event.hash
        event._state.adding = True
        event.save()
    AuditHead.objects.update(count=len(events), hash=previous)


@pytest.mark.parametrize("change", ["dropped", "swapped"])
def test_purchases_are_sealed_at_their_place(change: str) -> None:
    first, second = bought_twice()
    place = first.id
    events = list(AuditEvent.objects.order_by("id"))
    if change == "dropped":
        events.remove(first)
    else:
        events[-2:] = [second, first]
    linked_anew(events)
    assert audit_chain.verify() == audit_chain.Broken(place, "the event was changed")


def test_who_else_has_to_pay_is_learned_from_the_database(monkeypatch: pytest.MonkeyPatch) -> None:
    scene, calls = budgets.make_scene(), spied(monkeypatch)
    other = budgets.overlapping(scene, budgets.LIMIT)
    factories.declare_overlap(scene.team, scene.population, other)
    scene.charge(10)
    assert len(calls) == 2
    (event,) = bought()
    assert set(event.details["populations"]) == {str(scene.population.pk), str(other.pk)}
    assert isinstance(audit_chain.verify(), audit_chain.Whole)


def test_a_purchase_that_did_not_know_of_an_overlap_is_made_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Somebody declares an overlap after the purchase has looked whom it is charged to."""
    scene, calls = budgets.make_scene(), spied(monkeypatch)
    other = budgets.overlapping(scene, budgets.LIMIT)
    declared = threading.Event()

    def declare() -> None:
        with closing(connection), transaction.atomic():
            factories.declare_overlap(scene.team, scene.population, other)
            declared.set()
            until(lambda: one("SELECT count(*) FROM pg_locks WHERE NOT granted"))

    with ThreadPoolExecutor(1) as somebody:
        declaring = somebody.submit(declare)
        assert declared.wait(30)
        scene.charge(10)
        declaring.result()
    other.refresh_from_db()
    assert (scene.left()[0], other.left_epsilon_micro, len(calls)) == (999_990, 999_990, 3)
