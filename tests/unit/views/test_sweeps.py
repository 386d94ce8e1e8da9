"""The pages of a sweep: counted before it begins, watched, proposed, cancelled."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from stewardapp.domain.sweeping import Varied
from stewardapp.models import Release, Run, Sweep
from tests import factories
from tests.factories import Team

pytestmark = pytest.mark.django_db
Browser = Callable[[str], Client]
GRID = {"goals-0-k": "3, 5, 7"}
KEPT = "marginals#44136fa3"


def useful(run: Run, moved: float, family: str = "truthful", smallest: int = 6) -> None:
    """The run has ended; so much was moved."""
    run = factories.succeed(run, smallest_class=smallest)
    run.figures["results"][KEPT] = {
        "measure": "marginals",
        "state": "measured",
        "reason": "",
        "idle": [],
        "figures": {"mean_total_variation": moved},
    }
    Run.objects.filter(pk=run.pk).update(figures={**run.figures, "family": family})


@pytest.fixture
def release(team: Team) -> Release:
    factories.revise_policy(team.project, team.admin, rows=factories.demands())
    return factories.make_release(team)


@pytest.fixture
def sweep(release: Release) -> Sweep:
    return factories.make_sweep(release, entries=[Varied("goals", 0, "k", (3, 5, 7))])


def text(client: Client, name: str, id: Any, **asked: str) -> str:
    answer = client.get(reverse(name, args=[id]), asked)
    assert answer.status_code == 200
    return answer.content.decode()


def test_the_number_of_runs_is_said_before_anything_starts(browse: Browser, release: Release) -> None:
    address, client = reverse("sweep-begin", args=[release.pk]), browse("steward")
    assert "Count the runs" in client.get(address).content.decode()
    counted = client.post(address, GRID).content.decode()
    assert "Start 3\u00a0runs" in counted
    assert "How long they take shows" in counted
    assert not Sweep.objects.exists()
    answer = client.post(address, {**GRID, "counted": "3"})
    sweep = Sweep.objects.get()
    assert answer["Location"] == reverse("sweep-detail", args=[sweep.pk])
    assert sweep.runs.count() == 3


def test_a_script_counts_while_somebody_types_and_never_begins(browse: Browser, release: Release) -> None:
    factories.make_succeeded_run(release)
    address, client = reverse("sweep-begin", args=[release.pk]), browse("steward")
    answer = client.post(address, {**GRID, "counted": "3"}, headers={"HX-Request": "true"})
    assert "<html" not in answer.content.decode()
    assert "one after another" in answer.content.decode()
    wrong = client.post(address, {"goals-0-k": "0, 5"}, headers={"HX-Request": "true"})
    assert "greater than or equal to" in wrong.content.decode()
    assert not Sweep.objects.exists()


def test_a_wrong_value_is_refused_on_the_page(browse: Browser, release: Release) -> None:
    answer = browse("steward").post(reverse("sweep-begin", args=[release.pk]), {"goals-0-k": "0 5"})
    assert answer.status_code == 422


def test_a_recipe_without_numbers_says_so(browse: Browser, team: Team) -> None:
    release = factories.make_release(team, recipe={"goals": [], "steps": []})
    assert "Nothing to vary" in text(browse("steward"), "sweep-begin", release.pk)


def test_the_page_fills_in_and_proposes(browse: Browser, sweep: Sweep) -> None:
    client = browse("reviewer")
    page = text(client, "sweep-detail", sweep.pk)
    assert f"sweep:{sweep.pk}" in page
    assert "0 of 3 runs" in page
    assert "Cancel all of it" in page
    first, second, third = sweep.runs.order_by("number")
    useful(first, 0.1, smallest=4)
    useful(second, 0.2)
    page = text(client, "sweep-progress", sweep.pk)
    assert "Proposed so far." in page
    useful(third, 0.3, family="perturbed")
    page = text(client, "sweep-detail", sweep.pk)
    assert "Proposed." in page
    assert f"Run {second.number} keeps most: mean total variation 20\u00a0%" in page
    assert f"run {first.number} keeps more" in page
    assert "smallest class is 4 (policy at least 5)" in page
    assert reverse("run-compare", args=[second.pk, third.pk]) in page
    assert "data-watch" not in page
    assert "Cancel all of it" not in page


def test_the_map_has_a_sign_for_each_family_and_leads_to_a_comparison(browse: Browser, sweep: Sweep) -> None:
    for run, family in zip(sweep.runs.order_by("number"), ("truthful", "perturbed", ""), strict=True):
        useful(run, 0.1 * run.number, family)
    drawn = json.loads(text(browse("steward"), "sweep-map", sweep.pk))
    signs = {one["name"]: one["marker"].get("symbol") for one in drawn["data"] if "text" in one}
    assert sorted(signs.values(), key=str) == [None, "circle", "diamond"]
    assert all(one["meta"]["href"] for one in drawn["data"] if one["name"] in signs)
    assert "Circles are runs whose rows are true, diamonds" in text(
        browse("steward"), "sweep-detail", sweep.pk
    )


def test_the_release_shows_its_sweeps_and_not_each_of_their_runs(browse: Browser, sweep: Sweep) -> None:
    page = text(browse("steward"), "release-detail", sweep.release_id)
    assert reverse("sweep-detail", args=[sweep.pk]) in page
    assert f"sweep:{sweep.pk}" in page
    run = sweep.runs.order_by("number")[0]
    assert reverse("run-detail", args=[run.pk]) not in page


def test_cancel_and_who_may(browse: Browser, sweep: Sweep) -> None:
    address = reverse("sweep-cancel", args=[sweep.pk])
    assert browse("reviewer").post(address).status_code == 403
    assert browse("analyst").post(address).status_code == 404
    assert browse("steward").post(address).status_code == 302
    assert set(sweep.runs.values_list("state", flat=True)) == {"cancelled"}


def test_a_grid_asks_no_more_of_the_database_when_it_is_larger(
    browse: Browser, release: Release, django_assert_max_num_queries: Any
) -> None:
    sweep = factories.make_sweep(release, entries=[Varied("goals", 0, "k", tuple(range(2, 14)))])
    for run in sweep.runs.order_by("number")[:8]:
        useful(run, 0.01 * run.number)
    client = browse("steward")
    with django_assert_max_num_queries(25):
        text(client, "sweep-detail", sweep.pk)
