"""The map of a release's runs: where they stand, what is allowed, which are best, where clicks lead."""

from __future__ import annotations

import json
import uuid
from types import SimpleNamespace
from typing import Any, Literal

import pytest
from django.urls import reverse

from stewardapp.presenters import utility_map
from stewardapp.presenters.charts import figure_json
from stewardapp.presenters.utility_map import Way, pareto
from tests import factories
from worker.engine.contracts.figure import Figure


@pytest.mark.django_db
def test_equal_runs_share_a_place_on_the_map() -> None:
    release = factories.make_release(factories.make_project())
    found = []
    for _ in range(2):
        run = factories.make_succeeded_run(release)
        moved = {"measure": "marginals", "state": "measured", "reason": "", "idle": []}
        run.figures["results"]["marginals#44136fa3"] = {**moved, "figures": {"mean_total_variation": 0.25}}
        found.append(run)
    chart = utility_map.chart(found, release.judged_by, {})
    (series,) = chart.series
    assert series.name == f"Runs {found[1].number}, {found[0].number}"
    assert (series.x, series.y) == ((1 / 6,), (0.25,))
    assert "policy" in figure_json(chart)
    asked = {"x": "marginals#44136fa3/mean_total_variation", "y": "reidentification#44136fa3/smallest_class"}
    turned = utility_map.chart(found, release.judged_by, asked)
    assert (turned.series[0].x, turned.series[0].y) == ((0.25,), (6.0,))
    assert turned.threshold is not None
    assert (turned.threshold.axis, turned.threshold.value) == ("y", 5)
    assert turned.region is not None
    assert (turned.region.x, turned.region.y) == (None, (5.0, 6.0))
    assert (turned.x.title, turned.y.scale) == ("mean total variation (lower is better)", "linear")
    nowhere = utility_map.chart(found, release.judged_by, {"x": "gone#1/none"})
    assert nowhere.series == chart.series
    shown = utility_map.choosable(found, release.judged_by, asked)
    assert [[one[0] for one in choices if one[2]] for _, _, choices in shown] == [[asked["x"]], [asked["y"]]]


def ways(*better: Literal["low", "high", "neither"]) -> Any:
    return tuple(Way("a#1", Figure(one, one.title(), "", unit="share", better=one), "risk") for one in better)


@pytest.mark.parametrize(
    ("better", "best"),
    [
        (("low", "high"), [(0.1, 0.5), (0.2, 0.8)]),
        (("high", "high"), [(0.4, 0.7), (0.2, 0.8)]),
        (("low", "low"), [(0.1, 0.5), (0.3, 0.2)]),
        (("low", "neither"), []),
    ],
)
def test_the_front_joins_what_no_other_run_beats_in_both(better: Any, best: list[Any]) -> None:
    places = [(0.1, 0.5), (0.2, 0.8), (0.3, 0.2), (0.4, 0.7), (0.2, 0.6)]
    for place in best:  # by brute force: nothing is at least as good in both and another place
        signs = [1 if way == "low" else -1 for way in better]
        beaten = [
            one
            for one in places
            if one != place and all(s * a <= s * b for s, a, b in zip(signs, one, place, strict=True))
        ]
        assert not beaten
    [*front] = pareto(ways(*better), places)
    assert [list(zip(one.x, one.y, strict=True)) for one in front] == ([best] if best else [])


def test_one_run_alone_has_no_front() -> None:
    assert pareto(ways("low", "high"), [(0.1, 0.5)]) == ()


@pytest.mark.django_db
def test_a_click_compares_with_the_candidate_or_the_newest_run() -> None:
    release = factories.make_release(factories.make_project())
    first, second = (factories.make_succeeded_run(release, smallest_class=size) for size in (5, 8))
    for run, moved in ((first, 0.1), (second, 0.3)):
        kept = {"measure": "marginals", "state": "measured", "reason": "", "idle": []}
        run.figures["results"]["marginals#44136fa3"] = {**kept, "figures": {"mean_total_variation": moved}}
    runs = [second, first]
    drawn = utility_map.chart(runs, release.judged_by, {})
    links = utility_map.links(runs, drawn, None)
    assert links["Run 1"] == reverse("run-compare", args=[second.pk, first.pk])
    assert links["Run 2"] == reverse("run-detail", args=[second.pk])
    assert utility_map.links(runs, drawn, first.pk)["Run 1"] == reverse("run-detail", args=[first.pk])
    figure = json.loads(figure_json(drawn, links))
    assert {one["name"]: one.get("meta") for one in figure["data"]}["Run 1"] == {"href": links["Run 1"]}
    assert [one["fillcolor"] for one in figure["layout"]["shapes"] if one["type"] == "rect"] == ["third"]
    front = next(one for one in figure["data"] if one["name"] == "best of both")
    assert front["mode"] == "lines"


def test_the_table_of_the_map_has_a_row_and_a_link_for_each_place() -> None:
    policy: Any = SimpleNamespace(demanded=())
    runs: list[Any] = [run_at(*one) for one in ((3, 0.1, 0.3), (2, 0.2, 0.2), (1, 0.1, 0.3), (4, 0.3, 0.4))]
    drawn = utility_map.chart(runs, policy, {})
    shown = utility_map.picture(runs, drawn, uuid.UUID(int=2), "/map/")
    assert shown.url == "/map/"
    assert shown.table.headers[1:] == (
        "Highest risk (lower is better)",
        "Mean total variation (lower is better)",
        "Best of both",
    )
    assert sorted(shown.table.rows) == [
        ("Run 2", "20\u00a0%", "20\u00a0%", "yes"),
        ("Run 4", "30\u00a0%", "40\u00a0%", "–"),
        ("Runs 1, 3", "10\u00a0%", "30\u00a0%", "yes"),
    ]
    assert shown.leads == utility_map.links(runs, drawn, uuid.UUID(int=2))
    assert set(shown.leads) == {row[0] for row in shown.table.rows}


def run_at(number: int, risk: float, moved: float) -> Any:
    """A run by what it is placed by; its number is its name in addresses, too."""
    found = {"reidentification": ("highest_risk", risk), "marginals": ("mean_total_variation", moved)}
    results = {
        f"{slug}#44136fa3": {"measure": slug, "state": "measured", "figures": {name: value}}
        for slug, (name, value) in found.items()
    }
    pk = uuid.UUID(int=number)
    return SimpleNamespace(number=number, state="succeeded", pk=pk, figures={"results": results})


def test_a_run_without_a_place_leads_nowhere() -> None:
    run: Any = SimpleNamespace(number=1, state="failed", pk="x", figures={})
    policy: Any = SimpleNamespace(demanded=())
    assert utility_map.links([run], utility_map.chart([run], policy, {}), None) == {}
