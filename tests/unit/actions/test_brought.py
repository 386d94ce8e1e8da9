"""A file that somebody brings along: kept while its assessment lives, destroyed however that ends."""

from __future__ import annotations

import io

import pytest

from stewardapp import storage
from stewardapp.access.verdict import Invalid
from stewardapp.actions import assessments
from stewardapp.actions.brought import arriving
from stewardapp.models import Assessment, AuditEvent, Blob, Run
from tests import factories
from tests.factories import Team
from tests.site import Site
from worker.queue import reaper

ATTACK = [{"measure": "auxiliary-linkage", "params": {"file": "uploaded"}}]
LONG_AGO = "2000-01-01T00:00Z"


@pytest.fixture
def team(embedded_site: Site) -> Team:
    return factories.make_project(rows=factories.demands())


@pytest.fixture
def run(team: Team) -> Run:
    return factories.make_succeeded_run(factories.make_release(team))


def brought(run: Run) -> Assessment:
    with arriving(io.BytesIO(b"name,age\nSomebody,30\n")) as file:
        return assessments.ask(run=run, measures=ATTACK, file=file, by=run.release.author)


def is_gone(made: Assessment) -> bool:
    """The rows say so, and neither bytes nor key are on the disk any more; never one without the other."""
    file = Assessment.objects.select_related("brought__key").get(pk=made.pk).brought
    assert file is not None
    there = {(storage.root() / file.path).exists(), (storage.root() / "keys" / str(file.key_id)).exists()}
    rows = {file.destroyed_at is None, file.key.destroyed_at is None}
    assert there == rows != {True, False}
    return there == {False}


def die(made: Assessment) -> None:
    """The worker that has it is heard of no more."""
    assert Assessment.objects.claim(made.pk, "w", 60)
    Assessment.objects.filter(pk=made.pk).update(lease_until=LONG_AGO)
    reaper.reap()


def test_it_lies_sealed_under_a_key_of_its_own(run: Run) -> None:
    file = brought(run).brought
    assert file is not None
    assert file.key_id not in (run.key_id, run.release.version.key_id)
    stored = (storage.root() / file.path).read_bytes()
    assert b"Somebody" not in stored
    with storage.reading(file) as plain:
        assert plain.read() == b"name,age\nSomebody,30\n"


def test_one_that_waits_is_cancelled_with_its_file(team: Team, run: Run) -> None:
    made = brought(run)
    assert not is_gone(made)
    assessments.cancel(assessment=made, by=team.steward)
    assert is_gone(made)
    assert AuditEvent.objects.about(made).latest("pk").details == {"uploaded_file": "destroyed"}


def test_a_worker_that_reads_it_is_stopped_first(team: Team, run: Run) -> None:
    made = brought(run)
    assert Assessment.objects.claim(made.pk, "w", 60)
    assessments.cancel(assessment=made, by=team.steward)
    assert not is_gone(made)
    Assessment.objects.filter(pk=made.pk).update(lease_until=LONG_AGO)
    reaper.reap()
    assert (Assessment.objects.get(pk=made.pk).state, is_gone(made)) == ("cancelled", True)


def test_a_second_worker_finds_it_and_after_the_last_it_is_gone(run: Run) -> None:
    made = brought(run)
    die(made)
    assert (Assessment.objects.get(pk=made.pk).state, is_gone(made)) == ("queued", False)
    die(made)
    assert (Assessment.objects.get(pk=made.pk).state, is_gone(made)) == ("failed", True)
    assert AuditEvent.objects.about(made).latest("pk").details["uploaded_file"] == "destroyed"


def test_one_that_failed_and_is_given_up_says_it_once(team: Team) -> None:
    release = factories.make_release(team, state="in-review")
    assert release.candidate is not None
    with arriving(io.BytesIO(b"age\n30\n")) as file:
        made = assessments.demand(run=release.candidate, measures=ATTACK, file=file, by=team.reviewer)
    die(made)
    die(made)
    assessments.cancel(assessment=Assessment.objects.get(pk=made.pk), by=team.reviewer)
    told = [one.details for one in AuditEvent.objects.about(made) if "uploaded_file" in one.details]
    assert len(told) == 1


def test_what_was_refused_leaves_neither_key_nor_bytes(team: Team, run: Run) -> None:
    keys, blobs = set((storage.root() / "keys").iterdir()), Blob.objects.count()
    with pytest.raises(Invalid, match="No measure looks at"), arriving(io.BytesIO(b"age\n30\n")) as file:
        assessments.ask(run=run, measures=["marginals"], file=file, by=team.steward)
    with pytest.raises(Invalid, match="empty"), arriving(io.BytesIO(b"")):
        pass
    assert (set((storage.root() / "keys").iterdir()), Blob.objects.count()) == (keys, blobs)
    assert not list((storage.root() / "temporary").iterdir())


def test_a_measure_that_names_it_needs_it(team: Team, run: Run) -> None:
    with pytest.raises(Invalid, match="Choose the file to upload") as refused:
        assessments.ask(run=run, measures=ATTACK, by=team.steward)
    assert refused.value.param == "measures[0].params.file"
    release = factories.make_release(team, recipe={"goals": [], "steps": [], "measures": ATTACK})
    with pytest.raises(Invalid, match="Choose the file to upload"):
        factories.make_run(release)
