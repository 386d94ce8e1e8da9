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
    release_pages,
    results,
    run_pages,
    utility_map,
)
from stewardapp.presenters.charts import figure_json
from stewardapp.presenters.numbers import thousands
from tests import factories
from worker.engine import catalogue

REPORT: dict[str, Any] = {
    "risk": {
        "before": {"reidentification": {"smallest_class": 1, "share_above": {"0.2": 0.25, "0.5": 0.106}}},
        "after": {"reidentification": {"smallest_class": 5, "share_above": {"0.2": 0.0, "0.5": 0.0}}},
    },
    "utility": {
        "marginals": {
            "mean_total_variation": 0.25,
            "columns": {
                "age": {"total_variation": 0.5, "earth_mover": 2.5, "shares": [{"value": "x"}]},
                "sex": {"total_variation": 0.0, "earth_mover": None, "shares": None},
            },
        }
    },
}


def test_figures_stand_before_and_after_with_how_to_read_them() -> None:
    (reading,) = measures.readings(REPORT, "risk")
    (row,) = reading.rows
    assert (row.before, row.after) == ("1", "5")
    assert row.explanation == catalogue.measures()["reidentification"].explanations["smallest_class"]
    (grid,) = reading.grids
    assert [one[0] for one in grid.rows] == ["20\u00a0%", "50\u00a0%"]
    assert grid.rows[0][1:] == ("25\u00a0%", "0\u00a0%")


def test_figures_per_column_are_a_table_without_inner_lists() -> None:
    (reading,) = measures.readings(REPORT, "utility")
    assert reading.compared
    (grid,) = reading.grids
    assert [head for head, _ in grid.headers] == ["", "Total variation", "Earth mover"]
    assert grid.rows == (("age", "50\u00a0%", "2.5"), ("sex", "0\u00a0%", "–"))


def test_a_measure_this_installation_does_not_know_is_left_out() -> None:
    assert measures.readings({"risk": {"after": {"from-the-future": {"x": 1}}}}, "risk") == ()


@pytest.mark.django_db
@pytest.mark.parametrize(("smallest", "met"), [(6, True), (5, True), (4, False)])
def test_the_verdict_line_compares_with_the_policy(smallest: int, met: bool) -> None:
    release = factories.make_release(factories.make_project())
    run = factories.make_succeeded_run(release, smallest_class=smallest)
    line = results.verdict_line(run, release_pages.policy_of(release), release_pages.policy_met(run))
    assert line.met is met
    smallest_figure, highest = line.figures[:2]
    assert (smallest_figure.value, smallest_figure.holds) == (str(smallest), smallest >= 5)
    assert "at least 5" in smallest_figure.label
    assert highest.holds is met
    assert smallest_figure.explanation


@pytest.mark.django_db
def test_equal_runs_share_a_place_on_the_map() -> None:
    release = factories.make_release(factories.make_project())
    found = []
    for _ in range(2):
        run = factories.make_succeeded_run(release)
        run.report = {**run.report, **{"utility": REPORT["utility"]}}
        found.append(run)
    chart = utility_map.chart(found, release_pages.policy_of(release))
    (series,) = chart.series
    assert series.name == f"Runs {found[1].number}, {found[0].number}"
    assert series.y == (0.75,)
    assert "policy" in figure_json(chart)


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


def test_decisions_of_a_step_are_words() -> None:
    facts = run_pages.step_facts({"method": "generalization", "levels": {"age": 2}, "optimal": True})
    assert facts["facts"] == [("Levels", "age: 2"), ("Optimal", "yes")]


@pytest.mark.django_db
def test_local_epsilon_is_shown_and_not_charged() -> None:
    release = factories.make_release(factories.make_project())
    run = factories.make_succeeded_run(release)
    told = {"column": "illness", "local_epsilon": 1.0986}
    own_matrix = {"column": "sex", "local_epsilon": 2.0, "matrix_depends_on_data": True}
    run.report = {**run.report, "steps": [*run.report["steps"], told, own_matrix]}
    line = results.verdict_line(run, release_pages.policy_of(release), release_pages.policy_met(run))
    (figure,) = [one for one in line.figures if "local" in one.label]
    assert figure.value == "ε 1.1"
    assert "nothing is taken from it" in figure.explanation
    assert run.facts().epsilon_micro == 0


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
    said = {"recipe": {"steps": recipe}, "report": report, "state": row.state, "stated": {}}
    run: Any = SimpleNamespace(**said, facts=row.facts)
    told = [line.value for line in results.suppression_figures(run) if "rows suppressed" in line.label]
    assert told == ([thousands(total)] if steps else [])
    assert candidates.figures(run)["Rows suppressed"] == thousands(total)
    assert results.suppressed_rows(run) == total
