"""Measures by hand."""

import pytest

from tests.engine.running import recipe_of, run, table_of
from worker.engine.execution.assessing import assess, compare
from worker.engine.tables.table import MemorySource

QI = {"q": {"role": "quasi-identifier"}}


def figures(texts, columns=None):
    rows = texts if isinstance(texts[0], dict) else [{"q": text} for text in texts]
    report = assess(recipe_of(columns or QI, measures=["reidentification"]), MemorySource(table_of(rows)))
    (result,) = report.as_dict()["measures"]
    rows, curve = (dict(zip(one["x"], one["y"], strict=True)) for one in drawn(result))
    return {**result["before"], "by_size": rows, "by_risk": curve}


def drawn(result):
    return [series for chart in result["charts"] for series in chart["series"]]


def marginals(before, after, kind=None):
    columns = {"q": {"role": "other", **({"kind": kind} if kind else {})}}
    tables = [MemorySource(table_of([{"q": text} for text in texts])) for texts in (before, after)]
    report = compare(recipe_of(columns, measures=["marginals"]), *tables)
    (result,) = report.as_dict()["measures"]
    own = {name: one["q"] for name, one in result["after"].items() if isinstance(one, dict)}
    shares = next((c["series"] for c in result["charts"] if c["slug"] == "marginal-q"), None)
    return {**own, "was": {name: one["q"] for name, one in result["before"].items()}, "drawn": shares}


def test_class_sizes_by_hand():
    found = figures(["a"] * 4 + ["b"] * 2 + ["c"])
    assert (found["classes"], found["smallest_class"], found["unique_rows"]) == (3, 1, 1)
    assert found["unique_share"] == pytest.approx(1 / 7)
    assert found["average_risk"] == pytest.approx(3 / 7)
    assert found["highest_risk"] == 1.0
    assert found["share_above"] == {"0.05": 1.0, "0.2": 1.0, "0.5": pytest.approx(1 / 7)}
    assert [found["by_size"][size] for size in ("1", "2", "3–4")] == [1, 2, 4]
    assert found["by_risk"][0.5] == pytest.approx(3 / 7)


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
    (result,) = report.as_dict()["measures"]
    assert result["before"] or result["reason"]
    return result["before"]


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
    states = {one["measure"]: (one["state"], one["before"]) for one in report["measures"]}
    assert states["reidentification"] == ("does-not-apply", None)


def test_total_variation_by_hand():
    found = marginals(["a", "a", "b", "c"], ["a", "b", "b", "d"])
    assert found["total_variation"] == pytest.approx((0.25 + 0.25 + 0.25 + 0.25) / 2)
    assert marginals(["a", "b"], ["b", "a"])["total_variation"] == 0.0
    assert marginals(["a"], ["b"])["total_variation"] == 1.0


@pytest.mark.parametrize("labels", [["ab", "ab", "c1", "*"], ["abc", "ab", "abc", "*"]])
def test_a_coarser_label_is_no_other_value(labels):
    """Only what was suppressed counts as changed."""
    lines = ["a;ab;abc;*", "b;ab;abc;*", "c;c1;abc;*"]
    columns = {"q": {"role": "other", "kind": "categorical", "hierarchy": lines}}
    tables = [MemorySource(table_of([{"q": text} for text in texts])) for texts in ("abcc", labels)]
    (result,) = compare(recipe_of(columns, measures=["marginals"]), *tables).measures
    assert result.after["total_variation"]["q"] == pytest.approx(0.25)


def test_numbers_are_compared_in_bins_of_the_original():
    before = [str(n) for n in range(100)]
    assert marginals(before, [f"{n}.05" for n in range(100)], "decimal")["total_variation"] == pytest.approx(
        0
    )
    assert marginals(before, [f"{n // 10 * 10}" for n in range(100)], "integer")["total_variation"] < 0.1
    intervals = [f"[{n // 20 * 20}, {n // 20 * 20 + 20}[" for n in range(100)]
    assert marginals(before, intervals, "integer")["total_variation"] == pytest.approx(0)


def test_earth_mover_by_hand():
    assert marginals(["1", "2", "3"], ["2", "3", "4"], "integer")["earth_mover"] == pytest.approx(1.0)
    assert marginals(["0", "10"], ["5", "5"], "integer")["earth_mover"] == pytest.approx(5.0)


def test_an_interval_counts_as_its_middle():
    assert marginals(["25", "35"], ["[20, 30[", "[30, 40["], "integer")["earth_mover"] == pytest.approx(0.0)
    assert marginals(["2"], ["0-4"], "integer")["earth_mover"] == pytest.approx(0.0)
    assert marginals(["-3"], ["[-4, -2["], "integer")["earth_mover"] == pytest.approx(0.0)


def test_suppressed_and_missing_cells_are_counted():
    found = marginals(["a", "b", ""], ["*", "*", ""])
    assert (found["suppressed_cells"], found["missing"]) == (2, 1)
    assert (found["was"]["suppressed_cells"], found["was"]["missing"]) == (0, 1)


def test_rare_values_are_shown_together():
    found = marginals(["a"] * 20 + ["rare"] * 3, ["a"] * 20 + ["rare"] * 3)
    assert list(found["drawn"][0]["x"]) == ["a", "(other)"]


def test_charts_show_both_sides():
    rows = [{"q": text} for text in ["a"] * 12 + ["b"] * 12 + ["c"]]
    recipe = recipe_of(QI, [("k-anonymity", {"k": 3})], [("generalization", {"suppression_limit": 0.1})])
    _, report = run(recipe, table_of(rows))
    charts = {chart["slug"]: chart for one in report["measures"] for chart in one["charts"]}
    sizes, curve = charts["class-sizes"], charts["risk-per-row"]
    assert [series["name"] for series in sizes["series"]] == ["Before", "After"]
    assert sum(sizes["series"][0]["y"]) == 25
    assert sum(sizes["series"][1]["y"]) == 24
    assert curve["series"][1]["y"][-1] == 0.0
    assert charts["moved"]["series"][0]["x"] == ["q"]
    assert set(charts["marginal-q"]["series"][0]["x"]) == {"a", "b", "(other)"}
