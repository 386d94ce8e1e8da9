"""Votes: blind, bound to the bytes, counted once, decided when all are in."""

from collections.abc import Callable
from typing import Any

import pytest

from stewardapp.access.verdict import Conflict, Invalid, NotAllowed
from stewardapp.actions import accounts, memberships, moves, releases, reviews
from stewardapp.domain.facts import release_facts
from stewardapp.models import AuditEvent, Notification, Release, Review, User
from tests import factories, factors

pytestmark = pytest.mark.django_db


@pytest.fixture
def team() -> factories.Team:
    return factories.make_project(reviewers=2)


@pytest.fixture
def release(team: factories.Team) -> Release:
    return factories.make_release(team, state="in-review")


def vote(release: Release, by: User, decision: str = "approve", **changes: Any) -> Review:
    said = {"manifest_sha256": release.candidate_sha256, "reason": "Read all of it."}
    return reviews.decide(release=release, decision=decision, by=by, **{**said, **changes})


def state_of(release: Release) -> str:
    return Release.objects.get(pk=release.pk).state


@pytest.mark.parametrize(
    ("first", "second", "outcome"),
    [
        ("approve", "approve", "approved"),
        ("approve", "request-changes", "changes-requested"),
        ("request-changes", "approve", "changes-requested"),
        ("request-changes", "reject", "rejected"),
        ("reject", "approve", "rejected"),
    ],
)
def test_all_votes_decide_together(
    team: factories.Team, release: Release, first: str, second: str, outcome: str
) -> None:
    vote(release, team.reviewer, first)
    assert state_of(release) == "in-review"
    vote(release, team.second_reviewer, second)
    assert state_of(release) == outcome
    assert Release.objects.get(pk=release.pk).decided_at is not None


def test_a_single_reviewer_decides_alone() -> None:
    team = factories.make_project()
    release = factories.make_release(team, state="in-review")
    vote(release, team.reviewer)
    assert state_of(release) == "approved"


def test_votes_are_blind_until_all_are_in(team: factories.Team, release: Release) -> None:
    own = vote(release, team.reviewer)
    assert Review.objects.visible_to(team.reviewer).get() == own
    for other in (team.second_reviewer, team.steward, team.admin):
        assert not Review.objects.visible_to(other)
        assert not AuditEvent.objects.visible_to(other).filter(action="review.recorded")
    assert AuditEvent.objects.visible_to(team.reviewer).filter(action="review.recorded").count() == 1
    vote(release, team.second_reviewer)
    assert Review.objects.visible_to(team.steward).count() == 2
    assert AuditEvent.objects.visible_to(team.admin).filter(action="review.recorded").count() == 2


def test_one_vote_each(team: factories.Team, release: Release) -> None:
    vote(release, team.reviewer)
    with pytest.raises(NotAllowed, match="already voted"):
        vote(release, team.reviewer)
    assert Review.objects.count() == 1


def test_a_vote_on_other_bytes_is_a_conflict(team: factories.Team, release: Release) -> None:
    with pytest.raises(Conflict, match="candidate changed"):
        vote(release, team.reviewer, manifest_sha256="0" * 64)
    assert not Review.objects.exists()


@pytest.mark.parametrize(
    ("changes", "param"), [({"reason": " "}, "reason"), ({"decision": "maybe"}, "decision")]
)
def test_a_vote_needs_a_decision_and_a_reason(
    team: factories.Team, release: Release, changes: dict[str, str], param: str
) -> None:
    with pytest.raises(Invalid) as caught:
        vote(release, team.reviewer, **changes)
    assert caught.value.param == param


def test_a_new_candidate_drops_all_votes(team: factories.Team, release: Release) -> None:
    vote(release, team.reviewer, "approve")
    vote(release, team.second_reviewer, "request-changes")
    run = factories.make_succeeded_run(release, content=b"age\n30-39\n")
    release = releases.submit(release=release, run=run, by=team.steward)
    assert release_facts(release).votes == ()
    vote(release, team.reviewer)
    assert state_of(release) == "in-review"
    vote(release, team.third_reviewer)
    assert state_of(release) == "approved"


def test_the_same_candidate_again_is_a_new_review(team: factories.Team, release: Release) -> None:
    vote(release, team.reviewer, "request-changes")
    vote(release, team.second_reviewer, "request-changes")
    assert release.candidate is not None
    release = releases.submit(release=release, run=release.candidate, by=team.steward)
    assert (release.submission, release_facts(release).votes) == (2, ())
    vote(release, team.reviewer)
    assert state_of(release) == "in-review"


