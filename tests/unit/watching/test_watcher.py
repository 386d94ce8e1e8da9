"""The thread that watches for all, and who may go on listening."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from django.db import OperationalError
from django.test import Client

from stewardapp.actions import accounts, memberships
from stewardapp.middleware import SEEN
from stewardapp.models import Run, User
from stewardapp.reads.changes import Topic
from stewardapp.watching import watcher as module
from stewardapp.watching.sitting import Sitting
from stewardapp.watching.stream import Stream
from stewardapp.watching.watcher import ASK_AGAIN, MOST_EACH, Watcher
from tests import factories
from tests.factories import Team
from tests.site import until

pytestmark = pytest.mark.django_db
BACKEND = "allauth.account.auth_backends.AuthenticationBackend"


@pytest.fixture
def team(tmp_path: Path, settings: Any) -> Team:
    settings.STEWARD_DATA = tmp_path
    return factories.make_project()


@pytest.fixture
def topic(team: Team) -> Topic:
    return Topic("run", factories.make_run(factories.make_release(team)).pk)


@pytest.fixture
def client(team: Team) -> Client:
    client = Client()
    client.force_login(team.reviewer, backend=BACKEND)
    return client


def sitting(user: User, client: Client) -> Sitting:
    return Sitting(str(user.pk), client.session.session_key or "")


# Who may


def test_who_is_signed_in_may_watch_what_they_may_see(team: Team, topic: Topic, client: Client) -> None:
    here = sitting(team.reviewer, client)
    assert here.may_watch([topic])
    assert not Sitting(str(team.steward.pk), here.session).may_watch([topic]), "somebody else signed in since"
    client.logout()
    assert not here.may_watch([topic])


def test_a_right_that_is_lost_is_lost_here_too(team: Team, topic: Topic, client: Client) -> None:
    here = sitting(team.reviewer, client)
    membership = team.project.memberships.get(user=team.reviewer)
    memberships.remove(membership=membership, by=team.admin)
    assert not here.may_watch([topic])


def test_who_was_shut_out_or_is_idle_watches_no_more(team: Team, topic: Topic, client: Client) -> None:
    here = sitting(team.reviewer, client)
    session = client.session
    session[SEEN] = 1
    session.save()
    assert not here.may_watch([topic])
    del session[SEEN]
    session.save()
    assert here.may_watch([topic])
    accounts.deactivate(user=team.reviewer, by=team.admin)
    assert not here.may_watch([topic])


def test_who_needs_a_second_factor_watches_only_with_one(team: Team, topic: Topic, settings: Any) -> None:
    client = Client()
    client.force_login(team.admin, backend=BACKEND)
    here = sitting(team.admin, client)
    assert here.may_watch([topic])
    settings.STEWARD_SITE = True
    assert not here.may_watch([topic])


# The look


class Told(Stream):
    """A line that notes what is said on it."""

    def __init__(self, here: Sitting, topic: Topic) -> None:
        async def made() -> None:
            super(Told, self).__init__(here, [topic])

        asyncio.run(made())
        self.heard: list[str] = []

    def _say(self, changed: set[Topic], *, begun: bool = False, ended: bool = False) -> None:
        self.heard.append("begun" if begun else "ended" if ended else ",".join(map(str, changed)))


def test_a_look_tells_everybody_and_ends_the_lines_of_who_may_not(
    team: Team, topic: Topic, client: Client
) -> None:
    here, nobody = Told(sitting(team.reviewer, client), topic), Told(Sitting("x", "y"), topic)
    watcher = Watcher()
    watcher.look([here, nobody], 1000.0)
    Run.objects.claim(topic.id, "worker", 60)
    watcher.look([here], 1000.1)
    assert (here.heard, nobody.heard) == (["begun", str(topic)], ["ended"])
    client.logout()
    watcher.look([here], 1000.0 + ASK_AGAIN - 0.1)
    assert here.heard[2:] == []
    watcher.look([here], 1000.0 + ASK_AGAIN)
    assert here.heard[2:] == ["ended"]


def test_the_same_person_with_many_pages_is_asked_about_once(
    team: Team, topic: Topic, client: Client, django_assert_max_num_queries: Any
) -> None:
    lines = [Told(sitting(team.reviewer, client), topic) for _ in range(50)]
    with django_assert_max_num_queries(12):
        Watcher().look(list(lines), 1000.0)
    assert all(line.heard == ["begun"] for line in lines)


# The thread


@pytest.fixture
def looks(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many listened at each look; the database is not asked, and its state does not matter."""
    seen: list[int] = []
    monkeypatch.setattr(Watcher, "look", lambda self, streams, now: seen.append(len(streams)))
    monkeypatch.setattr(module, "TICK", 0.01)
    return seen


async def listening(watcher: Watcher, person: str, topic: Topic, until_: asyncio.Event) -> int:
    """How many events come until then."""
    events = watcher.events(Sitting(person, "session"), frozenset([topic]))
    reading = asyncio.ensure_future(anext(events, None))
    await asyncio.wait_for(until_.wait(), 30)
    reading.cancel()
    await asyncio.wait({reading}, timeout=30)
    return int(reading.done() and not reading.cancelled())


def test_one_thread_watches_as_long_as_anybody_listens(topic: Topic, looks: list[int]) -> None:
    watcher = Watcher()

    async def listen() -> None:
        enough = asyncio.Event()
        people = [asyncio.ensure_future(listening(watcher, f"{n}", topic, enough)) for n in range(20)]
        while 20 not in looks:
            await asyncio.sleep(0.01)
        first = watcher._thread
        assert first is not None
        assert first.is_alive()
        enough.set()
        await asyncio.gather(*people)
        until(lambda: not first.is_alive(), 5, "nobody listens any more")
        assert watcher._thread is None

    asyncio.run(listen())


def test_a_person_has_so_many_lines_and_no_more(
    topic: Topic, looks: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    watcher = Watcher()

    async def listen() -> None:
        enough = asyncio.Event()
        lines = [asyncio.ensure_future(listening(watcher, "one", topic, enough)) for _ in range(MOST_EACH)]
        while MOST_EACH not in looks:
            await asyncio.sleep(0.01)
        assert not watcher.has_room_for("one")
        assert watcher.has_room_for("another")
        monkeypatch.setattr(module, "MOST", MOST_EACH)
        assert not watcher.has_room_for("another")
        enough.set()
        await asyncio.gather(*lines)
        assert watcher.has_room_for("one")

    asyncio.run(listen())


def test_a_database_that_is_away_is_asked_again(
    topic: Topic, looks: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    watcher, tries = Watcher(), []

    def away(self: Watcher, streams: list[Stream], now: float) -> None:
        tries.append(now)
        if len(tries) < 3:
            raise OperationalError

    monkeypatch.setattr(Watcher, "look", away)

    async def listen() -> None:
        enough = asyncio.Event()
        line = asyncio.ensure_future(listening(watcher, "one", topic, enough))
        while len(tries) < 4:
            await asyncio.sleep(0.01)
        enough.set()
        await line

    asyncio.run(listen())


def test_what_nobody_foresaw_ends_all_lines_and_the_next_one_begins_anew(
    topic: Topic, looks: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    watcher = Watcher()

    def broken(self: Watcher, streams: list[Stream], now: float) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(Watcher, "look", broken)

    async def listen() -> list[bytes]:
        return [one async for one in watcher.events(Sitting("one", "session"), frozenset([topic]))]

    assert asyncio.run(asyncio.wait_for(listen(), 5)) == []
    assert asyncio.run(asyncio.wait_for(listen(), 5)) == []
