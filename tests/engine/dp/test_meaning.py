"""Conditions and categories mean what they say, however it is written: by the declared kind of the column."""

import io
from decimal import Decimal

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.engine.running import recipe_of, rows_of, run, table_of
from worker.engine.dp.conditions import Condition
from worker.engine.dp.meaning import READERS, meaning
from worker.engine.execution.local import Output, anonymize
from worker.engine.io.source import open_table
from worker.engine.tables.column import Column
from worker.engine.tables.dense import Numbers, codes_of
from worker.engine.tables.kinds import Kind
from worker.engine.tables.numeric import NumberColumn
from worker.engine.tables.table import Table

FIVE = ("5", "5.0", "05", "+5", "5.00", "5e0", "0.5E1")
TENTH = ("-0.10", "-.1", "-1e-1", "-00.1")
DAY = ("2020-02-01", "2020/02/01", "20200201", "2020.02.01", "2020-02-01T00:00:00", "2020-02-01 12:30")
AS_WRITTEN = ("1.2.2020", "01.02.2020", "1.02.2020")
YES = ("yes", "Yes", "YES")
ALIKE = {
    Kind.INTEGER: (FIVE, TENTH),
    Kind.DECIMAL: (FIVE, TENTH),
    Kind.DATE: (DAY, AS_WRITTEN),
    Kind.CATEGORICAL: (),
    Kind.ORDINAL: (),
    Kind.BOOLEAN: (),
    Kind.TEXT: (),
}
"""For each kind the texts that mean the same; all others mean themselves."""
WRITTEN = (*FIVE, *DAY, *AS_WRITTEN, *YES, *TENTH, "n/a", "5_0", "inf", "1e999")


def same(kind, one, other):
    return one == other or any(one in group and other in group for group in ALIKE[kind])


def test_every_kind_says_what_its_texts_mean():
    assert set(ALIKE) == set(Kind)
    assert set(READERS) == {kind for kind, groups in ALIKE.items() if groups}


@pytest.mark.parametrize("kind", ALIKE)
@pytest.mark.parametrize("one", WRITTEN)
def test_every_kind_and_every_written_form(kind, one):
    rows = Table([Column.of_texts("x", list(WRITTEN), kind)], 0, len(WRITTEN))
    expected = [same(kind, one, other) for other in WRITTEN]
    for op, wanted in (("is", expected), ("in", expected), ("is-not", [not x for x in expected])):
        condition = Condition(column="x", op=op, values=(one,))
        assert condition.rows(rows).tolist() == wanted
    assert [meaning(one, kind) == meaning(other, kind) for other in WRITTEN] == expected
    spelled = {tuple(Condition(column="x", values=(text,)).canonical(kind)[2]) for text in WRITTEN}
    assert len(spelled) == len({meaning(text, kind) for text in WRITTEN})


@pytest.mark.parametrize(
    "column",
    [
        NumberColumn("x", Kind.DECIMAL, pa.array([5.0, 4.0, float("nan")]).to_numpy()),
        Numbers("x", Kind.INTEGER, codes_of(pa.array(["5.0", "4", ""])), pa.array([""])),
    ],
)
def test_numbers_without_labels_are_compared_as_numbers(column):
    rows = Table([column], 0, 3)
    assert Condition(column="x", values=("5",)).rows(rows).tolist() == [True, False, False]
    assert Condition(column="x", op="is-not", values=("5.0",)).rows(rows).tolist() == [False, True, True]


def test_neighbours_that_no_float_tells_apart_are_two_numbers():
    rows = Table([Column.of_texts("x", ["9007199254740993", "9007199254740992"], Kind.INTEGER)], 0, 2)
    assert Condition(column="x", values=("9007199254740993.0",)).rows(rows).tolist() == [True, False]


def test_days_have_an_order():
    texts = ["2020-01-31", "2020-02-01T10:00", "2020/02/02", "1.2.2020", ""]
    rows = Table([Column.of_texts("x", texts, Kind.DATE)], 0, len(texts))
    found = {
        ("below", "2020-02-01"): [True, False, False, False, False],
        ("at-least", "20200201"): [False, True, True, False, False],
        ("between", "2020-01-01", "2020-02-01"): [True, True, False, False, False],
    }
    for (op, *values), wanted in found.items():
        assert Condition(column="x", op=op, values=tuple(values)).rows(rows).tolist() == wanted


COLUMNS = {
    "n": {"role": "other", "kind": "integer", "categories": ["5", "6"]},
    "d": {"role": "other", "kind": "date", "bounds": ["2020-01-01", "2020-12-31"]},
    "m": {"role": "other", "kind": "decimal", "bounds": [0, 10]},
}
ROWS = [{"n": n, "d": d, "m": m} for n, d, m in zip(FIVE, (*DAY, DAY[0]), FIVE, strict=True)]
EXACTLY = Decimal(1_000_000)


def count(where, rows=ROWS):
    recipe = recipe_of(COLUMNS, [], [("dp-query", {"where": where, "epsilon": EXACTLY})], [])
    [row] = rows_of(run(recipe, table_of(rows))[0])
    return int(row["answer"])


@pytest.mark.parametrize(
    ("column", "op", "values"),
    [
        *(("n", "is", (text,)) for text in FIVE),
        *(("m", "is", (text,)) for text in FIVE),
        *(("d", "is", (text,)) for text in DAY),
        ("d", "between", ("2020-02-01", "2020-02-01")),
        ("m", "between", ("5.0", "5")),
        ("n", "in", ("5.0", "6.0")),
    ],
)
def test_a_question_meets_every_row_that_means_it(column, op, values):
    assert count([{"column": column, "op": op, "values": list(values)}]) == len(ROWS)


def test_so_does_one_over_a_file_of_numbers():
    """In a file of numbers 5 and 5.0 are the same number to begin with."""
    file = io.BytesIO()
    pq.write_table(pa.table({"m": pa.array([5.0] * 3 + [4.0])}), file)
    step = ("dp-query", {"where": [{"column": "m", "op": "is", "values": ["5"]}], "epsilon": EXACTLY})
    out = io.BytesIO()
    recipe = recipe_of({"m": COLUMNS["m"]}, [], [step], [])
    anonymize(recipe, open_table(io.BytesIO(file.getvalue())), [Output("csv", out)])
    assert rows_of(out.getvalue())[0]["answer"] == "3"


@pytest.mark.parametrize("more", [{}, {"unknown_categories": True, "delta": 0.001}])
def test_categories_of_numbers_are_counted_as_numbers(more):
    columns = {"n": COLUMNS["n"]}
    step = ("dp-histogram", {"columns": ["n"], "epsilon": EXACTLY, **more})
    rows = rows_of(run(recipe_of(columns, [], [step], []), table_of([{"n": n} for n in (*FIVE, "7")]))[0])
    assert [(row["n"], row["count"]) for row in rows][:2] == [("5", str(len(FIVE))), ("6", "0")]
