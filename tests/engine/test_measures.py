"""Measures by hand."""

import pytest

from tests.engine.running import recipe_of, run, table_of
from worker.engine.execution.local import assess, compare
from worker.engine.measures.risk.reidentification import Reidentification
from worker.engine.measures.utility.marginals import Marginals
from worker.engine.table import MemorySource

QI = {"q": {"role": "quasi-identifier"}}


def figures(texts, columns=None):
    rows = texts if isinstance(texts[0], dict) else [{"q": text} for text in texts]
    report = assess(recipe_of(columns or QI, measures=["reidentification"]), MemorySource(table_of(rows)))
    return report.as_dict()["risk"]["before"]["reidentification"]


def marginals(before, after, kind=None):
    columns = {"q": {"role": "other", **({"kind": kind} if kind else {})}}
    tables = [MemorySource(table_of([{"q": text} for text in texts])) for texts in (before, after)]
    report = compare(recipe_of(columns, measures=["marginals"]), *tables)
    return report.as_dict()["utility"]["marginals"]["columns"]["q"]


def test_class_sizes_by_hand():
    found = figures(["a"] * 4 + ["b"] * 2 + ["c"])
    assert (found["classes"], found["smallest_class"], found["unique_rows"]) == (3, 1, 1)
    assert found["unique_share"] == pytest.approx(1 / 7)
    assert found["average_risk"] == pytest.approx(3 / 7)
    assert found["highest_risk"] == 1.0
    assert found["share_above"] == {"0.05": 1.0, "0.2": 1.0, "0.5": pytest.approx(1 / 7)}
    sizes = {one["from"]: (one["classes"], one["rows"]) for one in found["class_sizes"]}
    assert (sizes[1], sizes[2], sizes[3]) == ((1, 1), (1, 2), (1, 4))
    assert {p["risk"]: p["share"] for p in found["risk_curve"]}[0.5] == pytest.approx(3 / 7)


def test_a_share_is_above_only_when_it_is_above():
    assert figures(["a"] * 20)["share_above"]["0.05"] == 0.0
    assert figures(["a"] * 19)["share_above"]["0.05"] == 1.0
    assert figures(["a"] * 5)["share_above"]["0.2"] == 0.0


def test_suppressed_rows_are_no_class_unless_all_are():
    found = figures(["a", "a", "*"])
    assert (found["classes"], found["suppressed_rows"], found["rows"]) == (1, 1, 2)
    found = figures(["*", "*"])
    assert (found["classes"], found["suppressed_rows"], found["smallest_class"]) == (1, 0, 2)


def test_a_star_in_some_columns_is_a_value():
    rows = [{"p": "*", "q": "a"}, {"p": "*", "q": "a"}, {"p": "*", "q": "*"}]
    found = figures(rows, {name: {"role": "quasi-identifier"} for name in "pq"})
    assert (found["classes"], found["suppressed_rows"]) == (1, 1)


def test_missing_values_form_a_class():
    assert figures(["", "", "a"])["classes"] == 2


def test_distinct_persons_are_counted_with_a_person_key():
    rows = [{"q": "a", "p": "1"}, {"q": "a", "p": "1"}, {"q": "b", "p": "2"}, {"q": "b", "p": "3"}]
    found = figures(rows, {**QI, "p": {"role": "person-key"}})
    assert (found["unit"], found["smallest_class"], found["unique_rows"]) == ("person", 1, 1)
    assert found["average_risk"] == pytest.approx(2 / 3)


KEPT = {**QI, "born": {"role": "other"}, "ill": {"role": "sensitive"}}


def kept(rows, columns=None):
    report = assess(recipe_of(columns or KEPT, measures=["kept-columns"]), MemorySource(table_of(rows)))
    return report.as_dict()["risk"]["before"].get("kept-columns")


def test_a_kept_column_singles_out_what_the_tagged_ones_do_not():
    rows = [{"q": "a", "born": str(year), "ill": "no"} for year in (1950, 1951, 1951, 1952)]
    found = kept(rows)
    assert (found["columns"], found["kept"], found["unique_rows"], found["unique_share"]) == (2, 1, 2, 0.5)


def test_a_sensitive_column_singles_nobody_out():
    rows = [{"q": "a", "born": "1950", "ill": str(number)} for number in range(5)]
    assert kept(rows)["unique_rows"] == 0
    assert kept([{"ill": "1"}], {"ill": {"role": "sensitive"}}) is None


def test_persons_stand_alone_and_not_their_rows():
    rows = [{"q": "a", "born": "1950", "ill": "no", "p": person} for person in ("1", "1")]
    found = kept(rows, {**KEPT, "p": {"role": "person-key"}})
    assert (found["unique_rows"], found["unique_share"]) == (1, 1.0)


def test_without_quasi_identifiers_there_is_nothing_to_match():
    _, report = run(recipe_of({"x": {"role": "other"}}), table_of([{"x": "1"}]))
    assert "reidentification" not in report["risk"]["before"]


def test_total_variation_by_hand():
    found = marginals(["a", "a", "b", "c"], ["a", "b", "b", "d"])
    assert found["total_variation"] == pytest.approx((0.25 + 0.25 + 0.25 + 0.25) / 2)
    assert marginals(["a", "b"], ["b", "a"])["total_variation"] == 0.0
    assert marginals(["a"], ["b"])["total_variation"] == 1.0


def test_earth_mover_by_hand():
    assert marginals(["1", "2", "3"], ["2", "3", "4"], "integer")["earth_mover"] == pytest.approx(1.0)
    assert marginals(["0", "10"], ["5", "5"], "integer")["earth_mover"] == pytest.approx(5.0)


def test_an_interval_counts_as_its_middle():
    assert marginals(["25", "35"], ["[20, 30[", "[30, 40["], "integer")["earth_mover"] == pytest.approx(0.0)
    assert marginals(["2"], ["0-4"], "integer")["earth_mover"] == pytest.approx(0.0)
    assert marginals(["-3"], ["[-4, -2["], "integer")["earth_mover"] == pytest.approx(0.0)


def test_suppressed_and_missing_cells_are_counted():
    found = marginals(["a", "b", ""], ["*", "*", ""])
    assert (found["suppressed_cells"], found["missing_before"], found["missing_after"]) == (2, 1, 1)


def test_rare_values_are_shown_together():
    found = marginals(["a"] * 20 + ["rare"] * 3, ["a"] * 20 + ["rare"] * 3)
    assert [one["value"] for one in found["shares"]] == ["a", "(other)"]


def test_charts_show_both_sides():
    rows = [{"q": text} for text in ["a"] * 12 + ["b"] * 12 + ["c"]]
    recipe = recipe_of(QI, [("k-anonymity", {"k": 3})], [("generalization", {"suppression_limit": 0.1})])
    _, report = run(recipe, table_of(rows))
    before, after = (report["risk"][side]["reidentification"] for side in ("before", "after"))
    sizes, curve = Reidentification().charts(before, after)
    assert [series.name for series in sizes.series] == ["Before", "After"]
    assert sum(sizes.series[0].y) == 25
    assert sum(sizes.series[1].y) == 24
    assert curve.series[1].y[-1] == 0.0
    overview, chart = Marginals().charts(None, report["utility"]["marginals"])
    assert overview.series[0].x == ("q",)
    assert set(chart.series[0].x) == {"a", "b", "(other)"}
