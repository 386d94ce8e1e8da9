"""What waits for a reviewer is asked of the database in one question."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from stewardapp.access.workflow import State
from stewardapp.actions import reviews
from stewardapp.domain.facts import contributors_of
from stewardapp.models import ContributionKind, Release, User
from stewardapp.reads.releases import reviews_waiting
from tests import factories
from tests.factories import Team

pytestmark = pytest.mark.django_db


@pytest.fixture
def team(db: None, tmp_path: Path, settings: Any) -> Team:
    """Two votes settle a release."""
    settings.STEWARD_DATA = tmp_path
    return factories.make_project(reviewers=2)


def one_by_one(user: User) -> set[Release]:
    """The same, asked of each release by itself."""
    return {
        release
        for release in Release.objects.reviewable_by(user)
        if user.pk not in contributors_of(release)
        and not release.reviews.counted(release).filter(reviewer=user).exists()
    }


def test_what_waits_is_what_one_would_find_one_by_one(team: Team) -> None:
    untouched = factories.make_release(team, state=State.IN_REVIEW)
    voted = factories.make_release(team, state=State.IN_REVIEW)
    factories.make_release(team, state=State.APPROVED)
    sha256 = voted.candidate_sha256
    reviews.decide(
        release=voted, manifest_sha256=sha256, decision="approve", reason="Read.", by=team.reviewer
    )
    for persona in ("steward", "reviewer", "second_reviewer", "analyst", "admin"):
        user = team.persona(persona)
        assert set(reviews_waiting(user)) == one_by_one(user)
        assert reviews_waiting(user).count() == len(one_by_one(user))
    assert set(reviews_waiting(team.reviewer)) == {untouched}
    assert set(reviews_waiting(team.second_reviewer)) == {untouched, voted}


def test_a_contributor_waits_for_nothing(team: Team) -> None:
    release = factories.make_release(team, state=State.IN_REVIEW)
    release.contributions.create(user=team.reviewer, kind=ContributionKind.SUBMITTED)
    assert not reviews_waiting(team.reviewer).exists()
    assert one_by_one(team.reviewer) == set()
