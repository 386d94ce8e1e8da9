"""What the results page says follows from report, manifest and policy."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from stewardapp.models import Run
from stewardapp.presenters import (
    candidates,
    measures,
    recipes,
    results,
    run_pages,
    verdict_line,
)
from stewardapp.presenters.numbers import thousands
from tests import factories

NO_BREAK = "\u00a0"
SIZES: dict[str, Any] = {"smallest_class": 1, "share_above": {"0.2": 0.25, "0.5": 0.106}}
MOVED: dict[str, Any] = {
    "mean_total_variation": 0.25,
    "total_variation": {"age": 0.5, "sex": 0.0},
    "earth_mover": {"age": 2.5},
    "missing": {"age": 3, "sex": 0},
}
REPORT: dict[str, Any] = {
    "measures": [
        factories.result(
            "reidentification",
            "risk",
            before=SIZES,
            after={"smallest_class": 5, "share_above": {"0.2": 0.0, "0.5": 0.0}},
        ),
        factories.result("marginals", "utility", before={"missing": {"age": 1, "sex": 0}}, after=MOVED),
    ]
}


def test_figures_stand_before_and_after_with_how_to_read_them() -> None:
    (reading,) = measures.readings(REPORT, "risk")
    (row,) = reading.rows
    assert (row.before, row.after) == ("1", "5")
    told = measures.figure_of("reidentification", "smallest_class")
    assert (row.help.definition, row.help.usual) == (told.explanation, "at least 3")
    assert (
        row.help.example == f"picking one of 5 is right with a chance of {thousands(5)}" or row.help.example
    )
    assert row.better == "↑ higher is better"
    (grid,) = reading.grids
    assert [head for head, _ in grid.headers] == ["", "Before", "After"]
    assert [one[0] for one in grid.rows] == [f"20{NO_BREAK}%", f"50{NO_BREAK}%"]
    assert grid.rows[0][1:] == (f"25{NO_BREAK}%", f"0{NO_BREAK}%")


def test_figures_per_column_are_one_table() -> None:
    (reading,) = measures.readings(REPORT, "utility")
    assert reading.compared
    (grid,) = reading.grids
    heads = ["", "Total variation", "Earth mover", "Missing, before", "Missing, after"]
    assert [head for head, _ in grid.headers] == heads
    assert grid.rows == (("age", f"50{NO_BREAK}%", "2.5", "1", "3"), ("sex", f"0{NO_BREAK}%", "–", "0", "0"))


def test_what_was_not_measured_says_why() -> None:
    entry = factories.result("marginals", "utility", state="failed", reason="It stopped.")
    (reading,) = measures.readings({"measures": [entry]}, "utility")
    assert (reading.state, reading.reason) == ("Not measured", "It stopped.")
    assert not reading.rows
    assert not reading.charts


def test_a_measure_this_installation_does_not_know_still_shows_what_it_found() -> None:
    found = {"share_found": 0.5, "by_part": {"a": 1}, "sure": True}
    entry = factories.result("from-the-future", "risk", after=found, params={"some_columns": ["a", "b"]})
    (reading,) = measures.readings({"measures": [entry]}, "risk")
    assert (reading.title, reading.known) == ("From the future", False)
    assert reading.params == (("Some columns", "a, b"),)
    assert [(row.label, row.after) for row in reading.rows] == [("Share found", "0.5"), ("Sure", "yes")]
    assert reading.grids[0].rows == (("a", "1"),)


def test_charts_stand_under_the_instance_they_belong_to() -> None:
    chart = factories.RISK_CHART
    twice = [
        factories.result("marginals", "utility", id=f"marginals#{digit * 8}", charts=[chart])
        for digit in "ab"
    ]
    assert list(measures.charts({"measures": twice})) == [
        "marginals#aaaaaaaa/risk-per-row",
        "marginals#bbbbbbbb/risk-per-row",
    ]


def test_a_recipe_in_one_line_says_what_is_not_the_default() -> None:
    recipe = {
        "goals": [{"goal": "k-anonymity", "params": {"k": 7, "missing": "own"}}],
        "steps": [{"method": "generalization", "params": {"drop_suppressed": True}}, {"method": "gone"}],
    }
    line = recipes.short(recipe)
    assert "k 7" in line
    assert "own" not in line
    assert line.endswith("· gone")
    assert recipes.short({}) == "no goal and no step"


def test_changes_name_what_differs_and_no_value_of_a_hierarchy() -> None:
    before = {"columns": {"zip": {"role": "other", "hierarchy": ["12345;1234*;*"]}}, "goals": []}
    after = {"columns": {"zip": {"role": "other", "hierarchy": {"builder": "tree", "tree": {"x": "secret"}}}}}
    (change,) = recipes.changes(before, after)
    assert change.what == "Column zip: hierarchy"
    assert "12345" not in change.before
    assert "secret" not in change.after


def test_what_a_search_was_not_asked_for_is_no_fact_of_it() -> None:
    searched = {"method": "generalization", "nodes": 4, "minimal_nodes": [], "minimal_complete": False}
    listed = {name for name, _ in run_pages.step_facts(searched).facts}
    unasked = {name for name, _ in run_pages.step_facts({**searched, "not_listed": "Nobody asked."}).facts}
    assert len(listed) - len(unasked) == 2
    assert len(unasked) == 1


def test_decisions_of_a_step_are_words() -> None:
    facts = run_pages.step_facts({"method": "generalization", "levels": {"age": 2}, "optimal": True})
    assert facts.facts == [("Levels", "age: 2"), ("Optimal", "yes")]


@pytest.mark.django_db
def test_a_search_that_ended_by_its_time_limit_is_not_passed_off_as_the_best() -> None:
    run = factories.make_succeeded_run(factories.make_release(factories.make_project()))
    assert run_pages.unproven(run) == ""
    run.report = {"steps": [{"optimal": False, "nodes": 2**70, "nodes_checked": 1200}]}
    assert f"looking at {thousands(1200)} of" in run_pages.unproven(run)


@pytest.mark.parametrize(
    ("steps", "total"),
    [
        ([(True, 407)], 407),
        ([(False, 407)], 407),
        ([(True, 407), (False, 3)], 410),
        ([(False, 7), (False, 10)], 10),  # the second step counts those of the first again
        ([(None, None)], 0),
        ([], 0),
    ],
)
def test_rows_given_up_are_one_number_wherever_they_are_told(
    steps: list[tuple[bool | None, int | None]], total: int
) -> None:
    """Left out and shown as * alike: in the verdict, in the list of runs, and between two candidates."""
    recipe = [{"method": "m", "params": {"drop_suppressed": drops}} for drops, _ in steps]
    report = {"steps": [{"suppressed_rows": found} for _, found in steps], "input": {"rows": 1000}}
    row = Run(state="succeeded")  # of no release, so that nothing can be sealed in it
    said = {"recipe": {"steps": recipe}, "report": report, "state": row.state, "stated": {}, "figures": {}}
    run: Any = SimpleNamespace(**said)
    told = [line.value for line in verdict_line.suppression_pairs(run) if "rows suppressed" in line.label]
    assert told == ([thousands(total)] if steps else [])
    assert candidates.figures(run)["Rows suppressed"] == thousands(total)
    assert results.suppressed_rows(run) == total
