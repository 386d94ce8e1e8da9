"""The solution explorer: nodes, another choice, comparing; and runs without a solution."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from stewardapp.models import Bookmark, Exploration, Run
from stewardapp.presenters.explorer import DRAWN
from tests import factories
from tests.factories import Team

pytestmark = pytest.mark.django_db
Browser = Callable[[str], Client]


def searched(run: Run, heights: dict[str, int], chosen: dict[str, int]) -> Run:
    """The run as if its search had looked at every node: feasible from two levels up."""
    nodes = list(itertools.product(*(range(high + 1) for high in heights.values())))
    step = {
        **run.report["steps"][0],
        "levels": chosen,
        "heights": heights,
        "nodes": len(nodes),
        "minimal_nodes": [dict(zip(heights, node, strict=True)) for node in nodes if sum(node) == 2],
        "explored": [
            {
                "levels": dict(zip(heights, node, strict=True)),
                "feasible": sum(node) >= 2,
                "suppressed_rows": max(0, 6 - sum(node)),
                "score": sum(node) / 10 if sum(node) >= 2 else None,
            }
            for node in nodes[:2000]
        ],
    }
    run.report = {**run.report, "steps": [step]}
    factories.rewrite(run, report=run.report)
    return run


@pytest.fixture
def run(team: Team) -> Run:
    made = factories.make_succeeded_run(factories.make_release(team))
    return searched(made, {"age": 3, "zip": 2}, {"age": 1, "zip": 1})


def explorer(run: Run) -> str:
    return reverse("run-explorer", args=[run.pk])


def test_the_whole_of_a_small_lattice_is_drawn_with_its_states(run: Run, browse: Browser) -> None:
    page = browse("steward").get(explorer(run))
    drawing = page.context["drawing"]
    assert len(drawing.dots) == 12
    assert len(drawing.edges) == 3 * 3 + 2 * 4
    states = {dot.point.key: dot.point.state for dot in drawing.dots}
    assert (states["1-1"], states["2-0"], states["0-0"], states["3-2"]) == (
        "chosen",
        "minimal",
        "infeasible",
        "feasible",
    )
    assert "Chosen: age 1, zip 1." in page.content.decode()
    assert (
        reverse("run-explorer", args=[run.pk])
        in browse("steward").get(reverse("run-detail", args=[run.pk])).content.decode()
    )


@pytest.fixture
def unlisted(team: Team) -> Run:
    """A run that kept what its search chose and nothing else."""
    run = searched(
        factories.make_succeeded_run(factories.make_release(team)), {"age": 3, "zip": 2}, {"age": 1, "zip": 1}
    )
    run.report["steps"][0] |= {"minimal_nodes": [], "explored": [], "not_listed": "Nobody asked."}
    factories.rewrite(run, report=run.report)
    return run


LISTED = {
    **factories.EXPLORED,
    "minimal_nodes": [{"age": 2, "zip": 0}],
    "explored": [{"levels": {"age": 3, "zip": 2}, "feasible": True, "suppressed_rows": 0, "score": 0.9}],
}


def test_combinations_are_listed_when_somebody_asks(unlisted: Run, browse: Browser) -> None:
    client = browse("reviewer")
    page = client.get(explorer(unlisted))
    assert {point.state for point in page.context["points"]} == {"chosen", "unknown"}
    assert "List all combinations" in page.content.decode()
    answer = client.post(reverse("run-explore", args=[unlisted.pk]))
    assert answer.headers["Location"] == explorer(unlisted)
    exploration = unlisted.explorations.get()
    waiting = client.get(explorer(unlisted)).content.decode()
    assert f"exploration:{exploration.pk}" in waiting
    assert "List all combinations" not in waiting
    assert client.post(reverse("run-explore", args=[unlisted.pk])).status_code == 409
    looking = client.get(explorer(unlisted), headers={"HX-Request": "true"})
    assert "List all" not in looking.content.decode()
    assert looking.status_code == 200


def test_a_list_that_was_made_stands_in_the_page(unlisted: Run, browse: Browser) -> None:
    factories.make_exploration(unlisted, steps=[LISTED])
    page = browse("steward").get(explorer(unlisted))
    states = {point.key: point.state for point in page.context["points"]}
    assert (states["1-1"], states["2-0"], states["3-2"]) == ("chosen", "minimal", "feasible")
    assert "List all combinations" not in page.content.decode()
    ended = browse("steward").get(explorer(unlisted), headers={"HX-Request": "true"})
    assert ended.headers["HX-Refresh"] == "true"


def test_a_list_that_failed_says_why_and_may_be_asked_for_again(unlisted: Run, browse: Browser) -> None:
    exploration = factories.make_exploration(unlisted, done=False)
    fence = Exploration.objects.claim(exploration.pk, "w", 60)
    assert fence is not None
    Exploration.objects.fail(exploration.pk, fence, code="memory", message="It needs more memory.")
    page = browse("steward").get(explorer(unlisted)).content.decode()
    assert "It needs more memory." in page
    assert "List all combinations" in page
    assert factories.make_exploration(unlisted).pk != exploration.pk


def test_risk_and_utility_stand_beside_the_score(unlisted: Run, browse: Browser) -> None:
    rated = {**LISTED["explored"][0], "levels": {"age": 2, "zip": 1}, "classes": 2, "smallest_class": 4}
    rated["in_classes"] = 10  # persons: some have more than one of the twelve rows
    unlisted.report["input"] = {**unlisted.report["input"], "rows": 12}
    factories.rewrite(unlisted, report=unlisted.report)
    half = {
        **rated,
        "suppressed_rows": 3,
        "levels": {"age": 3, "zip": 1},
        "smallest_class": None,
        "classes": 0,
    }
    uncounted = {**LISTED["explored"][0], "levels": {"age": 1, "zip": 2}, "suppressed_rows": None}
    listed = [rated, half, uncounted, *LISTED["explored"]]
    factories.make_exploration(unlisted, steps=[{**LISTED, "explored": listed}])
    page = browse("steward").get(explorer(unlisted), {"node": "2-1"})
    points = {one.key: one for one in page.context["points"]}
    best, other, unrated = points["2-1"], points["3-1"], points["3-2"]
    assert (best.risk_words, best.mean_risk_words) == ("25\u00a0%", "20\u00a0%")
    assert best.kept == pytest.approx(1 - (2 / 3 + 1 / 2) / 2)
    assert (other.risk_words, other.kept) == ("–", pytest.approx((1 - (1 + 1 / 2) / 2) * 9 / 12))
    assert (unrated.risk_words, unrated.mean_risk_words, unrated.kept) == ("–", "–", 0)
    assert points["1-1"].kept is points["1-2"].kept is None
    assert "highest risk 25\u00a0%" in page.content.decode()
    assert "<dt>Highest risk</dt>" in page.content.decode()


def test_levels_of_a_column_filter_the_nodes(run: Run, browse: Browser) -> None:
    page = browse("steward").get(explorer(run), {"c0": "3", "node": "3-0"})
    assert {one.node for one in page.context["points"]} == {(3, 0), (3, 1), (3, 2)}
    assert page.context["point"].node == (3, 0)


def test_a_large_lattice_is_seen_along_two_columns(team: Team, browse: Browser) -> None:
    made = factories.make_succeeded_run(factories.make_release(team))
    run = searched(made, {"age": 9, "zip": 5, "sex": 4}, {"age": 1, "zip": 1, "sex": 0})
    assert DRAWN < 10 * 6 * 5
    page = browse("steward").get(explorer(run), {"x": "sex", "y": "zip"})
    seen = page.context["projection"]
    assert (seen.across, seen.down, len(seen.lines), len(seen.heads)) == ("sex", "zip", 6, 5)
    assert seen.lines[1][1][0].state == "chosen"


def test_choosing_a_node_makes_a_run_with_its_levels(run: Run, browse: Browser) -> None:
    client = browse("steward")
    answer = client.post(reverse("run-choose", args=[run.pk]), {"step": "0", "node": "2-0"})
    made = Run.objects.exclude(pk=run.pk).get()
    assert answer.headers["Location"] == reverse("run-compare", args=[run.pk, made.pk])
    assert made.recipe["steps"][0]["params"]["levels"] == {"age": [2, 2], "zip": [0, 0]}
    assert client.get(answer.headers["Location"]).context["after"] == made


def test_two_runs_are_compared_in_recipe_and_figures(run: Run, browse: Browser) -> None:
    other = factories.make_succeeded_run(run.release, smallest_class=9)
    page = browse("steward").get(reverse("run-compare", args=[run.pk, other.pk]))
    assert "Smallest class" in [change.what for change in page.context["changes"]]


def test_two_runs_say_when_their_rows_stand_in_another_order(run: Run, browse: Browser) -> None:
    same = factories.make_succeeded_run(run.release)
    moved = factories.make_succeeded_run(run.release, content=b"age;zip\n30;1\n")
    waiting = factories.make_run(run.release)
    for other, told in ((same, False), (moved, True), (waiting, False)):
        page = browse("steward").get(reverse("run-compare", args=[run.pk, other.pk])).content.decode()
        assert ("Rows in another order." in page) is told


def test_runs_of_two_releases_are_not_compared(team: Team, run: Run, browse: Browser) -> None:
    other = factories.make_succeeded_run(factories.make_release(team))
    assert browse("steward").get(reverse("run-compare", args=[run.pk, other.pk])).status_code == 404


@pytest.mark.parametrize("node", ["", "9-9", "1", "a-b", "1-1-1"])
def test_a_node_that_is_none_is_not_run(run: Run, browse: Browser, node: str) -> None:
    answer = browse("steward").post(reverse("run-choose", args=[run.pk]), {"step": "0", "node": node})
    assert answer.status_code == 404
    assert Run.objects.count() == 1


@pytest.mark.parametrize(
    ("persona", "seen", "chosen"),
    [
        ("steward", 200, 302),
        ("co_steward", 200, 302),
        ("reviewer", 200, 403),
        ("admin", 200, 403),
        ("analyst", 404, 404),
        ("outsider", 404, 404),
    ],
)
def test_who_may_look_and_who_may_choose(
    run: Run, browse: Browser, persona: str, seen: int, chosen: int
) -> None:
    client = browse(persona)
    assert client.get(explorer(run)).status_code == seen
    assert client.get(reverse("run-compare", args=[run.pk, run.pk])).status_code == seen
    sent: dict[str, Any] = {"step": "0", "node": "2-0"}
    assert client.post(reverse("run-choose", args=[run.pk]), sent).status_code == chosen


def test_a_run_that_searched_nothing_has_nothing_to_explore(team: Team, browse: Browser) -> None:
    run = factories.make_run(factories.make_release(team))
    assert browse("steward").get(explorer(run)).status_code == 404


def test_a_run_without_a_solution_names_the_goal_in_the_way(team: Team, browse: Browser) -> None:
    run = factories.make_run(factories.make_release(team))
    fence = Run.objects.claim(run.pk, "w", 60)
    assert fence is not None
    message = "A share of 0.04 would do."
    mends = [
        {"part": "step", "at": None, "param": "suppression_limit", "value": 0.04},
        {"part": "goal", "at": 0, "param": "k", "value": 3},
        {"part": "goal", "at": 0, "param": "forgotten", "value": 3},
    ]
    said = {"code": "no-solution", "message": message, "param": "goals[0]", "step": 0, "mends": mends}
    Run.objects.fail(run.pk, fence, **said)
    client, to = browse("steward"), reverse("run-mend", args=[run.pk])
    page = client.get(reverse("run-detail", args=[run.pk])).content.decode()
    assert re.search(r"k-anonymity: k, <b>3</b> instead of 5", page)
    assert re.search(r"limit, <b>0.04</b> instead of", page)
    assert [client.post(to, {"mend": one}).status_code for one in ("", "2", "x")] == [404, 404, 404]
    assert browse("reviewer").post(to, {"mend": "1"}).status_code == 403
    for mend, place in (("1", ("goals", "k", 3)), ("0", ("steps", "suppression_limit", 0.04))):
        answer = client.post(to, {"mend": mend})
        made = Run.objects.get(number=run.number + 1 + (mend == "0"))
        assert answer.headers["Location"] == reverse("run-compare", args=[run.pk, made.pk])
        assert made.recipe[place[0]][0]["params"][place[1]] == place[2]
        assert client.get(answer.headers["Location"]).status_code == 200
    assert "No solution" in page
    assert "Goal 1:" in page
    assert "Every class of equal quasi-identifiers holds at least 5" in page
    assert message in page


def test_a_search_that_ended_early_calls_nothing_optimal(team: Team, browse: Browser) -> None:
    run = searched(
        factories.make_succeeded_run(factories.make_release(team)), {"age": 5, "zip": 4}, {"age": 3, "zip": 2}
    )
    states = [point.state for point in browse("steward").get(explorer(run)).context["points"]]
    assert "optimal" in states
    run.report["steps"][0] |= {"optimal": False, "nodes_checked": 12}
    factories.rewrite(run, report=run.report)
    page = browse("steward").get(explorer(run))
    assert "optimal" not in [point.state for point in page.context["points"]]
    assert "Not proven to be the best." in page.content.decode()
    assert "after 12 of 30 combinations" in page.content.decode()


def test_bookmarked_combinations_stand_side_by_side_with_their_notes(run: Run, browse: Browser) -> None:
    client, bookmark = browse("steward"), reverse("run-bookmark", args=[run.pk])
    assert b"side by side" not in client.get(explorer(run)).content
    sends = {"step": "0", "node": "2-0", "note": "Keeps the postcode."}
    page = client.post(bookmark, sends, follow=True)
    client.post(bookmark, {**sends, "node": "1-1"})
    assert page.context["point"].key == "2-0"
    page = client.get(explorer(run), {"node": "2-0"})
    assert b"Bookmarked, side by side" in page.content
    assert page.content.count(b"Keeps the postcode.") == 3  # twice in the table, once to be changed
    assert b"Change the note" in page.content
    assert client.post(bookmark, {**sends, "node": "9-9"}).status_code == 404
    long = client.post(bookmark, {**sends, "note": "x" * 501}, follow=True)
    assert b"longer than 500" in long.content
    first = Bookmark.objects.get(node="2-0")
    remove = reverse("bookmark-remove", args=[first.pk])
    assert browse("admin").post(remove).status_code == 403
    page = client.post(remove, follow=True)
    assert [one.bookmark.node for one in page.context["shelf"].kept] == ["1-1"]
    assert b"Remove the bookmark" not in browse("admin").get(explorer(run)).content
