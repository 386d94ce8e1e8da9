"""What is measured of the desk is what is there."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.db import DatabaseError
from django.utils import timezone

from stewardapp import keyring, storage
from stewardapp.models import Run, WorkerSign
from stewardapp.reads import vitals as reads
from tests import factories
from worker.queue.spool import DEAD

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _own_folder(tmp_path: Path, settings: Any) -> None:
    settings.STEWARD_DATA = tmp_path
    settings.STEWARD_KEY_FILE = tmp_path / "site-key"


def test_the_oldest_job_that_waits_counts_of_whichever_kind() -> None:
    team = factories.make_project()
    assert reads.waiting_since() is None
    old, young = (factories.make_run(factories.make_release(team)) for _ in range(2))
    hour_ago = timezone.now() - timedelta(hours=1)
    Run.objects.filter(pk=old.pk).update(queued_at=hour_ago)
    assert reads.waiting_since() == hour_ago
    Run.objects.claim(old.pk, "w", 60)
    young.refresh_from_db()
    assert reads.waiting_since() == young.queued_at


def test_a_worker_counts_for_a_minute() -> None:
    WorkerSign.objects.give("here:1", "1")
    WorkerSign.objects.give("here:2", "1")
    silent = timezone.now() - timedelta(seconds=61)
    WorkerSign.objects.filter(name="here:2").update(seen_at=silent)
    noted = reads.vitals().noted
    assert noted is not None
    assert noted.workers == 1
    assert [worker.name for worker in reads.workers()] == ["here:1", "here:2"]


def test_a_database_that_is_away_hides_nothing_else(monkeypatch: pytest.MonkeyPatch) -> None:
    def away() -> None:
        raise DatabaseError

    monkeypatch.setattr(reads, "waiting_since", away)
    found = reads.vitals()
    assert found.noted is None
    assert found.storage


def test_keys_that_the_site_key_does_not_open() -> None:
    keyring.create()
    assert reads.vitals().keys
    Path(storage.root() / "site-key").write_text("00" * 32)
    assert not reads.vitals().keys
    Path(storage.root() / "site-key").unlink()
    assert not reads.vitals().keys


@pytest.mark.parametrize(("text", "known"), [("2026-05-04T12:00:00+00:00", True), ("yesterday", False)])
def test_the_last_copy(text: str, known: bool) -> None:
    assert reads.copied_at() is None
    (storage.root() / storage.LAST_COPY).write_text(text)
    assert (reads.copied_at() is not None) is known


@pytest.mark.parametrize(("scheme", "count"), [("spool", 2), ("redis", 0)])
def test_damaged_messages_are_counted_where_they_are_files(
    scheme: str, count: int, tmp_path: Path, settings: Any
) -> None:
    settings.STEWARD_BROKER_URL = f"{scheme}://{tmp_path}/spool"
    assert reads.dead_letters() == 0
    (tmp_path / "spool" / DEAD).mkdir(parents=True)
    for name in ("1.jobs.msg", "jobs.exchange", ".half.part"):
        (tmp_path / "spool" / DEAD / name).touch()
    assert reads.dead_letters() == count


def test_no_place_to_write(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse() -> Callable[[], None]:
        raise OSError

    monkeypatch.setattr(storage, "check", refuse)
    monkeypatch.setattr(storage, "free_share", refuse)
    found = reads.vitals()
    assert (found.storage, found.free) == (False, None)
