"""A steward's own queries, beside rows counted one by one and by hand."""

import random

import pytest

from tests.engine.measures.scenes import Case, figures_of, result_of
from worker.engine.contracts.result import State
from worker.engine.errors import EngineError
from worker.engine.measures.utility.queries import Queries
from worker.engine.tables.kinds import Kind, Role
from worker.engine.tables.table import Field, Schema

LINES = ["a;ab;*", "b;ab;*", "c;c1;*"]
COLUMNS = {
    "age": {"role": "quasi-identifier", "kind": "integer"},
    "town": {"role": "quasi-identifier", "kind": "categorical", "hierarchy": LINES},
    "pay": {"role": "sensitive", "kind": "decimal"},
    "born": {"role": "other", "kind": "date"},
}
QUERIES = {
    "count where age >= 40": lambda row: row["age"] and int(row["age"]) >= 40,
    "count where age < 40 and town = a": lambda row: (
        row["age"] and int(row["age"]) < 40 and row["town"] == "a"
    ),
    "count where town != a": lambda row: row["town"] and row["town"] != "a",
    "count where pay = 2.50": lambda row: row["pay"] and float(row["pay"]) == 2.5,
    "count where born >= 1990-03-01": lambda row: row["born"] and row["born"] >= "1990-03-01",
}


def random_cells(seed):
    draw, rows = random.Random(seed), 60

    def cells(one):
        return ["" if draw.random() < 0.1 else one() for _ in range(rows)]

    return {
        "age": cells(lambda: str(draw.randrange(20, 60))),
        "town": cells(lambda: draw.choice("abc")),
        "pay": cells(lambda: str(draw.randrange(8) / 2)),
        "born": cells(lambda: f"1990-0{draw.randrange(1, 9)}-01"),
    }


def rows_of(cells):
    return [dict(zip(cells, row, strict=True)) for row in zip(*cells.values(), strict=True)]


@pytest.mark.parametrize("seed", range(20))
def test_answers_are_those_of_the_rows(seed):
    before, after = random_cells(seed), random_cells(seed + 100)
    asked = (*QUERIES, "share where town = a", "sum pay where town = b", "mean pay", "count")
    result = result_of(Queries(queries=asked), Case(COLUMNS, before, after))
    for side, cells in ((result.before, before), (result.after, after)):
        rows = rows_of(cells)
        expected = [sum(bool(meets(row)) for row in rows) for meets in QUERIES.values()]
        expected.append(sum(row["town"] == "a" for row in rows) / len(rows))
        paid = [float(row["pay"]) for row in rows if row["town"] == "b" and row["pay"]]
        expected.append(sum(paid) if len(paid) >= 10 else None)
        everybody = [float(row["pay"]) for row in rows if row["pay"]]
        expected += [sum(everybody) / len(everybody), len(rows)]
        assert list(side["answer"].values()) == pytest.approx(expected)


def answers(after, *asked):
    before = {
        "age": ["20", "30"],
        "town": ["a", "c"],
        "pay": ["1.5", "2"],
        "born": ["1990-01-01", "1991-01-01"],
    }
    found = figures_of(Queries(queries=asked), Case(COLUMNS, before, {**before, **after}))
    return list(found["answer"].values())


def test_labels_count_with_the_part_of_their_values():
    assert answers({"town": ["ab", "*"]}, "count where town = a", "count where town != a") == [0.5, 0.5]
    assert answers({"age": ["[20, 30[", "[20, 30]"]}, "count where age < 25") == pytest.approx([0.5 + 5 / 11])
    assert answers({"age": ["[20, 30[", "*"]}, "count where age = 22", "count where age != 22") == [0.1, 0.9]
    assert answers({"pay": ["[0, 4[", "0-4"]}, "count where pay <= 1", "count where pay = 1") == [0.5, 0.0]


def test_a_sum_over_few_rows_is_not_told():
    assert answers({}, "sum pay", "mean pay") == [None, None]


def test_errors_are_parts_of_the_original():
    before = {"age": ["20"] * 10 + ["50"] * 10}
    case = Case({"age": COLUMNS["age"]}, before, {"age": ["20"] * 12 + ["50"] * 8})
    found = figures_of(Queries(queries=("count where age > 40", "count where age > 90", "mean age")), case)
    means = [35, 32]
    expected = {"Query 1": 0.2, "Query 2": 0.0, "Query 3": 1 - means[1] / means[0]}
    assert found["relative_error"] == pytest.approx(expected)
    assert found["mean_relative_error"] == pytest.approx(sum(expected.values()) / 3)
    assert found["largest_relative_error"] == pytest.approx(0.2)


def test_nothing_is_the_part_of_nothing():
    case = Case({"age": COLUMNS["age"]}, {"age": ["20"]}, {"age": ["50"]})
    found = figures_of(Queries(queries=("count where age > 40",)), case)
    assert (found["relative_error"], found["mean_relative_error"]) == ({"Query 1": None}, None)


def test_a_column_that_does_not_leave_answers_nothing():
    before = {"age": ["20"], "town": ["a"]}
    columns = {name: COLUMNS[name] for name in before}
    result = result_of(Queries(queries=("count where town = a",)), Case(columns, before, {"age": ["20"]}))
    assert result.state is State.MEASURED
    assert result.after["answer"] == {"Query 1": None}


@pytest.mark.parametrize("text", ["median age", "count where town ~ a"])
def test_what_is_not_understood_is_said_with_its_place(text):
    with pytest.raises(EngineError) as caught:
        Queries.of({"queries": ["count", text]})
    assert caught.value.param == "queries"
    assert "Query 2" in caught.value.message
    assert text not in caught.value.message


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("count where nowhere = 1", "no-such-column"),
        ("count where name = x", "no-such-column"),
        ("count where town < b", "wrong-kind"),
        ("mean town", "wrong-kind"),
    ],
)
def test_columns_are_checked(text, code):
    schema = Schema(
        (
            Field("name", Kind.TEXT, Role.DIRECT_IDENTIFIER),
            Field("town", Kind.CATEGORICAL, Role.QUASI_IDENTIFIER),
            Field("age", Kind.INTEGER, Role.QUASI_IDENTIFIER),
        )
    )
    with pytest.raises(EngineError) as caught:
        Queries(queries=(text,)).check(schema)
    assert (caught.value.code, caught.value.param) == (code, "queries")
