"""What a lost worker leaves behind comes to an end."""

import io
import os
import time
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.contrib.sessions.models import Session
from django.utils import timezone

from stewardapp import storage
from stewardapp.actions import runs, uploads, versions
from stewardapp.models import (
    AuditEvent,
    DataKey,
    Guesses,
    JobState,
    Notification,
    Reading,
    Run,
    Upload,
    UploadState,
    Version,
    WorkerSign,
)
from tests.factories import make_dataset, make_project, make_release, make_run, make_version, upload
from tests.site import Site
from worker.process import engines
from worker.queue import reaper, spool
from worker.queue.kinds import kind


@pytest.fixture
def lost(embedded_site: Site, monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.setattr("stewardapp.domain.runnable.checked", lambda recipe: (recipe, "0" * 64))
    run = make_run(make_release(make_project()))
    assert Run.objects.claim(run.pk, "lost", -1)
    return run


def state(run: Run) -> str:
    run.refresh_from_db()
    return run.state


def test_a_lost_job_is_queued_again_once_and_then_given_up(lost: Run) -> None:
    assert reaper.reap() == 1
    assert (state(lost), lost.dispatched_at) == (JobState.QUEUED, None)
    assert Run.objects.claim(lost.pk, "lost again", -1)
    assert reaper.reap() == 1
    assert (state(lost), lost.error_code) == (JobState.FAILED, "worker-lost")
    assert [event.action for event in AuditEvent.objects.about(lost)][:2] == ["run.failed", "run.requeued"]
    assert Notification.objects.filter(user=lost.started_by, text__contains="worker stopped").exists()


def test_a_lost_job_somebody_cancelled_is_cancelled(lost: Run) -> None:
    runs.cancel(run=lost, by=lost.started_by)
    assert reaper.reap() == 1
    assert state(lost) == JobState.CANCELLED


def test_a_job_that_is_alive_is_left_alone(lost: Run) -> None:
    assert Run.objects.heartbeat(lost.pk, 1, 30)
    assert reaper.reap() == 0
    assert state(lost) == JobState.RUNNING


def test_of_two_reapers_one_moves(lost: Run) -> None:
    assert reaper.take_over(kind("run"), lost.pk, 1)
    assert not reaper.take_over(kind("run"), lost.pk, 1)
    assert AuditEvent.objects.about(lost).filter(action="run.requeued").count() == 1


def test_a_worker_that_came_back_in_time_keeps_its_cancelled_job(lost: Run) -> None:
    runs.cancel(run=lost, by=lost.started_by)
    assert Run.objects.heartbeat(lost.pk, 1, 30)
    assert not reaper.take_over(kind("run"), lost.pk, 1)


def test_data_are_destroyed_on_their_date(embedded_site: Site) -> None:
    version, other = make_version(make_project()), make_version(make_project())
    Version.objects.filter(pk=version.pk).update(retention_until=timezone.now() - timedelta(days=1))
    reaper.expire()
    version.refresh_from_db()
    other.refresh_from_db()
    assert version.destroyed_at is not None
    assert other.destroyed_at is None


def test_of_two_workers_one_destroys(embedded_site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    version = make_version(make_project())
    Version.objects.filter(pk=version.pk).update(retention_until=timezone.now() - timedelta(days=1))
    expire = versions.expire

    def slow(*, version: Version) -> None:
        expire(version=version)
        expire(version=version)

    monkeypatch.setattr(versions, "expire", slow)
    reaper.expire()
    assert AuditEvent.objects.about(version).filter(action="version.expired").count() == 1


def test_folders_and_files_nobody_holds_are_swept(
    embedded_site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    with engines.scratch() as held, storage.temporary() as busy:
        left = engines.scratch_root() / "left"
        left.mkdir()
        (left / "spill").write_bytes(b"sealed")
        stale = storage.root() / storage.TEMPORARY / "stale"
        stale.write_bytes(b"sealed")
        reaper.sweep()
        assert left.exists(), "a folder is locked just after it is made"
        monkeypatch.setattr(time, "time", lambda now=time.time(): now + 61)  # noqa: B008
        reaper.sweep()
        assert held.exists()
        assert busy.path.exists()
        assert not left.exists()
        assert not stale.exists()
    assert not held.exists()


def test_the_spool_is_swept_too(embedded_site: Site) -> None:
    queue = embedded_site.data / "spool" / "queue"
    queue.mkdir(parents=True, exist_ok=True)
    half = queue / f".x{spool.PART}"
    half.write_text("{")
    old = time.time() - 2 * spool.ABANDONED_SECONDS
    os.utime(half, (old, old))
    reaper.sweep()
    assert half.exists(), "its change is recent, whatever it says of its age"


@pytest.mark.postgres
def test_a_broker_without_a_folder_is_not_swept(server_site: Site) -> None:
    reaper.sweep()
    assert not Path(server_site.data, "spool").exists()


def test_readings_are_taken_over_like_runs(embedded_site: Site) -> None:
    reading = upload(make_project()).attempt
    assert reading is not None
    assert Reading.objects.claim(reading.pk, "lost", -1)
    assert reaper.reap() == 1
    reading.refresh_from_db()
    assert reading.state == JobState.QUEUED


@pytest.fixture
def announced(db: None, tmp_path: Path, settings: Any) -> Upload:
    """An upload of which the first bytes came eight days ago."""
    settings.STEWARD_DATA = tmp_path
    team = make_project()
    begun = uploads.begin(dataset=make_dataset(team), filename="a.csv", length=9, by=team.steward)
    uploads.append(upload=begun, offset=0, stream=io.BytesIO(b"a,b\n"), by=team.steward)
    Upload.objects.filter(pk=begun.pk).update(created_at=timezone.now() - timedelta(days=8))
    old = time.time() - 8 * 86400
    os.utime(tmp_path / "uploads" / str(begun.pk), (old, old))
    return begun


def test_an_upload_of_which_no_more_comes_is_given_up(
    announced: Upload, django_capture_on_commit_callbacks: Any
) -> None:
    with django_capture_on_commit_callbacks(execute=True):
        reaper.expire()
    announced.refresh_from_db()
    assert announced.state == UploadState.ABANDONED
    assert DataKey.objects.get(pk=announced.key_id).destroyed_at is not None
    assert storage.last_byte(announced) is None
    assert AuditEvent.objects.about(announced).first().action == "upload.expired"


@pytest.mark.parametrize("days", [0, 6.9])
def test_an_upload_that_goes_on_slowly_goes_on(announced: Upload, days: float) -> None:
    lately = time.time() - days * 86400
    os.utime(storage.root() / "uploads" / str(announced.pk), (lately, lately))
    reaper.expire()
    announced.refresh_from_db()
    assert announced.state == UploadState.OPEN


def test_days_are_a_setting(announced: Upload, settings: Any) -> None:
    settings.STEWARD_UPLOAD_DAYS = 9
    reaper.expire()
    announced.refresh_from_db()
    assert announced.state == UploadState.OPEN


def test_rows_that_count_no_longer_are_removed(db: None) -> None:
    now, long_ago = timezone.now(), timezone.now() - timedelta(days=30)
    for key, moment in (("new", now), ("old", long_ago)):
        Session.objects.create(session_key=key, session_data="", expire_date=moment + timedelta(hours=1))
        Guesses.objects.create(key=key, wrong=1, last=moment)
        WorkerSign.objects.create(name=key, engine="1", seen_at=moment)
    reaper.forget()
    for model in (Session, Guesses, WorkerSign):
        assert [row.pk for row in model.objects.all()] == ["new"], model
