"""Reports are read back, whichever version wrote them."""

import json
from pathlib import Path

from tests.engine.running import recipe_of, run, table_of
from worker.engine import catalogue
from worker.engine.contracts.result import State
from worker.engine.recipes.stored import public_figures, results_of

VERSION_1 = json.loads((Path(__file__).parents[1] / "stored/report_version_1.json").read_text())
QI = {"q": {"role": "quasi-identifier"}, "x": {"role": "sensitive"}}


def test_a_report_is_read_back_as_it_was_written():
    _, report = run(recipe_of(QI), table_of([{"q": "a", "x": "1"}, {"q": "b", "x": "2"}]))
    results = results_of(report)
    assert [json.loads(json.dumps(one.as_dict())) for one in results] == report["measures"]
    assert {one.id for one in results} == {one.id for one in catalogue.usual_measures()}


def test_a_report_of_version_1_holds_the_same_figures():
    found = {one.measure: one for one in results_of(VERSION_1)}
    assert set(found) == {"reidentification", "kept-columns", "marginals"}
    for side in ("before", "after"):
        old = VERSION_1["risk"][side]["reidentification"]
        new = getattr(found["reidentification"], side)
        assert new == {name: old[name] for name in old if name not in ("class_sizes", "risk_curve")}
        assert getattr(found["kept-columns"], side) == VERSION_1["risk"][side]["kept-columns"]
    old, new = VERSION_1["utility"]["marginals"], found["marginals"]
    assert new.after["mean_total_variation"] == old["mean_total_variation"]
    for name, column in old["columns"].items():
        assert new.after["total_variation"][name] == column["total_variation"]
        assert new.after["earth_mover"][name] == column["earth_mover"]
        assert (new.before["missing"][name], new.after["missing"][name]) == (
            column["missing_before"],
            column["missing_after"],
        )


def test_a_report_of_version_1_declares_what_today_declares():
    for result in results_of(VERSION_1):
        assert result.id == catalogue.measure(result.measure)().id
        declared = {figure.name for figure in catalogue.measure(result.measure).figures}
        assert {*(result.before or {}), *(result.after or {})} <= declared


def test_charts_of_version_1_are_those_it_drew():
    charts = {f"{one.measure}/{chart.slug}": chart for one in results_of(VERSION_1) for chart in one.charts}
    sizes = charts["reidentification/class-sizes"]
    assert [one.name for one in sizes.series] == ["Before", "After"]
    rows = [one["rows"] for one in VERSION_1["risk"]["after"]["reidentification"]["class_sizes"]]
    assert list(sizes.series[1].y) == rows
    assert sizes.series[0].x[:5] == ("1", "2", "3–4", "5–9", "10–19")
    assert list(charts["marginals/moved"].series[0].x) == list(VERSION_1["utility"]["marginals"]["columns"])
    assert charts["marginals/marginal-sex"].internal


def test_what_nobody_knows_any_more_is_kept():
    old = {
        "risk": {"after": {"of-the-past": {"share": 0.5}}},
        "attack": {"another": {"by": {"a": 1}, "l": [1]}},
    }
    first, second = results_of(old)
    assert (first.id, first.after, first.before, first.state) == (
        "of-the-past",
        {"share": 0.5},
        None,
        State.MEASURED,
    )
    assert (second.section, second.after) == ("attack", {"by": {"a": 1}})
    assert public_figures(first) is None, "nothing is public of a measure that cannot say so"


def test_a_report_that_measured_nothing():
    assert results_of({}) == results_of({"risk": {"before": {}}, "utility": {}}) == ()


def test_only_public_figures_are_published():
    result = next(one for one in results_of(VERSION_1) if one.measure == "marginals")
    assert public_figures(result) is None
    result = next(one for one in results_of(VERSION_1) if one.measure == "reidentification")
    before, after = public_figures(result)
    assert after == result.after
    assert before == result.before
