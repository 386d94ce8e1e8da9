"""A run is started, watched and cancelled through the pages."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from django.test import Client
from django.urls import reverse
from django.utils.html import strip_tags

from stewardapp.models import AuditEvent, Blob, Release, Run
from stewardapp.presenters import measures, run_pages
from tests import factories
from tests.factories import Team
from worker.process.outputs import KEPT

pytestmark = pytest.mark.django_db
Browser = Callable[[str], Client]
REPORT_VERSION_1 = Path(__file__).parents[2] / "engine/stored/report_version_1.json"


@pytest.fixture
def release(team: Team) -> Release:
    return factories.make_release(team)


def test_starting_queues_one_run_and_shows_it(release: Release, browse: Browser) -> None:
    to = reverse("run-start", args=[release.pk])
    assert browse("steward").get(to).status_code == 405
    assert browse("reviewer").post(to).status_code == 403
    assert browse("outsider").post(to).status_code == 404
    answer = browse("steward").post(to)
    run = Run.objects.get()
    assert answer.headers["Location"] == reverse("run-detail", args=[run.pk])
    page = browse("steward").get(answer.headers["Location"])
    assert b"Waiting for a worker" in page.content


def test_a_recipe_that_cannot_run_leads_back_to_its_page(team: Team, browse: Browser) -> None:
    release = factories.make_release(team)
    recipe = {"goals": [{"goal": "k-anonymity", "params": {"k": 0}}], "steps": []}
    factories.releases.edit_recipe(release=release, recipe=recipe, by=team.steward)
    answer = browse("steward").post(reverse("run-start", args=[release.pk]))
    assert answer.headers["Location"] == reverse("release-configure", args=[release.pk])
    assert not Run.objects.exists()


def test_progress_is_a_fragment_until_the_end(release: Release, browse: Browser) -> None:
    run = factories.make_run(release)
    fence = Run.objects.claim(run.pk, "worker", 60)
    assert fence is not None
    assert Run.objects.progress(run.pk, fence, percent=40, stage="Searching", seconds_left=12)
    to = reverse("run-progress", args=[run.pk])
    fragment = browse("reviewer").get(to)
    assert b"<html" not in fragment.content
    assert b"Searching" in fragment.content
    assert b'value="40"' in fragment.content
    assert Run.objects.fail(run.pk, fence, code="bad", message="Mend it.")
    ended = browse("reviewer").get(to)
    assert (ended.status_code, ended.headers["HX-Refresh"]) == (286, "true")
    assert browse("outsider").get(to).status_code == 404


def test_cancelling_asks_the_worker_and_is_recorded(release: Release, browse: Browser) -> None:
    run = factories.make_run(release)
    to = reverse("run-cancel", args=[run.pk])
    assert browse("reviewer").post(to).status_code == 403
    assert browse("outsider").post(to).status_code == 404
    assert browse("co_steward").post(to).status_code == 302
    run.refresh_from_db()
    assert run.cancel_requested_at is not None
    assert AuditEvent.objects.filter(action="run.cancel-requested").count() == 1
    assert browse("steward").post(to).status_code in (403, 409)


def test_a_failed_run_says_why_and_where(release: Release, browse: Browser) -> None:
    run = factories.make_run(release)
    fence = Run.objects.claim(run.pk, "worker", 60)
    assert fence is not None
    said = {"code": "time-limit", "message": "It took too long.", "step": 0}
    assert Run.objects.fail(run.pk, fence, **said)
    page = browse("steward").get(reverse("run-detail", args=[run.pk])).content.decode()
    assert "It took too long." in page
    assert "Step 1, Generalization" in page
    assert "fewer quasi-identifiers" in page


def test_charts_are_json_by_name(release: Release, browse: Browser) -> None:
    run = factories.make_succeeded_run(release)
    moved = factories.result("marginals", "utility", charts=[factories.RISK_CHART, factories.CHART])
    factories.rewrite(run, report={"measures": [moved]})
    page = browse("steward").get(f"{reverse('run-detail', args=[run.pk])}?tab=utility")
    pictures = [picture for _, drawn in page.context["readings"] for picture in drawn]
    assert pictures
    for picture in pictures:
        figure = browse("reviewer").get(picture.url).json()
        assert figure["data"]
        assert browse("outsider").get(picture.url).status_code == 404
    assert browse("steward").get(reverse("run-chart", args=[run.pk, "no-such-chart"])).status_code == 404


def test_internal_charts_are_for_those_who_may_look_into_the_data(release: Release, browse: Browser) -> None:
    run = factories.make_succeeded_run(release)
    moved = factories.result("marginals", "utility", charts=[factories.CHART])
    factories.rewrite(run, report={"measures": [moved]})
    run.refresh_from_db()
    internal = [slug for slug, chart in measures.charts(run.report).items() if chart.internal]
    assert internal
    for slug in internal:
        to = reverse("run-chart", args=[run.pk, slug])
        assert browse("reviewer").get(to).status_code == 200
        assert browse("admin").get(to).status_code == 403
    page = browse("admin").get(f"{reverse('run-detail', args=[run.pk])}?tab=utility")
    assert not [one for _, drawn in page.context["readings"] for one in drawn if "illness" in one["title"]]


def test_a_run_whose_measure_is_gone_or_needs_parameters_shows_its_pages(
    release: Release, browse: Browser
) -> None:
    run = factories.make_succeeded_run(release)
    wanted = ["*", "of-the-past", {"measure": "of-the-past", "params": {"column": "age"}}]
    found = factories.result("of-the-past", "attack", after={"share": 0.5}, charts=[factories.RISK_CHART])
    factories.rewrite(
        run, recipe={**run.recipe, "measures": wanted}, report={**run.report, "measures": [found]}
    )
    for tab in ("overview", "risk", "utility", "attack", "recipe", "files"):
        assert browse("steward").get(f"{reverse('run-detail', args=[run.pk])}?tab={tab}").status_code == 200
    page = browse("steward").get(f"{reverse('run-detail', args=[run.pk])}?tab=attack")
    ((reading, (picture,)),) = page.context["readings"]
    assert reading.slug == "of-the-past"
    assert browse("steward").get(picture.url).json()["data"]
    assert browse("steward").get(reverse("release-detail", args=[release.pk])).status_code == 200


def test_a_report_of_version_1_still_shows(release: Release, browse: Browser) -> None:
    stored = json.loads(REPORT_VERSION_1.read_text())
    run = factories.make_succeeded_run(release)
    factories.rewrite(run, report=stored)
    shown = {}
    for tab in ("risk", "utility"):
        page = browse("steward").get(f"{reverse('run-detail', args=[run.pk])}?tab={tab}")
        assert page.status_code == 200
        shown |= {reading.slug: (reading, pictures) for reading, pictures in page.context["readings"]}
    assert list(shown) == ["kept-columns", "reidentification", "marginals"]
    reading, pictures = shown["reidentification"]
    smallest = next(row for row in reading.rows if row.name == "smallest_class")
    before, after = (stored["risk"][side]["reidentification"] for side in ("before", "after"))
    assert (smallest.before, smallest.after) == (str(before["smallest_class"]), str(after["smallest_class"]))
    assert [one.title for one in pictures] == [
        "Rows by size of their class",
        "Share of rows at or above each risk",
    ]
    reading, pictures = shown["marginals"]
    assert {row[0] for row in reading.grids[0].rows} == set(stored["utility"]["marginals"]["columns"])
    assert [one.title for one in pictures] == ["How far each column moved"]
    names = list(stored["utility"]["marginals"]["columns"])
    for name in names:
        page = browse("steward").get(reverse("run-detail", args=[run.pk]), {"tab": "columns", "column": name})
        assert page.status_code == 200


def test_files_of_a_run_list_what_is_kept_beside(release: Release, browse: Browser) -> None:
    assert list(run_pages.WHAT_FOR) == list(KEPT)
    run = factories.make_succeeded_run(release)
    address = f"{reverse('run-detail', args=[run.pk])}?tab=recipe"
    assert "Kept sealed" not in browse("steward").get(address).content.decode()
    blobs = [factories.store(name.encode(), run.key, name) for name in KEPT]
    run.kept.set(blobs)
    page = browse("steward").get(address).content.decode()
    assert all(found in page for blob in blobs for found in (blob.purpose, blob.sha256))
    assert page.count("Kept sealed") == 2
    Blob.objects.forget(blobs[0])
    page = browse("steward").get(address).content.decode()
    assert (page.count("Kept sealed"), page.count("Destroyed")) == (1, 1)


def test_a_tab_that_is_not_there(release: Release, browse: Browser) -> None:
    run = factories.make_succeeded_run(release)
    assert browse("steward").get(f"{reverse('run-detail', args=[run.pk])}?tab=x").status_code == 404


@pytest.mark.parametrize(
    ("name", "beside"),
    [
        ("run-detail", "run 1"),
        ("run-assessments", "assessments of run 1"),
        ("run-explorer", "solutions of run 1"),
        ("run-compare", "runs 1 and 1"),
        ("release-submit", "submit run 1 for review"),
        ("assessment-detail", "assessment of run 1"),
    ],
)
def test_pages_about_a_run_lead_with_the_name_of_the_release(
    release: Release, browse: Browser, name: str, beside: str
) -> None:
    run = factories.make_succeeded_run(release)
    searched = {**run.report["steps"][0], "levels": {"age": 1}, "heights": {"age": 2}}
    factories.rewrite(run, report={**run.report, "steps": [searched]})
    about = {
        "run-compare": [run.pk, run.pk],
        "release-submit": [release.pk, run.pk],
        "assessment-detail": [factories.make_assessment(run).pk],
    }
    page = browse("steward").get(reverse(name, args=about.get(name, [run.pk]))).content.decode()
    heading = re.search(r"<h1>(.*?)</h1>", page, re.DOTALL)
    assert heading
    assert strip_tags(heading[1]).split()[: len(release.title.split())] == release.title.split()
    assert f'<span class="run-number">{beside}</span>' in heading[1]
