"""The histogram as a release: what stands in the file, what is told, what is refused."""

import io
import json
from decimal import Decimal

import numpy as np
import pytest

from tests.engine.running import recipe_of, rows_of, run, table_of
from worker.engine.errors import EngineError
from worker.engine.execution import tabulating
from worker.engine.execution.output import Output
from worker.engine.methods.dp_histogram import DpHistogram
from worker.engine.recipes.recipe import Recipe
from worker.engine.tables.column import Column
from worker.engine.tables.kinds import Kind
from worker.engine.tables.table import Table

EXACTLY = 1_000_000
"""An ε at which the noise is 0 and the counts can be compared."""

COLUMNS = {
    "who": {"role": "person-key"},
    "sex": {"role": "quasi-identifier", "categories": ["m", "f"]},
    "age": {"role": "quasi-identifier", "kind": "integer", "bounds": [0, 40], "bin_width": 20},
    "word": {"role": "other"},
}
ROWS = [
    {"who": f"p{i % 50}", "sex": "fm"[i % 2], "age": str(i % 45), "word": f"w{i % 3}"} for i in range(100)
]


def made(rows=ROWS, **params):
    step = ("dp-histogram", {"epsilon": EXACTLY, **params})
    exact = io.BytesIO()
    released, report = run(recipe_of(COLUMNS, [], [step], []), table_of(rows), exact=exact)
    return rows_of(released), report, rows_of(exact.getvalue())


def counted(sex, low, high):
    return str(sum(row["sex"] == sex and low <= int(row["age"]) < high for row in ROWS))


def test_every_declared_cell_is_there_in_declared_order():
    rows, report, _ = made(columns=["sex", "age"], rows_per_person=2)
    assert [(row["sex"], row["age"], row["count"]) for row in rows] == [
        ("m", "[0, 20[", counted("m", 0, 20)),
        ("m", "[20, 40]", counted("m", 20, 41)),
        ("f", "[0, 20[", counted("f", 0, 20)),
        ("f", "[20, 40]", counted("f", 20, 41)),
    ]
    assert list(rows[0]) == ["sex", "age", "count", "error95"]
    assert report["output"]["sha256"] == report["files"]["csv"]["sha256"]
    assert (report["output"]["rows"], report["output"]["columns"]) == (4, 4)


def test_one_row_per_person_unless_more_are_allowed():
    rows, _, _ = made(columns=["sex"])
    assert [row["count"] for row in rows] == ["25", "25"]
    rows, _, _ = made(columns=["sex"], rows_per_person=2)
    assert [row["count"] for row in rows] == ["50", "50"]


def test_cells_do_not_depend_on_the_data():
    full, _, _ = made(columns=["sex", "age"])
    other, _, _ = made(columns=["sex", "age"], rows=[{"who": "x", "sex": "?", "age": "none", "word": "z"}])
    assert [(r["sex"], r["age"], r["error95"]) for r in full] == [
        (r["sex"], r["age"], r["error95"]) for r in other
    ]


def test_totals_and_levels_add_up_with_noise():
    rows, report, _ = made(columns=["sex", "age"], shape="margins", epsilon=0.1)
    whole = int(rows[-1]["count"])
    assert (rows[-1]["sex"], rows[-1]["age"]) == ("*", "*")
    assert sum(int(r["count"]) for r in rows[:4]) == whole
    assert sum(int(r["count"]) for r in rows if r["age"] == "*" != r["sex"]) == whole
    assert report["steps"][0]["sensitivity"].endswith("= 3")
    rows, _, _ = made(columns=["age"], shape="levels", fan_out=2, epsilon=0.1, nonnegative=True)
    assert [row["level"] for row in rows] == ["0", "0", "1"]
    assert int(rows[0]["count"]) + int(rows[1]["count"]) == int(rows[2]["count"])


def test_declared_post_processing():
    rows, report, _ = made(columns=["sex"], epsilon=0.01, nonnegative=True, round_to=50, rows=ROWS[:1])
    assert all(int(row["count"]) >= 0 and int(row["count"]) % 50 == 0 for row in rows)
    assert report["steps"][0]["post_processing"] == [
        "negative counts set to 0",
        "rounded to multiples of 50",
    ]
    assert int(rows[0]["error95"]) == 300 + 25


