"""A hold on a job: renewed while it is ours, noticed when it is not."""

import logging
import time
from datetime import timedelta

import pytest
from django.db import OperationalError
from django.utils import timezone

from stewardapp.models import Reading
from stewardapp.models.job import JobQuerySet
from tests.factories import make_project, upload
from tests.site import LEASE, Site, until
from worker.process.parent import Progress
from worker.queue import app, claim
from worker.queue.claim import Claim
from worker.queue.kinds import kind


@pytest.fixture
def reading(embedded_site: Site) -> Reading:
    waiting = upload(make_project()).attempt
    assert waiting is not None
    return waiting


@pytest.fixture
def held(reading: Reading) -> Claim:
    taken = kind("reading").take(reading.pk)
    assert taken is not None
    return taken


def test_only_the_first_gets_it(reading: Reading) -> None:
    assert kind("reading").take(reading.pk)
    assert kind("reading").take(reading.pk) is None


def test_the_lease_is_renewed_while_the_work_goes_on(held: Claim) -> None:
    first = Reading.objects.get(pk=held.id).lease_until
    assert first is not None
    with held.kept():
        until(lambda: Reading.objects.get(pk=held.id).lease_until > first, LEASE)
    after = Reading.objects.get(pk=held.id).lease_until
    time.sleep(LEASE / 2)  # twice a renewal: nobody may renew any more
    assert Reading.objects.get(pk=held.id).lease_until == after


def test_a_lost_lease_is_noticed_and_stops_the_work(held: Claim) -> None:
    Reading.objects.filter(pk=held.id).update(fence=7)
    with held.kept():
        assert held.lost.wait(LEASE)
    assert not held.watch(Progress())


def test_a_database_that_is_away_for_a_moment_is_borne(
    held: Claim, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    beat, calls = JobQuerySet.heartbeat, []

    def away_once(*args: object) -> bool:
        calls.append(args)
        if len(calls) == 1:
            raise OperationalError("canary-8d2f")
        return beat(*args)  # type: ignore[arg-type]

    monkeypatch.setattr(JobQuerySet, "heartbeat", away_once)
    with caplog.at_level(logging.WARNING), held.kept():
        until(lambda: len(calls) > 1, LEASE)
    assert not held.lost.is_set()
    assert "canary" not in caplog.text + str([record.__dict__ for record in caplog.records])


def test_the_work_goes_on_while_the_database_is_away(held: Claim, monkeypatch: pytest.MonkeyPatch) -> None:
    def away(*_: object, **__: object) -> bool:
        raise OperationalError

    monkeypatch.setattr(JobQuerySet, "progress", away)
    monkeypatch.setattr(JobQuerySet, "heartbeat", away)
    monkeypatch.setattr(JobQuerySet, "timed", away)
    assert held.watch(Progress())
    held.tell_time()
    held.let_go()


def test_an_orphan_of_a_dead_worker_stops(held: Claim, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(app, "_started_by", [1 << 30])
    assert app.is_stopping()
    assert not held.watch(Progress())


def test_progress_is_a_part_of_the_whole(held: Claim) -> None:
    with held.part(0.8, 1.0):
        assert held.watch(Progress(0.5, "Verifying", 10.0))
    job = Reading.objects.get(pk=held.id)
    assert (job.percent, job.stage, job.seconds_left) == (90, "Verifying", 10)


def test_what_follows_at_once_is_timed_and_not_written(held: Claim) -> None:
    held.watch(Progress(0.1, "Reading", 1.0))
    assert held.watch(Progress(0.2, "Writing", 1.1))
    held.tell_time()
    job = Reading.objects.get(pk=held.id)
    assert (job.percent, job.stage) == (10, "Reading")
    assert [stage for stage, _ in job.stages] == ["Preparing", "Reading", "Writing"]


def test_the_work_is_never_said_to_be_complete_before_it_is(held: Claim) -> None:
    assert held.watch(Progress(1.0, "Done", 10.0))
    assert Reading.objects.get(pk=held.id).percent == 99


def test_a_worker_that_ends_stops_the_work(held: Claim, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(claim, "is_stopping", lambda: True)
    assert not held.watch(Progress())


def test_letting_go_ends_the_lease_now(held: Claim) -> None:
    held.let_go()
    lease = Reading.objects.get(pk=held.id).lease_until
    assert lease is not None
    assert lease < timezone.now() + timedelta(seconds=0.5)
