"""From submission to publication through the pages, with everybody's buttons and refusals."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.test import Client
from django.urls import reverse
from pytest_django.asserts import assertContains

from stewardapp.access.workflow import State
from stewardapp.actions import accounts, columns
from stewardapp.domain.unknown import Unknown
from stewardapp.models import Comment, Release, Review
from tests import factories
from tests.factories import Team

pytestmark = pytest.mark.django_db
Browser = Callable[[str], Client]


@pytest.fixture
def waiting(team: Team) -> Release:
    return factories.make_release(team, state=State.IN_REVIEW)


def decide(client: Client, release: Release, decision: str = "approve", **changes: str) -> int:
    data = {
        "manifest_sha256": release.candidate_sha256,
        "decision": decision,
        "reason": "Read all.",
        **changes,
    }
    return client.post(reverse("review-decide", args=[release.pk]), data).status_code


def test_a_reviewer_reads_why_nobody_else_should_know_a_kept_column(team: Team, browse: Browser) -> None:
    version = factories.make_version(team)
    said = Unknown.of("measured-here", "by our own device")
    columns.tag(version=version, roles={"zip": "other"}, unknown={"zip": said}, by=team.steward)
    release = factories.make_release(team, version=version, state=State.IN_REVIEW)
    page = browse("reviewer").get(reverse("review-detail", args=[release.pk]))
    assertContains(page, "Kept, but said to be unknown to others")
    assertContains(page, "measured only here: by our own device")


def test_submit_asks_for_the_purpose_and_sends_the_run_to_review(team: Team, browse: Browser) -> None:
    release = factories.make_release(team)
    run = factories.make_succeeded_run(release)
    release.refresh_from_db()
    to, client = reverse("release-submit", args=[release.pk, run.pk]), browse("steward")
    data = {"purpose": "", "audience": "project", "revision": release.revision}
    assert client.post(to, data).status_code == 422
    assert client.post(to, {**data, "purpose": "A study", "audience": "named"}).status_code == 422
    assert client.post(to, {**data, "purpose": "A study", "audience": "signed-in"}).status_code == 302
    release.refresh_from_db()
    assert (release.state, release.audience, release.purpose) == ("in-review", "signed-in", "A study")
    assert release.candidate_id == run.pk


REASON = "The laboratory numbers are known to the hospital alone."


def test_a_run_that_singles_rows_out_is_never_green_and_needs_a_reason(team: Team, browse: Browser) -> None:
    release = factories.make_release(team)
    run = factories.make_succeeded_run(release, unique_share=0.9)
    release.refresh_from_db()
    steward, to = browse("steward"), reverse("release-submit", args=[release.pk, run.pk])
    page = steward.get(reverse("run-detail", args=[run.pk]))
    assert page.context["line"].tone == "warn"
    assertContains(page, "Share of rows singled out is 90\u00a0%")
    said = {"purpose": "A study", "audience": "project", "revision": release.revision}
    assert steward.post(to, said).status_code == 422
    release.refresh_from_db()
    assert release.state == State.DRAFT
    assert steward.post(to, {**said, "reason_for_unique": REASON}).status_code == 302
    review = browse("reviewer").get(reverse("review-detail", args=[release.pk]))
    assertContains(review, REASON, count=2)
    assertContains(review, "Needs a reason")
    assertContains(browse("reviewer").get(reverse("review-list")), "with a reason")


def test_a_reason_is_not_asked_where_nobody_is_singled_out(team: Team, browse: Browser) -> None:
    release = factories.make_release(team)
    run = factories.make_succeeded_run(release)
    page = browse("steward").get(reverse("release-submit", args=[release.pk, run.pk]))
    assert "reason_for_unique" not in page.context["form"].fields


def test_a_run_of_another_release_cannot_be_submitted_here(team: Team, browse: Browser) -> None:
    release, other = factories.make_release(team), factories.make_release(team)
    run = factories.make_succeeded_run(other)
    to = reverse("release-submit", args=[release.pk, run.pk])
    assert browse("steward").get(to).status_code == 404


def test_a_run_that_misses_the_policy_says_so_on_button_and_page(team: Team, browse: Browser) -> None:
    release = factories.make_release(team)
    run = factories.make_succeeded_run(release, smallest_class=3)
    client = browse("steward")
    page = client.get(reverse("run-detail", args=[run.pk]))
    reason = page.context["may_submit"].reason
    assert "at least 5" in reason
    refused = client.get(reverse("release-submit", args=[release.pk, run.pk]))
    assert refused.status_code == 403
    assert reason in refused.content.decode().replace("&#x27;", "'")


def test_the_candidate_page_shows_exactly_the_released_bytes(waiting: Release, browse: Browser) -> None:
    page = browse("reviewer").get(reverse("review-detail", args=[waiting.pk]))
    table = page.context["table"]
    text = factories.RELEASED_CSV.decode().splitlines()
    assert ",".join(table.headers) == text[0]
    assert [",".join(row) for row in table.rows] == text[1:]
    assert table.rehashed


def test_the_candidate_page_shows_what_was_measured_as_the_run_page_does(
    waiting: Release, browse: Browser
) -> None:
    page = browse("reviewer").get(reverse("review-detail", args=[waiting.pk]))
    run_page = reverse("run-detail", args=[waiting.candidate_id])
    fetched = browse("reviewer").get(run_page, {"tab": "risk"})
    alone = fetched.context["readings"]
    assert [reading.slug for reading, _ in alone][:2] == ["reidentification", "kept-columns"]
    assert page.context["measured"] == [("risk", "Risk")]
    assertContains(page, f'hx-get="{run_page}?tab=risk"')
    _, _, section = fetched.content.decode().partition('class="stack readings"')
    for reading, _ in alone[:2]:
        assert f'<h2 id="m-{reading.anchor}">' in section
    for reading, _ in alone[2:]:
        assert f'<h2 class="small-heading" id="n-{reading.anchor}">' in section


def test_approval_needs_the_password_again(waiting: Release, browse: Browser) -> None:
    client = browse("reviewer")
    data = {"manifest_sha256": waiting.candidate_sha256, "decision": "approve", "reason": "Read all."}
    asked = client.post(reverse("review-decide", args=[waiting.pk]), data)
    assert asked.headers["Location"].startswith(reverse("account_reauthenticate"))
    assert not Review.objects.exists()
    resumed = client.post(asked.headers["Location"], {"password": factories.PASSWORD})
    assert resumed.status_code == 302
    assert Review.objects.get().decision == "approve"


def test_an_approval_moves_the_release(waiting: Release, confirmed: Browser) -> None:
    assert decide(confirmed("reviewer"), waiting) == 302
    waiting.refresh_from_db()
    assert waiting.state == "approved"


@pytest.mark.parametrize("decision", ["approve", "request-changes", "reject"])
def test_a_vote_without_a_reason_is_none(decision: str, waiting: Release, confirmed: Browser) -> None:
    assert decide(confirmed("reviewer"), waiting, decision, reason="  ") == 422
    assert not Review.objects.exists()


def test_a_vote_on_other_bytes_is_a_conflict(waiting: Release, confirmed: Browser) -> None:
    assert decide(confirmed("reviewer"), waiting, manifest_sha256="0" * 64) == 409
    assert not Review.objects.exists()


@pytest.mark.parametrize(
    ("persona", "status"),
    [("steward", 403), ("co_steward", 403), ("admin", 403), ("analyst", 404), ("outsider", 404)],
)
def test_nobody_else_votes(persona: str, status: int, waiting: Release, confirmed: Browser) -> None:
    assert decide(confirmed(persona), waiting) == status
    assert not Review.objects.exists()


def test_votes_are_blind_until_all_are_in(confirmed: Browser, team: Team) -> None:
    factories.revise_policy(team.project, team.admin, reviewers=2)
    release = factories.make_release(team, state=State.IN_REVIEW)
    decide(confirmed("reviewer"), release, reason="First opinion.")
    page = reverse("review-detail", args=[release.pk])
    assert b"First opinion." in confirmed("reviewer").get(page).content
    assert b"First opinion." not in confirmed("second_reviewer").get(page).content
    decide(confirmed("second_reviewer"), release, "reject", reason="Second opinion.")
    assert b"First opinion." in confirmed("second_reviewer").get(page).content


def test_private_comments_stay_among_reviewers(waiting: Release, browse: Browser) -> None:
    to, page = reverse("comment-add", args=[waiting.pk]), reverse("review-detail", args=[waiting.pk])
    assert browse("reviewer").post(to, {"text": "A quiet doubt.", "visibility": "private"}).status_code == 302
    assert b"A quiet doubt." in browse("second_reviewer").get(page).content
    assert b"A quiet doubt." not in browse("steward").get(page).content
    assert browse("steward").post(to, {"text": "Mine", "visibility": "private"}).status_code == 403
    assert browse("outsider").post(to, {"text": "Mine", "visibility": "public"}).status_code == 404
    resolve = reverse("comment-resolve", args=[Comment.objects.get().pk])
    assert browse("steward").post(resolve).status_code == 404
    assert browse("second_reviewer").post(resolve).status_code == 302


def test_the_second_candidate_tells_what_changed(team: Team, confirmed: Browser) -> None:
    release = factories.make_release(team, state=State.CHANGES_REQUESTED)
    factories.releases.edit_recipe(
        release=release,
        recipe={**factories.RECIPE, "goals": [{"goal": "k-anonymity", "params": {"k": 6}}]},
        by=team.steward,
    )
    release.refresh_from_db()
    factories.submit(release, team.steward)
    page = confirmed("reviewer").get(reverse("review-detail", args=[release.pk]))
    assert [change.what for change in page.context["changes"]] == ["Goal 1"]


def test_the_previous_candidate_is_the_one_submitted_before_voted_on_or_not(
    team: Team, browse: Browser
) -> None:
    release = factories.make_release(team, state=State.CHANGES_REQUESTED)
    first = release.candidate
    release.reviews.all().delete()
    factories.submit(release, team.steward)
    page = browse("reviewer").get(reverse("review-detail", args=[release.pk]))
    assert page.context["previous"] == first
    assert "Neither recipe nor figures differ." in page.content.decode()


def test_the_page_says_why_somebody_may_not_vote(waiting: Release, browse: Browser) -> None:
    to = reverse("review-detail", args=[waiting.pk])
    steward, reviewer = browse("steward").get(to), browse("reviewer").get(to)
    assert steward.context["independence"].reason == "Only a reviewer of this project can review."
    assert reviewer.context["independence"].word == "You may vote"
    assert "comment privately" not in steward.content.decode()


def test_other_releases_about_the_same_people_are_named_with_their_state(team: Team, browse: Browser) -> None:
    version = factories.make_version(team)
    waiting = factories.make_release(team, version=version, state=State.IN_REVIEW)
    published = factories.make_release(team, version=version, state=State.PUBLISHED)
    factories.make_release(team, version=version)
    factories.make_release(team, state=State.PUBLISHED)
    factories.make_release(factories.make_project(), state=State.PUBLISHED)
    page = browse("reviewer").get(reverse("review-detail", args=[waiting.pk]))
    assert page.context["relatives"] == [published]
    assert published.title in page.content.decode()


def test_publish_asks_for_the_password_and_shows_the_catalogue_page(
    team: Team, browse: Browser, confirmed: Browser
) -> None:
    release = factories.make_release(team, state=State.APPROVED)
    to = reverse("release-publish", args=[release.pk])
    assert browse("steward").get(to).headers["Location"].startswith(reverse("account_reauthenticate"))
    assert browse("reviewer").get(to).status_code == 403
    assert browse("outsider").get(to).status_code == 404
    client = confirmed("steward")
    assert client.get(to).status_code == 200
    answer = client.post(to, {"manifest_sha256": release.candidate_sha256, "embargo_until": ""})
    assert answer.headers["Location"] == reverse("catalogue-detail", args=[release.public_id])
    release.refresh_from_db()
    assert release.state == "published"


def test_revoking_shows_the_notice_and_ends_downloads(team: Team, confirmed: Browser) -> None:
    release = factories.make_release(team, state=State.PUBLISHED)
    to = reverse("release-revoke", args=[release.pk])
    assert confirmed("steward").post(to, {"notice": ""}).status_code == 422
    assert confirmed("steward").post(to, {"notice": "A mistake."}).status_code == 302
    page = confirmed("analyst").get(reverse("catalogue-detail", args=[release.public_id]))
    assert b"A mistake." in page.content
    assert release.candidate is not None
    file = release.candidate.artifacts.public().get()
    assert confirmed("analyst").get(reverse("artifact-download", args=[file.pk])).status_code == 403


def test_withdrawing_is_a_post(team: Team, browse: Browser) -> None:
    release = factories.make_release(team)
    to = reverse("release-withdraw", args=[release.pk])
    assert browse("steward").get(to).status_code == 405
    assert browse("reviewer").post(to).status_code == 403
    assert browse("outsider").post(to).status_code == 404
    assert browse("steward").post(to).status_code == 302
    release.refresh_from_db()
    assert release.state == "withdrawn"


def test_the_queue_holds_what_waits_for_this_person(waiting: Release, browse: Browser) -> None:
    lines = browse("reviewer").get(reverse("review-list")).context["lines"]
    assert [(line.release, bool(line.may), line.failed) for line in lines] == [(waiting, True, 0)]
    assert browse("steward").get(reverse("review-list")).context["lines"] == []


def test_a_step_that_changed_nothing_is_a_warning_on_run_and_review(
    waiting: Release, browse: Browser
) -> None:
    for changed, warned in ((0, True), (3, False)):
        step = {
            "method": "rank-swapping",
            "changed": {"age": changed},
            "changed_cells": changed,
            "cells": {"age": 6},
        }
        factories.rewrite(waiting.candidate, report={"steps": [step], "input": {"rows": 6}})
        for page in (
            browse("steward").get(reverse("run-detail", args=[waiting.candidate_id])),
            browse("reviewer").get(reverse("review-detail", args=[waiting.pk])),
        ):
            assert page.status_code == 200
            assert (b"Step 1 (Rank swapping) changed no value of age" in page.content) is warned


def test_an_approval_that_lapsed_is_said_and_returned_to_review(team: Team, browse: Browser) -> None:
    release = factories.make_release(team, state=State.APPROVED)
    page, reopen = (reverse(name, args=[release.pk]) for name in ("release-detail", "release-reopen"))
    assert "Return to review" not in browse("steward").get(page).content.decode()
    accounts.deactivate(user=team.reviewer, by=team.admin)
    shown = browse("steward").get(page)
    for words in ("0 of the 1 approvals", "no longer counts", "Return to review"):
        assertContains(shown, words)
    assert browse("steward").get(reverse("release-publish", args=[release.pk])).status_code == 403
    assert browse("reviewer").post(reopen).status_code in (302, 403)
    assert browse("steward").post(reopen).status_code == 302
    release.refresh_from_db()
    assert release.state == State.IN_REVIEW