def test_unknown_categories_follow_the_declared_ones():
    columns = {**COLUMNS, "word": {"role": "other", "categories": ["w2", "none"]}}
    params = {"unknown_categories": True, "delta": 0.001, "rows_per_person": 2}
    step = ("dp-histogram", {"columns": ["word"], "epsilon": EXACTLY, **params})
    released, report = run(recipe_of(columns, [], [step], []), table_of(ROWS))
    assert [(r["word"], r["count"]) for r in rows_of(released)] == [
        ("w2", "33"),
        ("none", "0"),
        ("w0", "34"),
        ("w1", "33"),
    ]
    assert report["steps"][0]["threshold"] == 3
    assert report["privacy_loss"]["delta"] == 0.001


def test_the_price_is_what_is_used():
    assert DpHistogram(columns=("a",), epsilon=Decimal("0.25"), delta=Decimal("0.1")).cost().delta_femto == 0
    asked = DpHistogram(columns=("a",), epsilon=Decimal("0.25"), delta=Decimal("0.1"), mechanism="gaussian")
    assert (asked.cost().epsilon_micro, asked.cost().delta_femto) == (250_000, 10**14)


def test_what_may_leave_holds_nothing_exact_about_the_data():
    _rows, report, exact = made(columns=["sex"], epsilon=1)
    assert [row["exact"] for row in exact] == ["25", "25"]
    told = json.dumps(report["public"])
    for hidden in ("input", "seconds", "memory", "exact", '"25"', "plan_"):
        assert hidden not in told
    assert report["measures"] == []
    assert set(report["public"]) == {"engine", "steps", "privacy_loss", "files", "output"}
    assert report["public"]["files"]["csv"]["sha256"] == report["files"]["csv"]["sha256"]


def test_a_fact_that_nobody_named_stays_inside(monkeypatch):
    def counting(plan, outputs, exact, reporter, report):
        report.steps[0]["rows_left_out"] = 7
        return written(plan, outputs, exact, reporter, report)

    written = tabulating.write_tables
    monkeypatch.setattr("worker.engine.execution.local.write_tables", counting)
    report = made(columns=["sex"], epsilon=1)[1]
    assert report["steps"][0]["rows_left_out"] == 7
    assert "rows_left_out" not in report["public"]["steps"][0]


def test_two_data_sets_have_equal_public_parts_but_for_the_table():
    def told(rows):
        public = made(columns=["sex", "age"], rows=rows, epsilon=1)[1]["public"]
        return {**public, "files": {}, "output": {**public["output"], "sha256": ""}}

    assert told(ROWS) == told(ROWS[:3])


@pytest.mark.parametrize(
    "wrong",
    [0, -1, "1", True, None, 1e-7, 0.1234567, 5e-324, 1e308, Decimal("NaN"), Decimal("Infinity"), [1]],
)
def test_an_epsilon_that_is_no_amount_is_refused(wrong):
    with pytest.raises(EngineError) as caught:
        DpHistogram.of({"columns": ["a"], "epsilon": wrong})
    assert caught.value.param == "epsilon"


@pytest.mark.parametrize("text", ["NaN", "Infinity", "-Infinity", "1e-400", "1e999"])
def test_an_epsilon_that_is_no_amount_is_refused_in_a_file(text):
    recipe = '{"version": 1, "columns": {"a": {"role": "other"}}, "steps": [{"method": "dp-histogram", '
    recipe += f'"params": {{"columns": ["a"], "epsilon": {text}}}}}]}}'
    with pytest.raises(EngineError):
        Recipe.parse(recipe)


@pytest.mark.parametrize(
    "params",
    [
        {"columns": ["a", "a"]},
        {"columns": []},
        {"columns": ["a"], "mechanism": "gaussian"},
        {"columns": ["a"], "unknown_categories": True},
        {"columns": ["a"], "unknown_categories": True, "delta": 0.1, "mechanism": "gaussian"},
        {"columns": ["a"], "unknown_categories": True, "delta": 9e-15, "rows_per_person": 10},
        {"columns": ["a", "b"], "shape": "levels"},
        {"columns": ["a"], "shape": "margins"},
        {"columns": ["a", "b"], "shape": "margins", "round_to": 5},
        {"columns": ["a"], "delta": 1},
        {"columns": ["a"], "rows_per_person": 0},
    ],
)
def test_parameters_that_do_not_go_together(params):
    with pytest.raises(EngineError):
        DpHistogram.of(params)


