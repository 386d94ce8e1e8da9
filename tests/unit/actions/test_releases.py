"""Releases, runs, comments and downloads: beyond who may."""

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from stewardapp.access.verdict import Conflict, Invalid, NotAllowed
from stewardapp.actions import comments, downloads, releases, runs
from stewardapp.canonical import sha256_of
from stewardapp.domain.facts import contributors_of
from stewardapp.models import AnyUser, Artifact, Comment, Download, Notification, Release, Run
from tests import factories

pytestmark = pytest.mark.django_db


@pytest.fixture
def team() -> factories.Team:
    return factories.make_project()


@pytest.fixture
def release(team: factories.Team) -> Release:
    return factories.make_release(team)


def release_csv(release: Release) -> Artifact:
    assert release.candidate is not None
    return release.candidate.artifacts.get(name="release.csv")


def test_a_draft_keeps_goals_steps_and_measures_only(team: factories.Team, release: Release) -> None:
    recipe = {**factories.RECIPE, "columns": {"age": {"role": "other"}}, "version": 1}
    edited = releases.edit_recipe(release=release, recipe=recipe, by=team.co_steward)
    assert edited.recipe == factories.RECIPE
    assert team.co_steward.pk in contributors_of(edited)


def test_two_people_editing_at_once(team: factories.Team, release: Release) -> None:
    shown = release.revision
    releases.describe(release=release, title="First", revision=shown, by=team.steward)
    with pytest.raises(Conflict, match="Somebody else changed"):
        releases.describe(release=release, title="Second", revision=shown, by=team.co_steward)
    assert Release.objects.get(pk=release.pk).title == "First"


def test_describing_changes_what_is_given(team: factories.Team, release: Release) -> None:
    changed = releases.describe(
        release=release, purpose="P", context="C", audience="named", named=[team.outsider], by=team.steward
    )
    assert (changed.title, changed.purpose, changed.context) == (release.title, "P", "C")
    assert (changed.audience, changed.named.get()) == ("named", team.outsider)
    with pytest.raises(Invalid, match="who the release is for"):
        releases.describe(release=release, audience="everybody", by=team.steward)
    with pytest.raises(Invalid, match="Title"):
        releases.describe(release=release, title=" ", by=team.steward)


def test_editing_after_a_request_for_changes_makes_a_draft(team: factories.Team) -> None:
    release = factories.make_release(team, state="changes-requested")
    assert releases.describe(release=release, context="Better.", by=team.steward).state == "draft"


def test_submitting_fixes_policy_and_candidate(team: factories.Team, release: Release) -> None:
    run = factories.make_succeeded_run(release)
    submitted = releases.submit(release=release, run=run, by=team.co_steward)
    assert submitted.candidate_sha256 == run.manifest_sha256 == sha256_of(run.manifest)
    assert (submitted.policy, submitted.submission) == (team.project.policy, 1)
    assert {team.steward.pk, team.co_steward.pk} <= contributors_of(submitted)
    before = submitted.policy
    factories.revise_policy(team.project, team.admin, reviewers=3)
    assert Release.objects.get(pk=release.pk).policy == before


def test_describing_and_submitting_is_one_move(team: factories.Team, release: Release) -> None:
    said = {"purpose": "Care research.", "context": "None.", "audience": "project", "named": []}
    bad = factories.make_succeeded_run(release, smallest_class=3)
    with pytest.raises(NotAllowed):
        releases.submit(release=release, run=bad, description=said, by=team.steward)
    assert Release.objects.get(pk=release.pk).purpose == release.purpose
    run, seen = factories.make_succeeded_run(release), Release.objects.get(pk=release.pk).revision
    with pytest.raises(Conflict):
        releases.submit(release=release, run=run, description=said, revision=seen - 1, by=team.steward)
    submitted = releases.submit(release=release, run=run, description=said, revision=seen, by=team.steward)
    assert (submitted.state, submitted.purpose) == ("in-review", "Care research.")


def test_a_run_below_the_policy_is_not_submitted(team: factories.Team, release: Release) -> None:
    run = factories.make_succeeded_run(release, smallest_class=3)
    with pytest.raises(NotAllowed, match="Smallest class is 3; the policy demands at least 5"):
        releases.submit(release=release, run=run, by=team.steward)


def test_a_run_of_another_release_is_not_submitted(team: factories.Team, release: Release) -> None:
    run = factories.make_succeeded_run(factories.make_release(team))
    with pytest.raises(Run.DoesNotExist):
        releases.submit(release=release, run=run, by=team.steward)


def test_reviewers_who_may_review_are_told(
    team: factories.Team, release: Release, django_capture_on_commit_callbacks: Any
) -> None:
    run = factories.make_succeeded_run(release)
    with django_capture_on_commit_callbacks(execute=True):
        releases.submit(release=release, run=run, by=team.steward)
    told = Notification.objects.filter(text__contains="waits for review").values_list("user", flat=True)
    assert set(told) == {team.reviewer.pk, team.second_reviewer.pk, team.third_reviewer.pk}


def test_publishing_the_bytes_that_were_looked_at(team: factories.Team) -> None:
    release = factories.make_release(team, state="approved")
    with pytest.raises(Conflict, match="not the one you looked at"):
        releases.publish(release=release, manifest_sha256="0" * 64, by=team.steward)
    until = timezone.now() + timedelta(days=2)
    published = releases.publish(
        release=release, manifest_sha256=release.candidate_sha256, embargo_until=until, by=team.steward
    )
    assert (published.state, published.embargo_until) == ("published", until)
    assert not Release.objects.in_catalogue_for(team.analyst)
    with pytest.raises(NotAllowed, match="embargo"):
        downloads.record(release=published, artifact=release_csv(published), by=team.analyst)


