"""What a candidate was compared with: by its run or for the policy, and only where that can still be done."""

from __future__ import annotations

import pytest

from stewardapp import storage
from stewardapp.actions import assessments, releases
from stewardapp.domain.compared import uncompared, went_out_since
from stewardapp.domain.manifest import public_part
from stewardapp.models import Release, Run
from tests import factories
from tests.factories import Team

pytestmark = pytest.mark.django_db


@pytest.fixture
def team() -> Team:
    return factories.make_project()


@pytest.fixture
def waiting(team: Team) -> Release:
    """Put forward before another one about the same people went out."""
    release = factories.make_release(team, state="in-review")
    other = factories.make_release(team, state="in-review", version=release.version)
    other = factories.vote(team, factories.answered(other), "approve")
    releases.publish(release=other, manifest_sha256=other.candidate_sha256, by=team.steward)
    return Release.objects.get(pk=release.pk)


def left(release: Release) -> set[str]:
    run = Run.objects.get(pk=release.candidate_id)
    return {one.slug for one in uncompared(run, release.judged_by, factories.published_beside(release))}


def test_alone_there_is_nothing_to_compare(team: Team) -> None:
    release = factories.make_release(team, state="in-review")
    assert (went_out_since(release), left(release)) == (False, set())


def test_what_went_out_is_to_be_compared_by_every_measure_that_looks_there(waiting: Release) -> None:
    assert went_out_since(waiting)
    assert left(waiting) == {"intersection", "differencing"}


def test_for_the_policy_once_is_enough(team: Team, waiting: Release) -> None:
    run = Run.objects.get(pk=waiting.candidate_id)
    factories.measured(assessments.measure_policy(run=run, by=team.reviewer), "intersection")
    assert (went_out_since(waiting), left(waiting)) == (False, set())


def test_what_leaked_is_to_be_compared_as_a_release_is(team: Team) -> None:
    release = factories.make_release(team, state="in-review")
    leak = factories.make_leak(release.version.dataset.population, team.steward)
    assert (went_out_since(release), left(release)) == (True, {"intersection", "differencing"})
    run = Run.objects.get(pk=release.candidate_id)
    factories.measured(assessments.measure_policy(run=run, by=team.reviewer), "intersection")
    assert (went_out_since(release), left(release)) == (False, set())
    again = factories.make_run(factories.make_release(team, version=release.version))
    assert list(again.leaks.all()) == [leak]


def test_a_manifest_says_which_leaked_files_were_known(team: Team) -> None:
    version = factories.make_version(team)
    leak = factories.make_leak(version.dataset.population, team.steward)
    assert leak.table is not None
    made = factories.make_succeeded_run(factories.make_release(team, version=version))
    assert made.manifest["leaks"] == [{"leak": str(leak.pk), "sha256": leak.table.sha256}]
    assert "leaks" not in public_part(made.manifest)


def test_one_that_waits_or_was_asked_for_by_hand_compares_nothing(team: Team, waiting: Release) -> None:
    run = Run.objects.get(pk=waiting.candidate_id)
    wanted = [{"measure": "intersection", "params": {}}]
    factories.measured(assessments.ask(run=run, measures=wanted, by=team.steward), "intersection")
    assessments.measure_policy(run=run, by=team.reviewer)
    assert went_out_since(waiting)
    assert "intersection" in left(waiting)


def test_a_run_that_knew_it_and_did_not_measure_is_not_asked_at_publication(waiting: Release) -> None:
    """The demand at its submission was answered, or given up."""
    assert waiting.candidate is not None
    waiting.candidate.others.set(factories.published_beside(waiting))
    assert not went_out_since(waiting)
    Run.objects.filter(pk=waiting.candidate_id).update(figures={})
    assert left(waiting) == {"intersection", "differencing"}


def test_of_data_that_are_gone_nothing_is_asked(waiting: Release) -> None:
    run = Run.objects.get(pk=waiting.candidate_id)
    assert run.reading.table is not None
    storage.destroy_blob(run.reading.table)
    assert (went_out_since(Release.objects.get(pk=waiting.pk)), left(waiting)) == (False, set())
