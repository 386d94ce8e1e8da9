"""Reading, re-reading and destroying versions."""

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.core.management import call_command
from django.utils import timezone

from stewardapp import storage
from stewardapp.access.verdict import Conflict, Invalid, NotAllowed
from stewardapp.actions import columns, readings, releases, versions
from stewardapp.models import Artifact, AuditEvent, Blob, Notification, Reading, Run, Version
from tests import factories

pytestmark = pytest.mark.django_db


@pytest.fixture
def team() -> factories.Team:
    return factories.make_project()


@pytest.fixture
def version(team: factories.Team) -> Version:
    return factories.make_version(team)


def path_of(blob: Blob) -> Path:
    return Path(settings.STEWARD_DATA) / blob.path


def table_of(version: Version) -> Blob:
    assert version.current is not None
    assert version.current.table is not None
    return version.current.table


def column(name: str, position: int, **described: Any) -> dict[str, Any]:
    return {"name": name, "position": position, "kind": "text", "distinct": 1, "missing": 0, **described}


def test_a_reading_stores_the_profile(version: Version) -> None:
    assert (version.rows, [one.name for one in version.columns.all()]) == (6, ["age", "zip", "illness"])
    assert version.profile["dialect"]["delimiter"] == ","
    assert "columns" not in version.profile
    age = version.columns.get(name="age")
    assert (age.kind, age.suggested_role, age.profile["unique_share"]) == ("integer", "quasi-identifier", 1.0)
    assert version.attempt is not None
    assert version.attempt.state == "succeeded"


def test_a_lost_claim_stores_nothing(team: factories.Team) -> None:
    version = factories.upload(team)
    reading = Reading.objects.get(version=version)
    fence = Reading.objects.claim(reading.pk, "w", 60)
    assert fence is not None
    table = factories.store(b"t", version.key, "table")
    with pytest.raises(Conflict):
        readings.record(reading=reading, fence=fence + 1, table=table, profile=factories.PROFILE)
    version.refresh_from_db()
    assert version.current is None
    assert not version.columns.exists()


def test_reading_again_keeps_what_people_said(
    team: factories.Team, version: Version, django_capture_on_commit_callbacks: Any
) -> None:
    old = table_of(version)
    readings.start(version=version, dialect={"delimiter": ";"}, by=team.steward)
    with pytest.raises(NotAllowed, match="worker is using"):
        readings.start(version=version, by=team.steward)
    waiting = Reading.objects.queued().get(version=version)
    fence = Reading.objects.claim(waiting.pk, "w", 60)
    assert fence is not None
    table = factories.store(b"another table", version.key, "table")
    profile = {"rows": 7, "columns": [column("zip", 0), column("age", 1, kind="decimal"), column("new", 2)]}
    with django_capture_on_commit_callbacks(execute=True):
        readings.record(reading=waiting, fence=fence, table=table, profile=profile)
    version.refresh_from_db()
    found = [(one.name, one.kind, one.role) for one in version.columns.all()]
    assert found == [
        ("zip", "text", "quasi-identifier"),
        ("age", "decimal", "quasi-identifier"),
        ("new", "text", ""),
    ]
    assert table_of(version) == table
    assert not path_of(old).exists()
    assert "was read" in Notification.objects.visible_to(team.steward)[0].text


def test_the_same_table_again_is_kept(team: factories.Team, version: Version) -> None:
    readings.start(version=version, by=team.steward)
    again = factories.read(version)
    assert table_of(again) == table_of(version)
    assert table_of(again).destroyed_at is None