def test_revoking_tells_those_who_have_it(
    team: factories.Team, django_capture_on_commit_callbacks: Any
) -> None:
    release = factories.make_release(team, state="published")
    downloads.record(release=release, artifact=release_csv(release), by=team.analyst)
    assert Download.objects.visible_to(team.steward).get().user == team.analyst
    with django_capture_on_commit_callbacks(execute=True):
        releases.revoke(release=release, notice="Wrong year.", by=team.steward)
    told = Notification.objects.get(text__contains="Wrong year.")
    assert told.user == team.analyst
    with pytest.raises(NotAllowed, match="revoked"):
        downloads.record(release=release, artifact=release_csv(release), by=team.analyst)


def test_only_public_files_of_the_candidate_leave(team: factories.Team) -> None:
    release = factories.make_release(team, state="published")
    assert release.candidate is not None
    records = release.candidate.artifacts.get(name="records.csv")
    other = release_csv(factories.make_release(team, version=release.version, state="published"))
    for artifact in (records, other):
        with pytest.raises(NotAllowed, match="not part of what was published"):
            downloads.record(release=release, artifact=artifact, by=team.analyst)


def test_a_public_link_needs_no_name(team: factories.Team) -> None:
    from django.contrib.auth.models import AnonymousUser

    release = factories.make_release(team, state="published", audience="public-link")
    anonymous: AnyUser = AnonymousUser()
    assert downloads.record(release=release, artifact=release_csv(release), by=anonymous).user is None


def test_runs_are_numbered_and_carry_their_own_recipe(team: factories.Team, release: Release) -> None:
    first = runs.start(release=release, by=team.steward)
    releases.edit_recipe(release=release, recipe={**factories.RECIPE, "goals": []}, by=team.steward)
    second = runs.start(release=release, by=team.co_steward)
    assert (first.number, second.number) == (1, 2)
    assert first.recipe["goals"] != second.recipe["goals"]
    assert first.recipe_sha256 != second.recipe_sha256
    assert first.key_id != second.key_id
    assert team.co_steward.pk in contributors_of(release)


def test_a_recipe_the_engine_refuses_names_the_place(team: factories.Team, release: Release) -> None:
    recipe = {"goals": [{"goal": "k-anonymity", "params": {"k": 0}}], "steps": []}
    releases.edit_recipe(release=release, recipe=recipe, by=team.steward)
    with pytest.raises(Invalid) as caught:
        runs.start(release=release, by=team.steward)
    assert "goals[0]" in caught.value.param
    assert not release.runs.exists()


def test_cancelling(team: factories.Team, release: Release, monkeypatch: pytest.MonkeyPatch) -> None:
    waiting = factories.make_run(release)
    assert runs.cancel(run=waiting, by=team.steward).state == "cancelled"
    running = factories.make_run(release)
    Run.objects.claim(running.pk, "w", 60)
    asked = runs.cancel(run=running, by=team.co_steward)
    assert (asked.state, asked.cancelled_by) == ("running", team.co_steward)
    with pytest.raises(NotAllowed, match="already being cancelled"):
        runs.cancel(run=running, by=team.steward)
    late = factories.make_run(release)
    monkeypatch.setattr(type(Run.objects.all()), "request_cancel", lambda *_: False)
    with pytest.raises(Conflict):
        runs.cancel(run=late, by=team.steward)


def test_a_lost_claim_makes_no_artifacts(release: Release) -> None:
    run = factories.make_run(release)
    with pytest.raises(Conflict):
        runs.record(run=run, fence=1, files=[], report={}, goals=[], engine_version="1")
    assert Run.objects.get(pk=run.pk).state == "queued"


def test_comments(team: factories.Team, release: Release, django_capture_on_commit_callbacks: Any) -> None:
    with django_capture_on_commit_callbacks(execute=True):
        public = comments.add(release=release, text="Why?", by=team.reviewer)
        private = comments.add(release=release, text="Hm.", visibility="private", by=team.reviewer)
        own = comments.add(release=release, text="Because.", by=team.steward)
    assert Notification.objects.get(text__contains="comment").user == team.steward
    assert set(Comment.objects.visible_to(team.steward)) == {public, own}
    assert set(Comment.objects.visible_to(team.second_reviewer)) == {public, private, own}
    assert not Comment.objects.visible_to(team.analyst)
    with pytest.raises(Invalid, match="public or private"):
        comments.add(release=release, text="x", visibility="secret", by=team.reviewer)
    with pytest.raises(NotAllowed):
        comments.resolve(comment=private, by=team.steward)
    assert comments.resolve(comment=public, by=team.steward).resolved_by == team.steward
    assert public not in Comment.objects.unresolved()
    with pytest.raises(NotAllowed, match="already resolved"):
        comments.resolve(comment=public, by=team.steward)


def test_a_comment_is_resolved_by_one(
    team: factories.Team, release: Release, monkeypatch: pytest.MonkeyPatch
) -> None:
    comment = comments.add(release=release, text="Why?", by=team.reviewer)
    manager = type(Comment.objects.all())
    monkeypatch.setattr(manager, "unresolved", lambda rows: rows.none())
    with pytest.raises(Conflict):
        comments.resolve(comment=comment, by=team.steward)
