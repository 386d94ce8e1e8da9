"""Which releases about the same people a run may look into."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from stewardapp.access.workflow import Audience, State
from stewardapp.actions import assessments, runs
from stewardapp.domain.averaging import known_beside
from stewardapp.models import Dataset, Release
from tests import factories
from tests.factories import Team

pytestmark = pytest.mark.django_db


@pytest.fixture
def team() -> Team:
    return factories.make_project()


def elsewhere(own: Release, audience: Audience) -> Release:
    """A release of another project about the same people."""
    other = factories.make_release(factories.make_project(), state=State.PUBLISHED, audience=audience)
    people = own.version.dataset.population
    Dataset.objects.filter(pk=other.version.dataset_id).update(population=people)
    return other


def test_the_own_ones_that_are_out_and_those_that_everybody_may_have(team: Team) -> None:
    release = factories.make_release(team)
    assert not known_beside(release)
    own = factories.make_release(team, version=release.version, state=State.PUBLISHED)
    factories.make_release(team, version=release.version, state=State.IN_REVIEW)
    free = elsewhere(release, Audience.SIGNED_IN)
    elsewhere(release, Audience.PROJECT)
    later = elsewhere(release, Audience.SIGNED_IN)
    Release.objects.filter(pk=later.pk).update(embargo_until=timezone.now() + timedelta(days=1))
    assert {one.pk for one in known_beside(release)} == {own.candidate_id, free.candidate_id}


def test_a_run_and_an_assessment_remember_what_was_out_when_they_were_asked_for(team: Team) -> None:
    release = factories.make_release(team)
    run = runs.start(release=release, by=team.steward)
    first = factories.make_release(team, version=release.version, state=State.PUBLISHED)
    assert not run.others.exists()
    again = runs.start(release=release, by=team.steward)
    assert [one.pk for one in again.others.all()] == [first.candidate_id]
    factories.succeed(again)
    asked = assessments.ask(run=again, measures=["*"], by=team.steward)
    assert [one.pk for one in asked.others.all()] == [first.candidate_id]


def test_the_manifest_names_what_measures_could_look_at(team: Team) -> None:
    alone = factories.make_succeeded_run(factories.make_release(team))
    assert "others" not in alone.manifest
    out = factories.make_release(team, version=alone.release.version, state=State.PUBLISHED)
    beside = factories.make_succeeded_run(alone.release)
    assert out.candidate is not None
    named = {"release": str(out.public_id), "manifest_sha256": out.candidate.manifest_sha256}
    assert beside.manifest["others"] == beside.stated["others"] == [named]
