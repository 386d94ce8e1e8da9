"""What measures read of a table is kept under the key of its version, opened by later runs, gone with it."""

from collections.abc import Mapping
from typing import Any

import pytest

from stewardapp import storage
from stewardapp.actions import columns, releases, versions
from stewardapp.models import DataKey, Run
from tests import factories
from tests.site import Site
from worker.jobs import run as runs
from worker.process import known
from worker.queue import runner

RECIPE = {
    "goals": [{"goal": "k-anonymity", "params": {"k": 2}}],
    "steps": [{"method": "generalization", "params": {"suppression_limit": 1}}],
    "measures": ["*"],
}


@pytest.fixture
def team(embedded_site: Site) -> factories.Team:
    return factories.make_project()


def performed(version: Any, team: factories.Team) -> Run:
    release = releases.create(
        version=version, title=factories.unique("Release"), recipe=RECIPE, by=team.steward
    )
    run = factories.make_run(release)
    runner.perform("run", str(run.pk))
    run.refresh_from_db()
    assert run.state == "succeeded", run.error_message
    return run


@pytest.fixture
def handed(monkeypatch: pytest.MonkeyPatch) -> list[Mapping[str, Any]]:
    """What engine processes were given."""
    given: list[Mapping[str, Any]] = []
    honest = runs.run_engine

    def watched(claim: Any, job: str, details: Mapping[str, Any], *rest: Any, **more: Any) -> Any:
        given.append({"job": job, **details})
        return honest(claim, job, details, *rest, **more)

    monkeypatch.setattr(runs, "run_engine", watched)
    return given


def tagged(team: factories.Team) -> Any:
    version = factories.read_for_real(factories.upload(team))
    columns.tag(version=version, roles={"age": "quasi-identifier", "illness": "sensitive"}, by=team.steward)
    return version


def test_a_second_run_is_handed_what_the_first_one_read(
    team: factories.Team, handed: list[Mapping[str, Any]]
) -> None:
    version = tagged(team)
    first, second = performed(version, team), performed(version, team)
    ran = [one["known"] for one in handed if one["job"] == "anonymize"]
    assert ran[0] == {}
    assert ran[1] == known.readings(first.reading) != {}
    told = [[(one["id"], one["before"]) for one in run.report["measures"]] for run in (first, second)]
    assert told[0] == told[1]
    path = storage.root() / storage.KNOWN / str(version.key_id) / str(first.reading_id)
    assert b"figures" not in path.read_bytes()


def test_it_is_gone_with_the_version(team: factories.Team, django_capture_on_commit_callbacks: Any) -> None:
    version = tagged(team)
    reading = performed(version, team).reading
    with django_capture_on_commit_callbacks(execute=True):
        versions.destroy(version=version, reason="Agreed.", by=team.steward)
    assert not (storage.root() / storage.KNOWN / str(version.key_id)).exists()
    reading.version.key.refresh_from_db()
    with pytest.raises(storage.Destroyed):
        known.readings(reading)
    with pytest.raises(storage.Destroyed):
        known.add(reading, {"key": "late"})


def test_what_a_killed_process_left_of_a_destroyed_version_is_swept(team: factories.Team) -> None:
    reading = tagged(team).current
    known.add(reading, {"key": "value"})
    assert known.readings(reading) == {"key": "value"}
    storage.sweep()
    assert known.readings(reading) == {"key": "value"}
    DataKey.objects.forget(reading.version.key)
    storage.sweep()
    assert not (storage.root() / storage.KNOWN / str(reading.version.key_id)).exists()


def test_the_newest_are_kept_and_what_cannot_be_opened_is_read_again(
    team: factories.Team, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(known, "MOST", 3)
    reading = tagged(team).current
    assert known.readings(reading) == {}
    for number in range(5):
        known.add(reading, {str(number): "read"})
    known.add(reading, {})
    assert list(known.readings(reading)) == ["2", "3", "4"]
    path = storage.root() / storage.KNOWN / str(reading.version.key_id) / str(reading.pk)
    path.write_bytes(path.read_bytes()[:-3])
    assert known.readings(reading) == {}
    known.add(reading, {"new": "read"})
    assert known.readings(reading) == {"new": "read"}