@pytest.mark.parametrize(
    ("columns", "name", "code"),
    [
        ({"count": {"role": "other", "categories": ["a"]}}, "count", "reserved-name"),
        ({"word": {"role": "other"}}, "word", "no-cells"),
        *(
            ({"word": {"role": role, "categories": ["a"], "granted": granted}}, "word", "wrong-role")
            for role, granted in (
                ("person-key", []),
                ("household-key", []),
                ("consent", ["a"]),
                ("direct-identifier", []),
                ("weight", []),
            )
        ),
    ],
)
def test_recipes_that_cannot_be_carried_out(columns, name, code):
    recipe = recipe_of(columns, [], [("dp-histogram", {"columns": [name], "epsilon": 1})], [])
    with pytest.raises(EngineError) as caught:
        run(recipe, table_of([{name: "a"}]))
    assert caught.value.code == code


@pytest.mark.parametrize(
    ("goals", "steps"),
    [
        ([("k-anonymity", {"k": 2})], []),
        ([], [("rounding", {"column": "age", "base": 5})]),
    ],
)
def test_a_table_stands_alone_in_its_recipe(goals, steps):
    with pytest.raises(EngineError) as caught:
        recipe_of(COLUMNS, goals, [*steps, ("dp-histogram", {"columns": ["sex"], "epsilon": 1})], [])
    assert caught.value.code == "bad-recipe"


def test_errors_are_told_before_any_data():
    design = DpHistogram(columns=("sex",), epsilon=Decimal("0.5"))
    recipe = recipe_of(COLUMNS, [], [], [])
    told = {one.label: one.value for one in design.forecast(recipe.declarations({}))}
    assert told == {
        "Error of one count": "± 6",
        "Error of all 2 counts": "± 7",
        "Smallest count that means something": "7",
        "What can follow for somebody": "probability × 1.65",
        "Whether somebody is in the data": "odds × 1.65",
        "What somebody is like": "odds × 2.72",
    }
    rows, report, _ = made(columns=["sex"], epsilon=0.5)
    assert {row["error95"] for row in rows} == {"6"}
    assert report["steps"][0]["error95_all_cells"] == 7


def test_the_stated_errors_hold():
    columns = {"age": {"role": "other", "kind": "integer", "bounds": [1, 20_000], "bin_width": 1}}
    recipe = recipe_of(columns, [], [("dp-histogram", {"columns": ["age"], "epsilon": 0.2})], [])
    released, report = run(recipe, table_of([{"age": "1"}]))
    counts = np.array([int(row["count"]) for row in rows_of(released)])
    share = (np.abs(counts) <= 15).mean()
    assert report["steps"][0]["error95"] == 15
    assert 0.945 < share < 0.965
    assert np.abs(counts).max() <= report["steps"][0]["error95_all_cells"] * 3


@pytest.mark.parametrize("delimiter", [",", ";"])
def test_a_small_table_is_written_byte_for_byte_like_a_large_one(delimiter, monkeypatch):
    odd = ['quo"te', "a;b,c", "line\nbreak", "=1+1", "", "plain", " spaced "]
    table = Table(
        [
            Column.of_texts("=name", odd),
            Column.of_texts("n", ["-3", "4", "", "5", "6", "7", "8"], Kind.INTEGER),
        ]
    )
    written = []
    for few in (0, 20_000):
        monkeypatch.setattr(tabulating, "FEW_ROWS", few)
        out = io.BytesIO()
        facts = tabulating._written(table, Output("csv", out, delimiter))
        written.append((out.getvalue(), facts))
    assert written[0] == written[1]


def test_who_is_protected_is_told():
    persons = made(columns=["sex"])[1]["steps"][0]
    assert persons["unit"] == "person"
    assert "At most one row of a person was counted, chosen at random." in persons["codebook"]
    columns = {name: part for name, part in COLUMNS.items() if name != "who"}
    step = ("dp-histogram", {"columns": ["sex"], "epsilon": 1})
    _, report = run(recipe_of(columns, [], [step], []), table_of(ROWS))
    assert report["privacy_loss"]["unit"] == report["steps"][0]["unit"] == "row"
    assert any("No column tells persons apart" in line for line in report["steps"][0]["codebook"])


def test_what_no_negative_counts_do_to_large_ones_is_told():
    """Counts that add up have to lose elsewhere what small ones gain."""
    alone = made(columns=["sex"], nonnegative=True)[1]["public"]["steps"][0]
    together = made(columns=["sex", "age"], shape="margins", nonnegative=True)[1]["public"]["steps"][0]
    method = DpHistogram(columns=("sex",))
    assert "sums over many drift" in " ".join(method.guidance(alone))
    assert "error95 allows for" in " ".join(method.guidance(together))
