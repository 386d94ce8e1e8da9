"""Reading again makes another reading: what waits, what was submitted and what is asked keep their own."""

import json
from pathlib import Path

import pytest
from django.conf import settings

from stewardapp import storage
from stewardapp.actions import columns, desks, ledger, previews, queries, releases, runs
from stewardapp.domain.manifest import public_part
from stewardapp.domain.pricing import answered, costs_of, is_answered
from stewardapp.models import Blob, Query, Reading, Release, Run, User, Version
from tests import factories
from worker.engine.contracts.privacy import Spend
from worker.engine.version import VERSION

pytestmark = pytest.mark.django_db


@pytest.fixture
def team() -> factories.Team:
    return factories.make_project()


@pytest.fixture
def version(team: factories.Team) -> Version:
    return factories.make_version(team)


def table_of(reading: Reading | None) -> Blob:
    assert reading is not None
    assert reading.table is not None
    return reading.table


def is_there(reading: Reading | None) -> bool:
    table = table_of(reading)
    table.refresh_from_db()
    stored = table.destroyed_at is None
    assert (Path(settings.STEWARD_DATA) / table.path).exists() or not stored
    return stored


def again(version: Version, by: User, content: bytes = b"another table") -> Version:
    version.refresh_from_db()
    return factories.read_again(version, by, content)


def test_a_reading_keeps_its_table_and_how_it_was_read(team: factories.Team, version: Version) -> None:
    first = version.read_now()
    second = again(version, team.co_steward).read_now()
    first.refresh_from_db()
    assert (first.rows, second.rows, second.requested_by) == (6, 5, team.co_steward)
    assert first.table_sha256 != second.table_sha256
    assert (first.dialect["missing"], second.dialect["missing"]) == ([""], ["", "9"])
    assert not {"suggested_missing", "notes"} & second.dialect.keys()
    assert second.profile["dialect"]["notes"] == ["Half of it is empty."]


def test_a_waiting_run_keeps_its_table_until_it_has_ended(team: factories.Team, version: Version) -> None:
    run = factories.make_run(factories.make_release(team, version=version))
    Reading.objects.create(version=version, requested_by=team.steward)  # asked for before the run was
    factories.read(version, content=b"another table")
    run.refresh_from_db()
    assert table_of(run.reading) != table_of(Version.objects.get(pk=version.pk).current)
    assert is_there(run.reading)
    runs.cancel(run=run, by=team.steward)
    again(version, team.steward, b"a third table")
    assert not is_there(run.reading)
    assert run.reading.table_sha256


def test_a_waiting_preview_keeps_its_table(team: factories.Team, version: Version) -> None:
    preview = factories.make_preview(factories.make_release(team, version=version), done=False)
    again(version, team.steward)
    assert is_there(preview.reading)
    preview.delete()
    again(version, team.steward, b"a third table")
    assert not is_there(preview.reading)


@pytest.mark.parametrize(
    ("state", "kept"),
    [("draft", False), ("in-review", True), ("approved", True), ("published", True), ("rejected", False)],
)
def test_the_table_of_what_was_submitted_stays(
    team: factories.Team, version: Version, state: str, kept: bool
) -> None:
    release = factories.make_release(team, version=version, state=state)
    run = release.candidate or factories.make_succeeded_run(release)
    again(version, team.steward)
    assert is_there(run.reading) is kept


def compared_with(team: factories.Team, people: Version, data: Version) -> Run:
    goal = {"goal": "k-map", "params": {"k": 2, "population": str(people.pk)}}
    recipe = {"goals": [goal], "steps": [{"method": "generalization"}]}
    release = releases.create(version=data, title="T", purpose="P", recipe=recipe, by=team.steward)
    return factories.make_succeeded_run(release)


def test_so_does_the_table_of_the_people_it_was_compared_with(team: factories.Team) -> None:
    data, people = factories.make_version(team), factories.make_version(team)
    run = compared_with(team, people, data)
    releases.submit(release=run.release, run=run, by=team.steward)
    before = people.read_now()
    again(people, team.steward)
    assert list(run.compared.all()) == [before]
    assert is_there(before)
    assert run.manifest["compared"] == [
        {"id": str(before.pk), "version": str(people.pk), "table_sha256": before.table_sha256}
    ]
    waiting = factories.make_run(factories.make_release(team, version=data))
    assert not waiting.compared.exists()


def test_the_preview_of_a_goal_names_the_people_too(team: factories.Team) -> None:
    data, people = factories.make_version(team), factories.make_version(team)
    release = factories.make_release(team, version=data)
    goal = {"goal": "k-map", "params": {"k": 2, "population": str(people.pk)}}
    preview = previews.start(release=release, step=factories.STEP, goals=[goal], by=team.steward)
    assert [one.version for one in preview.compared.all()] == [people]