def test_four_eyes_stay_closed_for_whoever_shaped_it(team: factories.Team) -> None:
    from stewardapp.actions import memberships

    memberships.add(project=team.project, user=team.steward, role="reviewer", by=team.admin)
    memberships.add(project=team.project, user=team.co_steward, role="reviewer", by=team.admin)
    release = factories.make_release(team)
    run = factories.make_succeeded_run(release, by=team.co_steward)
    release = releases.submit(release=release, run=run, by=team.steward)
    with pytest.raises(NotAllowed, match="author"):
        vote(release, team.steward)
    with pytest.raises(NotAllowed, match="contributed"):
        vote(release, team.co_steward)


def test_a_second_factor_when_the_policy_asks(team: factories.Team) -> None:
    factories.revise_policy(team.project, team.admin, require_second_factor=True)
    release = factories.make_release(team, state="in-review")
    with pytest.raises(NotAllowed, match="second factor"):
        vote(release, team.reviewer)
    factors.give(team.reviewer)
    assert vote(release, team.reviewer)


def test_the_outcome_is_told(
    team: factories.Team, release: Release, django_capture_on_commit_callbacks: Any
) -> None:
    with django_capture_on_commit_callbacks(execute=True):
        vote(release, team.reviewer)
        vote(release, team.second_reviewer)
    assert Notification.objects.get(text__endswith="was approved.").user == team.steward


def test_a_release_that_changed_under_the_hand_is_a_conflict(team: factories.Team, release: Release) -> None:
    """The conditional update alone refuses, without any lock."""
    stale = Release.objects.get(pk=release.pk)
    vote(release, team.reviewer)
    with pytest.raises(Conflict, match="Somebody else changed"):
        moves.move(stale, "approve")
    assert state_of(release) == "in-review"


# Votes count as long as their owners do


def end(team: factories.Team, how: str, person: User) -> None:
    """Make somebody's votes count no longer."""
    if how == "deactivated":
        accounts.deactivate(user=person, by=team.admin)
    else:
        memberships.remove(membership=team.project.memberships.get(user=person), by=team.admin)


def publish(team: factories.Team, release: Release) -> Release:
    return releases.publish(release=release, manifest_sha256=release.candidate_sha256, by=team.steward)


@pytest.mark.parametrize("how", ["deactivated", "no longer a reviewer"])
def test_a_vote_counts_while_its_owner_is_an_active_reviewer(team: factories.Team, how: str) -> None:
    release = factories.make_release(team, state="approved")
    end(team, how, team.reviewer)
    assert release_facts(release).voter_ids == {team.second_reviewer.pk}
    with pytest.raises(NotAllowed, match="1 of the 2 approvals") as caught:
        publish(team, release)
    assert caught.value.code == "votes-lapsed"
    assert state_of(release) == "approved"


@pytest.mark.parametrize("how", ["deactivated", "no longer a reviewer"])
def test_a_vote_that_ended_does_not_help_to_complete_a_review(
    team: factories.Team, release: Release, how: str
) -> None:
    vote(release, team.reviewer)
    end(team, how, team.reviewer)
    vote(release, team.second_reviewer)
    assert state_of(release) == "in-review"
    vote(release, team.third_reviewer)
    assert state_of(release) == "approved"


def test_a_release_whose_votes_lapsed_returns_to_review(
    team: factories.Team, django_capture_on_commit_callbacks: Any
) -> None:
    release = factories.make_release(team, state="approved")
    with pytest.raises(NotAllowed, match="still count"):
        releases.reopen(release=release, by=team.steward)
    seen = release.candidate_sha256
    accounts.deactivate(user=team.reviewer, by=team.admin)
    with django_capture_on_commit_callbacks(execute=True):
        release = releases.reopen(release=release, by=team.steward)
    assert (release.state, release.decided_at, release.candidate_sha256) == ("in-review", None, seen)
    told = Notification.objects.filter(text__contains="another vote").values_list("user", flat=True)
    assert set(told) == {team.second_reviewer.pk, team.third_reviewer.pk}
    with pytest.raises(NotAllowed, match="already voted"):
        vote(release, team.second_reviewer)
    vote(release, team.third_reviewer)
    assert state_of(release) == "approved"
    release.refresh_from_db()
    assert publish(team, release).state == "published"


def test_a_vote_counts_again_with_its_owner(team: factories.Team) -> None:
    release = factories.make_release(team, state="approved")
    accounts.deactivate(user=team.reviewer, by=team.admin)
    accounts.reactivate(user=team.reviewer, by=team.admin)
    assert publish(team, release).state == "published"


