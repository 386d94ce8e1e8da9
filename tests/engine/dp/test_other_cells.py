"""The cell of any other value: what nobody declared is counted there, and never named."""

from decimal import Decimal

import numpy as np
import pyarrow as pa
import pytest

from tests.engine.running import recipe_of, rows_of, run, table_of
from worker.engine.dp.cells import OTHER, Choice, declared_cells
from worker.engine.dp.questions import Question, canonical
from worker.engine.errors import EngineError
from worker.engine.methods.dp_histogram import DpHistogram
from worker.engine.tables.column import Column
from worker.engine.tables.declaration import Declaration
from worker.engine.tables.dense import Numbers, codes_of
from worker.engine.tables.kinds import Kind

EXACTLY = Decimal(1_000_000)
COLUMNS = {
    "sex": {"role": "other", "categories": ["f", "m"]},
    "age": {"role": "other", "kind": "integer", "bounds": [0, 30], "bin_width": 10},
    "place": {
        "role": "other",
        "categories": ["a", "b"],
        "hierarchy": ["a;north;*", "b;south;*"],
    },
}
ROWS = [
    {"sex": sex, "age": age, "place": place}
    for sex, age, place in (
        ("f", "5", "a"),
        ("m", "25", "b"),
        ("x", "99", "canary"),
        ("", "", ""),
        ("f", "-1", "a"),
        ("m", "n/a", "b"),
    )
]


def table(slug, **params):
    recipe = recipe_of(COLUMNS, [], [(slug, {"epsilon": EXACTLY, **params})], [])
    released, report = run(recipe, table_of(ROWS))
    return rows_of(released), report


def counted(rows, figure="count"):
    return {tuple(row[name] for name in row if name in COLUMNS): int(row[figure]) for row in rows}


def test_a_histogram_counts_what_nobody_declared():
    rows, report = table("dp-histogram", columns=["sex"], other_cell=True)
    assert counted(rows) == {("f",): 2, ("m",): 2, (OTHER,): 1}
    told = " ".join(report["steps"][0]["codebook"])
    assert "Any other value" in told
    assert OTHER in report["steps"][0]["describe"]
    rows, report = table("dp-histogram", columns=["sex"])
    assert counted(rows) == {("f",): 2, ("m",): 2}
    assert "ny other value" not in str(report["steps"])


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        ({}, {"[0, 10[": 1, "[10, 20[": 0, "[20, 30]": 1, OTHER: 3}),
        ({"missing_cell": True}, {"[0, 10[": 1, "[10, 20[": 0, "[20, 30]": 1, OTHER: 3, "": 1}),
        ({"outside": "nearest"}, {"[0, 10[": 2, "[10, 20[": 0, "[20, 30]": 2, OTHER: 1}),
    ],
)
def test_beyond_the_bounds_and_no_numbers(more, expected):
    rows, _ = table("dp-histogram", columns=["age"], other_cell=True, **more)
    assert {cell: count for (cell,), count in counted(rows).items()} == expected


@pytest.mark.parametrize("shape", ["cells", "margins"])
def test_several_columns(shape):
    rows, _ = table("dp-histogram", columns=["sex", "age"], shape=shape, other_cell=True)
    inner = {cell: count for cell, count in counted(rows).items() if "" not in cell and "*" not in cell}
    assert inner[OTHER, OTHER] == 1
    assert inner["m", OTHER] == 1


@pytest.mark.parametrize("columns", [["place"], ["age"]])
def test_levels_hold_the_cell_up_to_the_root(columns):
    rows, _ = table("dp-histogram", columns=columns, shape="levels", other_cell=True, missing_cell=True)
    top = [row for row in rows if row[columns[0]] == "*"]
    assert [int(row["count"]) for row in top] == [len(ROWS)]
    assert any(row[columns[0]] == OTHER for row in rows)


def test_questions_have_it_as_a_cell_and_as_a_group():
    rows, report = table("dp-query", ask="histogram", column="sex", other_cell=True)
    assert counted(rows, "answer") == {("f",): 2, ("m",): 2, (OTHER,): 1}
    assert OTHER in report["steps"][0]["question"]
    assert "Any other value" in " ".join(report["steps"][0]["codebook"])
    rows, _ = table("dp-query", ask="count", by=["sex"], other_cell=True)
    assert counted(rows, "answer") == {("f",): 2, ("m",): 2, (OTHER,): 1}
    rows, _ = table("dp-query", ask="most-common", column="age", other_cell=True)
    assert [row["answer"] for row in rows] == [OTHER]
    rows, _ = table("dp-query", ask="mean", column="age", by=["sex"], other_cell=True)
    assert [row["sex"] for row in rows] == ["f", "m", OTHER]
    rows, _ = table(
        "dp-query", ask="histogram", column="sex", other_cell=True, on="perturbed", disturbance="0.0001"
    )
    assert sum(int(row["answer"]) for row in rows) == len(ROWS) - 1


def test_an_older_question_keeps_its_spelling():
    """Answers of before are found again; where there is nowhere to count, the wish changes nothing."""
    assert "other" not in canonical(Question(ask="histogram", column="sex"))
    assert canonical(Question(other_cell=True)) == canonical(Question())
    asked = Question(ask="histogram", column="sex", other_cell=True)
    assert canonical(asked) != canonical(Question(ask="histogram", column="sex"))


@pytest.mark.parametrize("ask", ["cells", "question"])
def test_a_category_of_that_name_is_refused(ask):
    said = Declaration(categories=("f", OTHER))
    assert declared_cells("sex", said, Choice()) is not None
    with pytest.raises(EngineError, match="name of the cell of all others"):
        declared_cells("sex", said, Choice(other=True))
    columns = {"sex": {"role": "other", "categories": ["f", OTHER]}}
    steps = {
        "cells": ("dp-histogram", {"columns": ["sex"], "other_cell": True}),
        "question": ("dp-query", {"ask": "count", "by": ["sex"], "other_cell": True}),
    }
    with pytest.raises(EngineError) as refused:
        run(recipe_of(columns, [], [steps[ask]], []), table_of([{"sex": "f"}]))
    assert refused.value.code in ("bad-cells", "question-refused")


def test_unknown_categories_or_one_cell_for_all():
    [problem] = DpHistogram.problems(
        {"columns": ["sex"], "unknown_categories": True, "delta": 0.001, "other_cell": True}
    )
    assert "Choose them or one cell" in problem.message


def test_cells_do_not_depend_on_what_there_is():
    """No row, one hostile row: the labels are those declared."""
    for texts in ([], ["canary"], ["f"]):
        recipe = recipe_of(
            {"sex": COLUMNS["sex"]},
            [],
            [("dp-histogram", {"columns": ["sex"], "epsilon": EXACTLY, "other_cell": True})],
            [],
        )
        rows = rows_of(run(recipe, table_of([{"sex": text} for text in texts], ["sex"]))[0])
        assert [row["sex"] for row in rows] == ["f", "m", OTHER]


def test_numbers_held_without_labels():
    cells = declared_cells(
        "age", Declaration(bounds=(0, 30), bin_width=10, kind=Kind.INTEGER), Choice(False, True, True)
    )
    column = Numbers("age", Kind.INTEGER, codes_of(pa.array(["5", "31", "", "29"])), pa.array([""]))
    assert cells.codes(column).tolist() == [0, 3, 4, 2]
    plain = Column.of_numbers("age", Kind.INTEGER, np.array([5.0, 31, np.nan, 29]))
    assert cells.codes(plain).tolist() == [0, 3, 4, 2]