def test_bytes_that_were_destroyed_and_made_again_are_there_again(
    team: factories.Team, version: Version
) -> None:
    first = version.read_now()
    again(version, team.steward)
    assert not is_there(first)
    again(version, team.steward, b"a table")
    assert is_there(first)
    with storage.reading(table_of(Version.objects.get(pk=version.pk).current)) as table:
        assert table.read() == b"a table"


def test_the_manifest_names_the_reading_and_the_public_one_does_not(
    team: factories.Team, version: Version
) -> None:
    release = factories.make_release(team, version=version)
    for run in (factories.make_succeeded_run(release), factories.make_table_run(release)):
        reading = run.reading
        assert run.manifest["reading"] == {
            "id": str(reading.pk),
            "version": str(version.pk),
            "table_sha256": reading.table_sha256,
            "dialect": reading.dialect,
        }
        told = json.dumps(public_part(run.manifest))
        assert not any(word in told for word in (reading.table_sha256, str(reading.pk), "missing", "dialect"))


def test_a_run_names_the_reading_it_finds(team: factories.Team, version: Version) -> None:
    release = factories.make_release(team, version=version)
    first = factories.make_succeeded_run(release)
    again(version, team.steward)
    release.refresh_from_db()
    later = factories.make_succeeded_run(release)
    assert first.reading != later.reading == Version.objects.get(pk=version.pk).current
    assert first.manifest["input_rows"], later.manifest["input_rows"] == (6, 5)


# Questions and purchases


def test_a_desk_answers_from_the_table_it_was_opened_on(team: factories.Team) -> None:
    desk = factories.make_desk(team)
    query = factories.make_query(desk, team.analyst)
    queries.withdraw(query=query, by=team.analyst)
    again(desk.version, team.steward)
    asked = factories.make_query(desk, team.analyst)
    assert asked.reading == desk.reading != Version.objects.get(pk=desk.version_id).current
    assert is_there(asked.reading)


def test_another_table_has_other_answers(team: factories.Team) -> None:
    desk = factories.make_desk(team, allowance="2")
    stored = factories.make_stored_answer(desk, team.analyst)
    desks.close(desk=desk, by=team.steward)
    profile = {**factories.OTHER_PROFILE, "columns": factories.PROFILE["columns"]}
    content = b"another table"
    for_again = factories.read_again(desk.version, team.steward, content, profile)
    other = desks.open_on(
        version=for_again, columns=list(factories.DECLARED), rows_per_person=1, by=team.steward
    )
    fresh = queries.ask(desk=other, question=factories.HISTOGRAM, by=team.analyst)
    assert (fresh.fingerprint, fresh != stored) == (stored.fingerprint, True)
    assert Query.objects.standing(desk.reading, stored.fingerprint).get() == stored


HISTOGRAM = {"method": "dp-histogram", "params": {"columns": ["illness"], "epsilon": 0.5}}


def paid(team: factories.Team, version: Version) -> Run:
    """A run whose answer was bought and is stored."""
    columns.describe(
        version=version, name="illness", settings={"categories": ["flu", "cold"]}, by=team.steward
    )
    factories.give_budget(team, version.dataset.population, Spend.of(2))
    release = releases.create(
        version=version, title="T", purpose="P", recipe={"steps": [HISTOGRAM]}, by=team.steward
    )
    run = factories.make_run(release)
    fence = Run.objects.claim(run.pk, "w", 60)
    assert fence is not None
    ledger.charge_run(run=run, fence=fence, costs=costs_of(run.recipe), by=team.steward)
    Run.objects.succeed(run.pk, fence, engine_version=VERSION, manifest_sha256="0" * 64)
    run.refresh_from_db()
    return run


def asked_anew(run: Run) -> bool:
    """Whether the same draft would repeat the answer now."""
    return is_answered(Release.objects.get(pk=run.release_id))


def test_a_stored_answer_is_repeated_for_the_very_same_table_alone(
    team: factories.Team, version: Version
) -> None:
    run = paid(team, version)
    assert asked_anew(run)
    profile = {**factories.OTHER_PROFILE, "columns": factories.PROFILE["columns"]}
    version.refresh_from_db()
    other = factories.read_again(version, team.steward, b"another table", profile)
    assert not asked_anew(run)
    assert answered(other.read_now(), [], run.recipe) is None
    factories.read_again(version, team.steward, b"a table", factories.PROFILE)
    assert asked_anew(run)
    people = factories.read(factories.upload(team), content=b"people")
    assert answered(run.reading, [people.current], run.recipe) is None
