"""Every figure in which two runs differ, and which run has the better one."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from stewardapp.presenters.comparison import LEADING, apart, by_kind, leading, sections
from tests import factories
from worker.engine.contracts.figure import Figure


def run_of(*found: Any) -> Any:
    return SimpleNamespace(report={"measures": list(found)})


def test_all_that_differs_and_nothing_else() -> None:
    def sizes(smallest: int, above: float) -> Any:
        after = {"smallest_class": smallest, "classes": 9, "share_above": {"0.05": above, "0.2": 0.0}}
        return factories.result("reidentification", "risk", after=after)

    [found] = sections(run_of(sizes(5, 0.5)), run_of(sizes(8, 0.1)))
    assert found.title == "Re-identification"
    assert [(row.title, row.first, row.second, row.better) for row in found.rows] == [
        ("Smallest class", "5", "8", "second"),
        ("Share of rows above a risk, 5\u00a0%", "50\u00a0%", "10\u00a0%", "second"),
    ]
    assert sections(run_of(sizes(5, 0.5)), run_of(sizes(5, 0.5))) == []


def test_a_measure_of_one_run_alone_says_so() -> None:
    here = factories.result("marginals", "utility", after={"mean_total_variation": 0.5})
    idle = {**here, "state": "does-not-apply", "after": None}
    [found] = sections(run_of(here), run_of(idle))
    assert [(row.title, row.first, row.second) for row in found.rows] == [
        ("Measured", "yes", "does not apply"),
        ("Mean total variation", "50\u00a0%", "–"),
    ]
    [alone] = sections(run_of(), run_of(here))
    assert alone.rows[0].first == "not asked for"


def test_lower_is_better_where_the_figure_says_so() -> None:
    def moved(far: float) -> Any:
        return factories.result("marginals", "utility", after={"total_variation": {"age": far}})

    [found] = sections(run_of(moved(0.1)), run_of(moved(0.3)))
    assert [(row.title, row.better) for row in found.rows] == [("Total variation, age", "first")]


def test_two_runs_whose_data_are_gone_have_nothing_to_compare() -> None:
    assert sections(SimpleNamespace(report={}), SimpleNamespace(report={})) == []  # type: ignore[arg-type]


def test_figures_furthest_apart_stand_first_whatever_their_unit() -> None:
    def sizes(smallest: int, unique: float, classes: int | None) -> Any:
        after = {"smallest_class": smallest, "unique_share": unique, "classes": classes}
        return factories.result("reidentification", "risk", after=after | {"share_above": {"0.05": unique}})

    found = sections(run_of(sizes(5, 0.9, 4)), run_of(sizes(10, 0.1, None)))
    assert [(title, row.title, row.apart) for title, row in leading(found)] == [
        ("Re-identification", "Unique share", 0.8),
        ("Re-identification", "Smallest class", 0.5),
    ]
    assert len(found[0].rows) == 4
    assert len(leading(found * 20)) == LEADING


def test_the_rest_is_folded_by_what_the_measures_tell() -> None:
    here = factories.result("marginals", "utility", after={"mean_total_variation": 0.5})
    risk = factories.result("reidentification", "risk", after={"smallest_class": 5})
    kinds = by_kind(sections(run_of(), run_of(here, risk)))
    assert {kind: [one.title for one in found] for kind, found in kinds.items()} == {
        "Utility": ["Marginals"],
        "Risk": ["Re-identification"],
    }


def test_yes_and_no_are_no_distance() -> None:
    answer = Figure("answer", "Answer", "", unit="words")
    assert apart(answer, True, False) is None
    assert apart(Figure("count", "Count", "", unit="count"), -5, 5) == 1.0
