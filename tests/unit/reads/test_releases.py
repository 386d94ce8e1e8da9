"""What waits for a reviewer is asked of the database in one question."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from stewardapp.access.workflow import State
from stewardapp.actions import reviews
from stewardapp.domain.facts import contributors_of
from stewardapp.models import ContributionKind, Membership, Release, Review, User, Why
from stewardapp.reads.releases import Seen, reviews_waiting, seen_at_once
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


def counted() -> set[Review]:
    """Every vote that counts, asked of each release by itself; asked of all it is the same."""
    each = {vote for one in Release.objects.all() for vote in one.reviews.counted(one)}
    assert each == set(Review.objects.counting())
    return each


def test_votes_that_count_are_the_same_asked_of_each_or_of_all(team: Team) -> None:
    for _ in range(2):
        release = factories.make_release(team, state=State.IN_REVIEW)
        said = {"decision": "approve", "reason": "Read.", "manifest_sha256": release.candidate_sha256}
        reviews.decide(release=release, by=team.reviewer, **said)
    assert len(counted()) == 2
    Release.objects.filter(pk=release.pk).update(submission=99)
    assert len(counted()) == 1
    held = Membership.objects.filter(project=team.project, user=team.reviewer)
    held.update(later_only=True, created_at=timezone.now() + timedelta(days=1))
    assert not counted()
    held.update(created_at=release.created_at - timedelta(days=1))
    assert len(counted()) == 1
    held.update(role="steward")
    assert not counted()
    held.update(role="reviewer")
    User.objects.filter(pk=team.reviewer.pk).update(is_active=False)
    assert not counted()


def test_what_is_asked_at_once_is_what_each_would_say(team: Team) -> None:
    for _ in range(3):
        release = factories.make_release(team, state=State.IN_REVIEW)
    said = {"decision": "approve", "reason": "Read.", "manifest_sha256": release.candidate_sha256}
    reviews.decide(release=release, by=team.reviewer, **said)
    assessment = factories.make_assessment(release.candidate, done=False)
    type(assessment).objects.filter(pk=assessment.pk).update(why=Why.REVIEWER)
    waiting = list(Release.objects.filter(state=State.IN_REVIEW))
    for seen in seen_at_once(waiting, team.second_reviewer):
        alone = Seen(Release.objects.get(pk=seen.release.pk), team.second_reviewer)
        assert (seen.facts, seen.person) == (alone.facts, alone.person)
    assert any(seen.facts.demands for seen in seen_at_once(waiting, team.reviewer))
    assert any(seen.facts.votes for seen in seen_at_once(waiting, team.reviewer))
