"""What a step tells analysts stands on the pages of the team, in the catalogue and in a published file."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from django.test import Client
from django.urls import reverse

from stewardapp import storage
from stewardapp.actions import columns, releases
from stewardapp.models import Release, Run, Version
from tests import factories
from tests.factories import Team
from worker.queue import runner

pytestmark = pytest.mark.django_db
Browser = Callable[[str], Client]
STEPS = [
    {"method": "pram", "params": {"column": "illness", "keep": 0.75, "categories": ["cold", "flu"]}},
    {"method": "rounding", "params": {"column": "zip", "base": 10}},
]
ROLES = {"illness": "sensitive", "zip": "other", "sex": "quasi-identifier"}


@pytest.fixture
def run(survey: Version, team: Team) -> Run:
    """A run that an engine really did."""
    columns.tag(version=survey, roles=ROLES, by=team.steward)
    columns.describe(version=survey, name="illness", label="Last | illness", by=team.steward)
    columns.describe(version=survey, name="zip", kind="integer", by=team.steward)
    release = releases.create(
        version=survey, title="Ill", purpose="To study.", recipe={"steps": STEPS}, by=team.steward
    )
    made = factories.make_run(release)
    runner.perform("run", str(made.pk))
    made.refresh_from_db()
    assert made.state == "succeeded", made.error_message
    return made


def published(run: Run, team: Team) -> Release:
    factories.revise_policy(team.project, team.admin, rows=factories.demands(k=1, risk="1"))
    release = releases.submit(release=run.release, run=run, by=team.steward)
    release = factories.vote(team, release, "approve")
    return releases.publish(release=release, manifest_sha256=release.candidate_sha256, by=team.steward)


def test_the_codebook_is_one_of_the_published_files(run: Run) -> None:
    artifact = run.artifacts.get(name="codebook.md")
    assert artifact.public
    listed = {entry["name"]: entry["sha256"] for entry in run.manifest["artifacts"]}
    assert listed["codebook.md"] == artifact.sha256
    with storage.reading(artifact.blob) as stored:
        text = stored.read().decode()
    assert "| illness | Last \\| illness | categorical |" in text
    assert "Transition matrix P of illness" in text
    assert "Subtract" not in text


def test_the_catalogue_lists_what_the_columns_hold(run: Run, team: Team, browse: Browser) -> None:
    release = published(run, team)
    page = browse("analyst").get(reverse("catalogue-detail", args=[release.public_id])).content.decode()
    text = " ".join(page.split())
    assert "<td> cold · flu </td>" in text
    assert "<td> F · M </td>" in text
    assert "Last | illness" in text
    assert "known without the data" in text
    assert run.report["output"]["categories"] == {"illness": ["cold", "flu"], "sex": ["F", "M"]}
    assert run.report["output"]["stands_for"] == {}


def test_values_are_listed_only_for_those_who_may_have_the_file(
    run: Run, team: Team, browse: Browser
) -> None:
    release = published(run, team)
    releases.revoke(release=release, notice="A mistake.", by=team.steward)
    answer = browse("steward").get(reverse("catalogue-detail", args=[release.public_id]))
    assert not any(line.values or line.stands_for for line in answer.context["codebook"])


def test_a_long_list_is_folded(run: Run, team: Team, browse: Browser) -> None:
    release, many = published(run, team), [f"town {number}" for number in range(13)]
    report = run.report | {"output": run.report["output"] | {"categories": {"sex": many}}}
    Run.objects.filter(pk=run.pk).update(**run.sealed(report=report))
    page = browse("analyst").get(reverse("catalogue-detail", args=[release.public_id])).content.decode()
    assert "<summary>13\u00a0values</summary>" in page
    assert "town 12" in page


def test_the_team_reads_it_beside_the_recipe(run: Run, browse: Browser) -> None:
    page = browse("steward").get(reverse("run-detail", args=[run.pk]) + "?tab=recipe").content.decode()
    chart = reverse("run-chart", args=[run.pk, "step-1/matrix-illness"])
    assert "Released frequencies λ are biased" in page
    assert chart in page
    drawn = json.loads(browse("reviewer").get(chart).content)
    assert drawn["data"][0]["type"] == "heatmap"
    assert drawn["data"][0]["z"] == [[0.75, 0.25], [0.25, 0.75]]


def test_reviewer_and_analyst_are_told_how_to_work_with_it(run: Run, team: Team, browse: Browser) -> None:
    release = published(run, team)
    review = browse("reviewer").get(reverse("review-detail", args=[release.pk])).content.decode()
    shown = browse("analyst").get(reverse("catalogue-detail", args=[release.public_id]))
    for page in (review, shown.content.decode()):
        assert "multiply the dimension of this column by P⁻¹" in page
        assert "Estimated original ±" in page
        assert "Round" in page
    assert b"/runs/" not in shown.content  # an analyst cannot open the run, so nothing leads there
    artifact = run.artifacts.get(name="codebook.md")
    answer = browse("analyst").get(reverse("artifact-download", args=[artifact.pk]))
    assert answer["Content-Type"].startswith("text/markdown")
    assert b"# Codebook" in b"".join(answer.streaming_content)  # type: ignore[attr-defined]


def test_a_recipe_that_this_engine_does_not_know_shows_no_notes(run: Run, browse: Browser) -> None:
    recipe = {**run.recipe, "steps": [{"method": "of-the-future", "params": {}}]}
    factories.rewrite(run, recipe=recipe)
    page = browse("steward").get(reverse("run-detail", args=[run.pk]) + "?tab=recipe")
    assert page.status_code == 200
    assert page.context["step_notes"] == []
    assert (
        browse("steward").get(reverse("run-chart", args=[run.pk, "step-1/matrix-illness"])).status_code == 404
    )