# Nobody becomes a reviewer because a release waits for one


def make_admin_of(team: factories.Team, name: str) -> User:
    return accounts.create(username=name, password=factories.PASSWORD, is_admin=True, by=team.admin)


@pytest.mark.parametrize("who", ["an administrator, alone", "an administrator, by another", "by a member"])
def test_a_role_of_somebody_with_an_interest_counts_for_later_releases(who: str) -> None:
    team = factories.make_project()
    release = factories.make_release(team, state="in-review")
    other = make_admin_of(team, "other-admin")
    if who == "by a member":
        memberships.add(project=team.project, user=other, role="steward", by=team.admin)
        person, by = team.outsider, other
    else:
        person, by = other, other if who.endswith("alone") else team.admin
    given = memberships.add(project=team.project, user=person, role="reviewer", by=by)
    assert given.later_only
    assert AuditEvent.objects.latest("id").details["later_only"] is True
    with pytest.raises(NotAllowed, match="you became a reviewer as an"):
        vote(release, person)
    later = factories.make_release(team, state="in-review", version=release.version)
    vote(later, person)
    assert state_of(later) == "approved"
    assert publish(team, later).state == "published"


def test_a_role_taken_again_does_not_revive_a_vote_on_what_was_begun_before() -> None:
    team = factories.make_project()
    release = factories.make_release(team, state="approved")
    memberships.remove(membership=team.project.memberships.get(user=team.reviewer), by=team.admin)
    accounts.change(user=team.reviewer, is_admin=True, by=team.admin)
    team.reviewer.refresh_from_db()
    memberships.add(project=team.project, user=team.reviewer, role="reviewer", by=team.reviewer)
    with pytest.raises(NotAllowed, match="0 of the 1"):
        publish(team, release)


def test_a_new_reviewer_given_by_an_administrator_of_no_role_reviews_what_waits() -> None:
    team = factories.make_project()
    release = factories.make_release(team, state="in-review")
    given = memberships.add(project=team.project, user=team.outsider, role="reviewer", by=team.admin)
    assert not given.later_only
    vote(release, team.outsider)
    assert state_of(release) == "approved"


# What an administrator set lets an administrator in


def set_password(team: factories.Team) -> User:
    return accounts.reset_password(user=team.reviewer, by=team.admin)


def removed_factors(team: factories.Team) -> User:
    factors.give(team.reviewer)
    return accounts.remove_factors(user=team.reviewer, by=team.admin)


def recovered(team: factories.Team) -> User:
    return accounts.recover(username=team.reviewer.username, password="another long walk")


def made_for_it(team: factories.Team) -> User:
    person = factories.make_user("made-for-it")
    given = memberships.add(project=team.project, user=person, role="reviewer", by=team.admin)
    assert not given.later_only
    return person


@pytest.mark.parametrize("handed_over", [set_password, removed_factors, recovered, made_for_it])
def test_who_may_be_an_administrator_by_now_reviews_what_begins_later(
    handed_over: Callable[[factories.Team], User],
) -> None:
    team = factories.make_project()
    approved, waiting = (factories.make_release(team, state=state) for state in ("approved", "in-review"))
    person = handed_over(team)
    with pytest.raises(NotAllowed, match="set your password"):
        vote(waiting, person)
    later = factories.make_release(team, state="in-review", version=waiting.version)
    vote(later, person)
    assert state_of(later) == "approved"
    assert publish(team, approved).state == "published", "a vote that was given before still counts"


def test_a_role_is_announced_to_the_whole_project(
    team: factories.Team, django_capture_on_commit_callbacks: Any
) -> None:
    Notification.objects.all().delete()
    with django_capture_on_commit_callbacks(execute=True):
        memberships.add(project=team.project, user=team.admin, role="reviewer", by=team.admin)
    told = Notification.objects.filter(text__contains="an administrator, is now reviewer")
    assert all("Releases begun before are not theirs to review." in one.text for one in told)
    members = set(team.project.memberships.exclude(user=team.admin).values_list("user", flat=True))
    assert set(told.values_list("user", flat=True)) == members
    assert Notification.objects.get(user=team.admin).text.startswith("You are now reviewer")
    with django_capture_on_commit_callbacks(execute=True):
        memberships.add(project=team.project, user=team.outsider, role="analyst", by=team.admin)
    assert Notification.objects.filter(text__contains=f"{team.outsider.display_name} is now analyst").exists()