def test_destroying_takes_key_bytes_and_profile(
    team: factories.Team, version: Version, django_capture_on_commit_callbacks: Any
) -> None:
    paths = [path_of(version.raw), path_of(table_of(version))]
    assert all(path.exists() for path in paths)
    with django_capture_on_commit_callbacks(execute=True):
        versions.destroy(version=version, reason="Erasure was asked for.", by=team.admin)
    assert not any(path.exists() for path in paths)
    version.refresh_from_db()
    assert (version.profile, version.destroyed_by) == ({}, team.admin)
    assert not any(one.profile for one in version.columns.all())
    with pytest.raises(storage.Destroyed):
        storage.key_bytes(version.key)
    with pytest.raises(storage.Destroyed), storage.opened(version.raw):
        pass
    with pytest.raises(NotAllowed, match="destroyed"):
        versions.destroy(version=version, reason="Again.", by=team.admin)
    assert version not in Version.objects.ready()


def test_destroying_needs_a_reason_and_a_right(team: factories.Team, version: Version) -> None:
    with pytest.raises(Invalid, match="Reason"):
        versions.destroy(version=version, reason=" ", by=team.steward)
    with pytest.raises(NotAllowed):
        versions.destroy(version=version, reason="I can.", by=team.reviewer)


def test_what_others_have_outlives_the_data(
    team: factories.Team, version: Version, django_capture_on_commit_callbacks: Any
) -> None:
    published = factories.make_release(team, version=version, state="published")
    assert published.candidate is not None
    beside = factories.store(b"whose row it is", published.candidate.key, "beside.parquet")
    published.candidate.kept.add(beside)
    draft = factories.make_release(team, version=version)
    unused = factories.make_succeeded_run(draft)
    with django_capture_on_commit_callbacks(execute=True):
        versions.destroy(version=version, reason="Asked for.", by=team.admin)
    kept = Artifact.objects.filter(blob__destroyed_at__isnull=True)
    assert [(one.run_id, one.name) for one in kept] == [(published.candidate_id, "release.csv")]
    with storage.reading(kept.get().blob) as content:
        assert content.read() == factories.RELEASED_CSV
    assert not path_of(beside).exists(), "only what others have stays"
    assert Run.objects.get(pk=unused.pk).key.destroyed_at is not None


def test_data_disappear_on_their_date_and_not_before(team: factories.Team, version: Version) -> None:
    with pytest.raises(Conflict):
        versions.expire(version=version)
    Version.objects.filter(pk=version.pk).update(retention_until=timezone.now() - timedelta(seconds=1))
    readings.start(version=version, by=team.steward)
    with pytest.raises(Conflict):
        versions.expire(version=version)
    factories.read(version)
    call_command("apply_retention")
    version.refresh_from_db()
    assert (version.destroyed_at is not None, version.destroyed_by) == (True, None)
    assert AuditEvent.objects.latest("id").action == "version.expired"


def test_the_command_says_what_waits(team: factories.Team, capsys: pytest.CaptureFixture[str]) -> None:
    version = factories.upload(team)
    Version.objects.filter(pk=version.pk).update(retention_until=timezone.now() - timedelta(seconds=1))
    call_command("apply_retention")
    assert "in use" in capsys.readouterr().out


def test_publishing_extends_the_date(team: factories.Team, version: Version) -> None:
    Version.objects.filter(pk=version.pk).update(retention_until=timezone.now() + timedelta(days=1))
    release = factories.make_release(team, version=version, state="approved")
    releases.publish(release=release, manifest_sha256=release.candidate_sha256, by=team.steward)
    version.refresh_from_db()
    assert version.retention_until > timezone.now() + timedelta(days=89)


def test_tagging_needs_a_table(team: factories.Team) -> None:
    with pytest.raises(NotAllowed, match="not been read"):
        columns.tag(version=factories.upload(team), roles={}, by=team.steward)


def test_a_reading_that_ends_while_it_is_cancelled_stays_ended(
    team: factories.Team, monkeypatch: pytest.MonkeyPatch
) -> None:
    reading = factories.upload(team).attempt
    assert reading is not None
    monkeypatch.setattr(type(Reading.objects.all()), "request_cancel", lambda *_: False)
    with pytest.raises(Conflict, match="has ended"):
        readings.cancel(reading=reading, by=team.steward)
