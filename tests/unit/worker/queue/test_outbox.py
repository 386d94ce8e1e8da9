"""Jobs are announced after the commit, again when nobody came, and never by the request itself."""

import time
from collections.abc import Iterator

import pytest
from django.db import DatabaseError, transaction
from django.db.models.signals import post_save

from stewardapp.models import Reading
from tests.factories import make_project, upload
from tests.site import Site, until
from worker.queue import outbox
from worker.queue.kinds import kinds


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, str]]:
    sent: list[tuple[str, str]] = []
    monkeypatch.setattr(outbox, "send", lambda kind, identity: sent.append((kind, identity)))
    return sent


@pytest.fixture
def bell(embedded_site: Site) -> Iterator[outbox.Bell]:
    bell = outbox.start()
    yield bell
    for kind in kinds().values():
        post_save.disconnect(bell.on_saved, sender=kind.row)


def queued() -> Reading:
    reading = upload(make_project()).attempt
    assert reading is not None
    return reading


def test_a_queued_job_is_announced_once(embedded_site: Site, sent: list[tuple[str, str]]) -> None:
    reading = queued()
    assert outbox.send_due() == 1
    assert outbox.send_due() == 0
    assert sent == [("reading", str(reading.pk))]


def test_a_job_nobody_came_for_is_announced_again(
    embedded_site: Site, sent: list[tuple[str, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    queued()
    outbox.send_due()
    monkeypatch.setattr(outbox, "patience", lambda: 0.0)
    assert outbox.send_due() == 1
    assert len(sent) == 2


def test_a_claimed_job_is_not_announced(embedded_site: Site, sent: list[tuple[str, str]]) -> None:
    assert Reading.objects.claim(queued().pk, "w", 30)
    assert outbox.send_due() == 0
    assert sent == []


def test_a_silent_broker_is_asked_once_per_round_and_the_job_stays_due(
    embedded_site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    team, tries = make_project(), []
    for _ in range(3):
        upload(team)

    def silent(kind: str, identity: str) -> None:
        tries.append(identity)
        raise ConnectionRefusedError

    monkeypatch.setattr(outbox, "send", silent)
    assert outbox.send_due() == 0
    assert len(tries) == 1
    assert Reading.objects.undispatched(outbox.patience()).count() == 3


def test_the_wait_before_announcing_again_grows_with_lease_and_tick(settings: object) -> None:
    settings.STEWARD_LEASE, settings.STEWARD_TICK = 30, 3  # type: ignore[attr-defined]
    assert outbox.patience() == 30
    settings.STEWARD_TICK = 10  # type: ignore[attr-defined]
    assert outbox.patience() == 50


def test_the_web_process_announces_right_after_the_commit(
    bell: outbox.Bell, sent: list[tuple[str, str]]
) -> None:
    team = make_project()
    with transaction.atomic():
        reading = upload(team).attempt
        assert reading is not None
        time.sleep(0.05)  # time enough for an announcement that must not come
        assert sent == []
    until(lambda: sent, 5)
    assert sent == [("reading", str(reading.pk))]


def test_a_change_of_a_job_rings_nothing(bell: outbox.Bell, sent: list[tuple[str, str]]) -> None:
    bell.on_saved(created=False)
    assert not bell._rung.is_set()


def test_the_thread_outlives_a_database_that_is_away(
    bell: outbox.Bell, sent: list[tuple[str, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[int] = []

    def away() -> int:
        calls.append(1)
        raise DatabaseError

    monkeypatch.setattr(outbox, "send_due", away)
    bell.ring()
    until(lambda: len(calls) == 1, 5)
    bell.ring()
    until(lambda: len(calls) == 2, 5)
    assert bell.is_alive()
