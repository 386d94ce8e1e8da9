"""Cells of several tables on one scale."""

import numpy as np

from worker.engine.nearest.cells import NUMBER, Scale, laid_out
from worker.engine.tables.column import Column
from worker.engine.tables.kinds import Kind
from worker.engine.tables.numeric import NumberColumn
from worker.engine.tables.table import Table


def laid(scale: Scale, *columns: list[str]):
    tables = [Table([Column.of_texts("x", texts)]) for texts in columns]
    return [
        (one.codes[:, 0].tolist(), one.numbers[:, 0].tolist()) for one in laid_out(tables, ["x"], [scale])
    ]


def test_numbers_are_parts_of_the_range_and_texts_the_same_in_all_tables():
    one, other = laid(Scale(Kind.DECIMAL, 4.0), ["2", "", "*", "2.0"], ["*", "6", "[1, 2[", ""])
    assert one == ([NUMBER, 0, 1, NUMBER], [0.5, 0.0, 0.0, 0.5])
    assert other == ([1, NUMBER, 2, 0], [0.0, 1.5, 0.0, 0.0])


def test_categories_that_look_like_numbers_are_none():
    assert laid(Scale(Kind.CATEGORICAL), ["1", "2"], ["2"]) == [([0, 1], [0.0, 0.0]), ([1], [0.0])]


def test_days_are_read_as_the_original_writes_them():
    (one, other) = laid(Scale(Kind.DATE, 1.0, "%d/%m/%Y"), ["02/01/1970", ""], ["1970-01-03", "*"])
    assert one[1] == [1.0, 0.0]
    assert other == ([NUMBER, 1], [2.0, 0.0])


def test_numbers_without_texts_are_read_too():
    table = Table([NumberColumn("x", Kind.DECIMAL, np.array([1.0, np.nan]), 1)])
    (found,) = laid_out([table], ["x"], [Scale(Kind.DECIMAL, 2.0)])
    assert found.numbers[:, 0].tolist() == [0.5, 0.0]
    assert found.codes[:, 0].tolist() == [NUMBER, 0]
