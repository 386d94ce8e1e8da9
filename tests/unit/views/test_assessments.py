"""The room of what is measured after a run, its results, and what a reviewer sees of it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from stewardapp.actions import releases, reviews, versions
from stewardapp.domain.demands import Demand
from stewardapp.domain.manifest import public_manifest
from stewardapp.models import Assessment, AuditEvent, Blob, Dataset, Release, Run
from tests import factories
from tests.factories import Team

Browser = Callable[[str], Client]


@pytest.fixture
def release(team: Team) -> Release:
    return factories.make_release(team, state="in-review")


@pytest.fixture
def run(release: Release) -> Run:
    assert release.candidate is not None
    return release.candidate


def room(run: Run) -> str:
    return reverse("run-assessments", args=[run.pk])


def sent(page: Any) -> dict[str, Any]:
    """What the form of the page sends."""
    return {"item": [one.token for one in page.context["form"].items], "measures": "shown"}


def test_a_measure_is_chosen_filled_in_and_asked_for(run: Run, browse: Browser) -> None:
    client = browse("steward")
    page = client.get(room(run))
    assert b"Nothing is chosen yet" in page.content
    page = client.post(room(run), {**sent(page), "do": "add:measure:marginals"})
    [item] = page.context["form"].measures
    assert [cost.words for cost in item.costs] == ["Takes less than a second."]
    assert not Assessment.objects.exists()
    answer = client.post(room(run), {**sent(page), "do": "ask"}, follow=True)
    assert b"A worker measures it." in answer.content
    made = Assessment.objects.get()
    assert (made.why, made.measures) == ("hand", [{"measure": "marginals", "params": {}}])
    assert answer.context["lines"][0].measures == ("How far the distribution of each released column moved.",)


def test_nothing_chosen_is_said_where_it_belongs(run: Run, browse: Browser) -> None:
    answer = browse("steward").post(room(run), {"measures": "shown", "do": "ask"})
    assert answer.status_code == 400
    assert b"Choose at least one measure" in answer.content


def test_a_parameter_that_is_wrong_is_said_on_its_field(run: Run, browse: Browser) -> None:
    sends = {"item": "measure:a1:no-such-measure", "measures": "shown", "do": "ask"}
    assert browse("steward").post(room(run), sends).status_code == 422
    assert not Assessment.objects.exists()


def test_only_a_reviewer_demands_and_the_review_says_what_it_waits_for(
    team: Team, release: Release, run: Run, browse: Browser, confirmed: Browser
) -> None:
    sends = {"item": "measure:a1:marginals", "measures": "shown", "do": "demand"}
    assert browse("steward").post(room(run), sends).status_code == 403
    reviewer = confirmed("reviewer")
    assert b"Nobody can approve before" in reviewer.post(room(run), sends, follow=True).content
    review = reverse("review-detail", args=[release.pk])
    page = reviewer.get(review)
    assert b"has not ended yet" in page.content
    vote = {"manifest_sha256": release.candidate_sha256, "decision": "approve", "reason": "Read."}
    refused = reviewer.post(reverse("review-decide", args=[release.pk]), vote)
    assert (refused.status_code, b"has not ended yet" in refused.content) == (403, True)
    factories.measured(Assessment.objects.get())
    stale = reviewer.post(reverse("review-decide", args=[release.pk]), vote)
    assert stale.status_code == 409
    page = reviewer.get(review)
    assert b"part of what is voted on" in page.content
    seen = Release.objects.get(pk=release.pk).candidate_sha256
    assert f'value="{seen}"' in page.content.decode()
    reviewer.post(reverse("review-decide", args=[release.pk]), {**vote, "manifest_sha256": seen})
    assert Release.objects.get(pk=release.pk).state == "approved"


def test_a_vote_of_before_says_why_it_no_longer_counts(team: Team, browse: Browser) -> None:
    factories.revise_policy(team.project, team.admin, reviewers=2)
    release = factories.make_release(team, state="in-review")
    assert release.candidate is not None
    seen = release.candidate_sha256
    said = {"decision": "approve", "reason": "Read.", "manifest_sha256": seen}
    reviews.decide(release=release, by=team.reviewer, **said)
    factories.make_demand(release.candidate, by=team.second_reviewer)
    page = browse("reviewer").get(reverse("review-detail", args=[release.pk]))
    assert b"the candidate was assessed afterwards" in page.content
    assert page.context["may"].review


def test_results_with_charts_for_those_who_may(run: Run, browse: Browser) -> None:
    made = factories.make_assessment(run)
    page = browse("steward").get(reverse("assessment-detail", args=[made.pk]))
    ((reading, (picture,)),) = page.context["readings"]
    assert (reading.slug, reading.rows[0].after) == ("marginals", "25\u00a0%")
    assert browse("reviewer").get(picture.url).json()["data"]
    assert browse("outsider").get(picture.url).status_code == 404
    assert browse("admin").get(picture.url).status_code == 403
    unknown = reverse("assessment-chart", args=[made.pk, "no-such-chart"])
    assert browse("steward").get(unknown).status_code == 404
    (only,) = browse("admin").get(reverse("assessment-detail", args=[made.pk])).context["readings"]
    assert only[1] == []


def test_results_stand_beside_those_of_the_run_and_say_so(run: Run, browse: Browser) -> None:
    factories.make_assessment(run)
    page = browse("steward").get(reverse("run-detail", args=[run.pk]) + "?tab=utility")
    assert ("utility", "Utility") in page.context["tabs"]
    assert b"Looked at afterwards" in page.content


def test_while_a_worker_is_on_it_the_page_asks_again_and_then_comes_whole(run: Run, browse: Browser) -> None:
    made = factories.make_assessment(run, done=False)
    address, asking = reverse("assessment-detail", args=[made.pk]), {"HX-Request": "true"}
    client = browse("steward")
    assert f'data-watch="assessment:{made.pk}"' in client.get(address, headers=asking).content.decode()
    assert b"Cancel it" in client.get(address).content
    factories.measured(made)
    ended = client.get(address, headers=asking)
    assert (ended.status_code, ended["HX-Refresh"]) == (286, "true")


def test_one_that_failed_says_why_and_can_be_given_up(run: Run, team: Team, browse: Browser) -> None:
    made = factories.make_demand(run, by=team.reviewer, done=False)
    fence = Assessment.objects.claim(made.pk, "w", 60)
    assert fence is not None
    Assessment.objects.fail(made.pk, fence, code="memory", message="It needs more memory.")
    address = reverse("assessment-detail", args=[made.pk])
    assert b"Give it up" not in browse("steward").get(address).content
    page = browse("reviewer").get(address)
    assert b"It needs more memory." in page.content
    assert b"Give it up" in page.content
    browse("reviewer").post(reverse("assessment-cancel", args=[made.pk]))
    assert Assessment.objects.get().state == "cancelled"


def test_the_report_is_handed_out_as_it_was_made_or_not_at_all(run: Run, browse: Browser) -> None:
    made = factories.make_assessment(run)
    address = reverse("assessment-report", args=[made.pk])
    answer = browse("reviewer").get(address)
    content = b"".join(answer.streaming_content)
    assert hashlib.sha256(content).hexdigest() == made.report_sha256
    assert "attachment" in answer["Content-Disposition"]
    Assessment.objects.filter(pk=made.pk).update(report_sha256="0" * 64)
    assert browse("reviewer").get(address).status_code == 500
    assert made.file is not None
    Blob.objects.forget(made.file)
    assert browse("reviewer").get(address).status_code == 500
    waiting = factories.make_assessment(run, done=False)
    assert browse("reviewer").get(reverse("assessment-report", args=[waiting.pk])).status_code == 404


def test_what_the_policy_asks_is_measured_by_a_button(team: Team, browse: Browser) -> None:
    run = factories.make_succeeded_run(factories.make_release(team))
    client, address = browse("steward"), reverse("run-detail", args=[run.pk])
    assert b"Measure what the policy asks" not in client.get(address).content
    assert b"The policy asks for more" not in client.get(room(run)).content
    more = Demand("marginals", "mean_total_variation", Decimal("0.3"))
    factories.revise_policy(team.project, team.admin, rows=[*factories.demands(), more])
    assert b"Measure what the policy asks" in client.get(address).content
    assert b"The policy asks for more" in client.get(room(run)).content
    client.post(reverse("run-measure-policy", args=[run.pk]))
    factories.measured(Assessment.objects.get())
    page = client.get(address)
    assert b"Measure what the policy asks" not in page.content
    assert page.context["line"].met


def test_of_what_counts_only_public_figures_leave(team: Team, release: Release, run: Run) -> None:
    """Of a measure without public figures nothing leaves, of others what they declare public."""
    factories.make_demand(run, by=team.reviewer)
    assert "measured_afterwards" not in public_manifest(Run.objects.get(pk=run.pk))
    made = factories.make_demand(run, by=team.reviewer, done=False)
    factories.measured(made, "kept-columns", unique_share=0.0)
    told = public_manifest(Run.objects.get(pk=run.pk))["measured_afterwards"]
    assert [(one["measure"], one["after"]) for one in told] == [("kept-columns", {"unique_share": 0.0})]
    assert "before" not in told[0]
    assert made.report_sha256 not in json.dumps(told)


def test_a_certificate_tells_what_counts_and_nothing_that_was_only_asked_for(
    team: Team, release: Release, run: Run, browse: Browser
) -> None:
    asked = factories.make_assessment(run, done=False)
    factories.measured(asked, "kept-columns", unique_share=0.125)
    demanded = factories.make_demand(run, by=team.reviewer, done=False)
    factories.measured(demanded, "kept-columns", unique_share=0.25)
    release = factories.vote(team, Release.objects.get(pk=release.pk), "approve")
    seen = release.candidate_sha256
    release = releases.publish(release=release, manifest_sha256=seen, by=team.steward)
    page = browse("analyst").get(reverse("catalogue-certificate", args=[release.public_id]))
    assert "25\u00a0%" in page.content.decode()
    assert "12.5\u00a0%" not in page.content.decode()


def test_after_the_data_were_destroyed_the_pages_still_read(
    team: Team, browse: Browser, django_capture_on_commit_callbacks: Any
) -> None:
    run = factories.make_succeeded_run(factories.make_release(team))
    made = factories.make_assessment(run)
    with django_capture_on_commit_callbacks(execute=True):
        versions.destroy(version=run.release.version, reason="Asked for.", by=team.steward)
    page = browse("steward").get(room(run))
    assert page.status_code == 200
    assert page.context["lines"][0].measures == ()
    assert not page.context["may"].ask
    assert browse("steward").get(reverse("assessment-detail", args=[made.pk])).status_code == 200


# A file that is brought along

ATTACK = {"item": "measure:a1:auxiliary-linkage", "measures": "shown", "do": "ask", "a1-file": "uploaded"}


def with_file(content: bytes = b"name,age\nSomebody,30\n") -> dict[str, Any]:
    return {**ATTACK, "brought": SimpleUploadedFile("Somebody Voter.csv", content)}


def test_an_attack_is_replayed_from_results_and_review(release: Release, run: Run, browse: Browser) -> None:
    asked = f"{room(run)}?add=auxiliary-linkage"
    for address in (
        f"{reverse('run-detail', args=[run.pk])}?tab=attack",
        reverse("review-detail", args=[release.pk]),
    ):
        assert asked in browse("steward").get(address).content.decode()
    page = browse("steward").get(asked)
    [item] = page.context["form"].measures
    assert (item.slug, page.status_code) == ("auxiliary-linkage", 200)
    assert b"its key and its bytes are destroyed" in page.content
    assert browse("steward").get(f"{room(run)}?add=no-such").status_code == 200


def test_a_file_comes_along_sealed_and_is_no_dataset(run: Run, browse: Browser) -> None:
    before = Dataset.objects.count()
    answer = browse("steward").post(room(run), with_file(), follow=True)
    assert b"A worker measures it." in answer.content
    made = Assessment.objects.get()
    assert made.brought is not None
    assert (made.brought.size, made.brought.destroyed_at) == (21, None)
    assert Dataset.objects.count() == before
    page = browse("steward").get(reverse("assessment-detail", args=[made.pk]))
    assert b"uploaded for it alone" in page.content
    assert b"Somebody" not in page.content
    assert "Somebody" not in str(list(AuditEvent.objects.values_list("details", flat=True)))


def test_a_file_that_fits_nowhere_is_refused_beside_its_field(
    run: Run, browse: Browser, settings: Any
) -> None:
    client = browse("steward")
    unused = client.post(room(run), {**with_file(), "item": "measure:a1:marginals"})
    assert (unused.status_code, b'id="brought-error"' in unused.content) == (400, True)
    empty = client.post(room(run), with_file(b""))
    assert empty.status_code == 400
    missing = client.post(room(run), ATTACK)
    assert b"Choose the file to upload" in missing.content
    settings.STEWARD_MAX_UPLOAD = 10
    large = client.post(room(run), with_file(b"x" * 100_000))
    assert (large.status_code, b"at most" in large.content) == (413, True)
    assert not Assessment.objects.exists()


def test_the_token_is_asked_for_before_a_file_is_taken(run: Run, team: Team) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(team.steward)
    assert client.post(room(run), with_file()).status_code == 403
    assert not Assessment.objects.exists()
