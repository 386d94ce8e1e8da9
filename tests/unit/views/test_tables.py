"""Releases that are tables with noise: results, candidate, publication, and the figures before a run."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from stewardapp.access.workflow import Audience, State
from stewardapp.actions import releases
from stewardapp.domain.manifest import public_part
from stewardapp.models import Artifact, Release, Run
from stewardapp.presenters import tables
from stewardapp.presenters.numbers import thousands
from tests import factories
from tests.factories import Team
from tests.markup import readable

pytestmark = pytest.mark.django_db
Browser = Callable[[str], Client]
STEP = {"method": "dp-histogram", "params": {"columns": ["zip"], "epsilon": 0.5}}


def candidate(team: Team, *, audience: Audience = Audience.PROJECT) -> tuple[Release, Run]:
    """A table under review."""
    release = factories.make_release(team, audience=audience)
    run = factories.make_table_run(release)
    return releases.submit(release=release, run=run, by=team.steward), run


def published(team: Team) -> Release:
    release, _ = candidate(team, audience=Audience.PUBLIC_LINK)
    release = factories.vote(team, release, "approve")
    return releases.publish(release=release, manifest_sha256=release.candidate_sha256, by=team.steward)


def test_the_results_show_the_histogram_and_inside_the_true_counts(team: Team, browse: Browser) -> None:
    run = factories.make_table_run(factories.make_release(team))
    page = browse("steward").get(reverse("run-detail", args=[run.pk]))
    text = page.content.decode()
    assert "± 6" in text
    assert "Every count is a true count plus noise." in text
    assert "rows suppressed" not in text
    assert thousands(4711) in text
    for picture in page.context["pictures"]:
        drawn = browse("reviewer").get(picture.url).json()
        assert drawn["data"]
        assert browse("admin").get(picture.url).status_code == 403
    assert drawn["data"][0]["y"] == [4711, 0, 5, 1]
    page = browse("admin").get(reverse("run-detail", args=[run.pk]))
    assert "4711" not in readable(page.content.decode())


def test_whiskers_are_the_stated_errors(team: Team, browse: Browser) -> None:
    run = factories.make_table_run(factories.make_release(team))
    figure = browse("steward").get(reverse("run-chart", args=[run.pk, "released-table"])).json()
    assert [trace["name"] for trace in figure["data"]] == ["a", "b"]
    assert figure["data"][0]["y"] == [12, 7]
    assert figure["data"][0]["error_y"]["array"] == [6, 6]


def test_reviewers_see_the_table_as_it_would_be_published(team: Team, browse: Browser) -> None:
    release, _ = candidate(team)
    text = browse("reviewer").get(reverse("review-detail", args=[release.pk])).content.decode()
    assert "error95" in text
    assert "Every count is a true count plus noise." in text
    assert "4711" not in readable(text)


def test_the_publication_shows_its_figures_and_nothing_of_the_input(team: Team, browse: Browser) -> None:
    release = published(team)
    for client in (browse("outsider"), Client()):
        text = client.get(reverse("catalogue-detail", args=[release.public_id])).content.decode()
        assert "Every count is a true count plus noise." in text
        assert "half-width of the 95 % interval" in text
        figure = client.get(reverse("catalogue-chart", args=[release.public_id])).json()
        assert figure["data"][0]["y"] == [12, 7]
        manifest = client.get(reverse("catalogue-manifest", args=[release.public_id])).json()
        told = (str(manifest) + text).replace("<input", "")
        assert "4711" not in readable(told)
        for hidden in ("ab" * 32, "plan_seconds", "input", "0.123"):
            assert hidden not in told
        assert manifest["table"]["steps"][0]["error95"] == 6
        assert "risk" not in manifest


def test_what_is_revoked_is_not_drawn(team: Team, browse: Browser) -> None:
    release = releases.revoke(release=published(team), notice="A mistake was found.", by=team.steward)
    address = reverse("catalogue-chart", args=[release.public_id])
    assert browse("analyst").get(address).status_code == 404
    assert browse("analyst").get(reverse("catalogue-detail", args=[release.public_id])).status_code == 200
    assert Client().get(reverse("catalogue-chart", args=[published(team).pk])).status_code == 302


def test_other_bytes_are_not_drawn(team: Team, browse: Browser) -> None:
    release, run = candidate(team)
    artifact = run.artifacts.get(name="table.csv")
    swapped = factories.store(b"zip,count,error95\n1,99,6\n", run.key, "swapped")
    Artifact.objects.filter(pk=artifact.pk).update(blob=swapped)
    for name, args in (("run-detail", [run.pk]), ("review-detail", [release.pk])):
        text = browse("reviewer").get(reverse(name, args=args)).content.decode()
        assert "Damaged" in text
        assert "<td>99" not in text
    assert browse("reviewer").get(reverse("run-chart", args=[run.pk, "released-table"])).status_code == 404


def test_a_table_without_counts_has_no_chart(team: Team, browse: Browser) -> None:
    run = factories.make_table_run(factories.make_release(team), content=b"zip,age\n1,2\n")
    assert browse("steward").get(reverse("run-detail", args=[run.pk])).context["pictures"] == []


def test_the_public_part_of_a_manifest_is_an_allow_list(team: Team) -> None:
    run = factories.make_table_run(factories.make_release(team))
    run.refresh_from_db()
    known = {"version", "public_id", "microdata", "recipe_sha256", "engine_version", "goals", "privacy_loss"}
    assert set(public_part(run.manifest)) == known | {"table", "artifacts"}
    assert set(public_part(run.manifest | {"secret": 1})) == known | {"table", "artifacts"}


def configured(team: Team, browse: Browser, do: str | None = None, **params: Any) -> str:
    """The configuration page of a release with one histogram, or after one of its buttons."""
    release = factories.make_release(team)
    to = reverse("release-configure", args=[release.pk])
    if do is None:
        factories.rewrite(release, recipe={"goals": [], "steps": [{**STEP, "params": params}]})
        return browse("steward").get(to).content.decode()
    sent = {"item": "step:k:dp-histogram", "do": do, "revision": str(release.revision)}
    sent |= {f"k-{name}": value for name, value in params.items()}
    return browse("steward").post(to, sent).content.decode()


SENT = {
    "columns": "zip",
    "rows_per_person": "1",
    "mechanism": "laplace",
    "shape": "cells",
    "fan_out": "4",
    "outside": "leave-out",
    "round_to": "1",
    "delta": "0",
}


def test_errors_are_shown_before_anything_is_spent(
    team: Team, browse: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    from stewardapp.reads import drafts

    whole = drafts.recipe_of

    def declaring(release: Release, columns: Any) -> Any:
        recipe: Any = whole(release, columns)
        recipe["columns"]["zip"]["categories"] = ["1", "2"]
        return recipe

    monkeypatch.setattr(drafts, "recipe_of", declaring)
    stored = configured(team, browse, columns=["zip"], epsilon=0.5)
    assert "± 6" in stored
    assert "data-log-slider" in stored
    looked = configured(team, browse, "look", **SENT, epsilon="0.05")
    assert "± 60" in looked
    assert "Show what this gives" in looked
    assert "Fill in the fields" in configured(team, browse, "look", **SENT, epsilon="-1")
    assert Run.objects.count() == 0


def test_what_is_not_declared_is_asked_for(team: Team, browse: Browser) -> None:
    assert "Declare the categories" in configured(team, browse, columns=["zip"], epsilon=0.5)


def test_only_drafts_are_asked_what_they_give(team: Team, browse: Browser) -> None:
    release = factories.make_release(team, state=State.IN_REVIEW)
    answer = browse("steward").post(reverse("release-configure", args=[release.pk]), {"do": "look"})
    assert answer.status_code == 403


def cells(number: int) -> list[dict[str, str]]:
    return [{"zip": f"z{at}", "count": "3", "error95": "2"} for at in range(number)]


def test_a_chart_shows_every_cell_and_says_plainly_when_it_is_a_part() -> None:
    whole = tables.histogram(cells(250))
    assert len(whole.series[0].x) == 250
    assert "Scroll it sideways to see all 250 cells" in whole.note
    assert "sideways" not in tables.histogram(cells(20)).note
    part = tables.histogram(cells(700))
    assert len(part.series[0].x) == 600
    assert "a part: the first 600 of 700 cells" in part.note
    assert "of many more cells" in tables.histogram(cells(tables.READ_ROWS)).note
