"""Rows by the codes of their columns."""

import numpy as np

from worker.engine.scan.rows import Rows

ROWS = Rows(
    {"a": np.array([2, 0, 1]), "b": np.array([0, 1, 1]), "w": np.array([5, 70_000, 0])},
    {"a": 3, "b": 2, "w": 80_000},
    np.array([1, 4, 1]),
)


def test_columns_of_few_values_lie_in_two_bytes():
    assert ROWS.places == {"a": 0, "b": 1}
    assert ROWS.codes.tolist() == [[2, 0, 1], [0, 1, 1]]
    places, steps = ROWS.layout(("a", "b"))
    assert (places.tolist(), steps.tolist(), ROWS.cells(("a", "b"))) == ([0, 1], [2, 1], 6)


def test_rows_are_laid_in_the_order_of_one_column():
    laid = ROWS.laid(["a", "w"], "w", np.arange(3))
    assert laid.columns["a"].tolist() == [1, 2, 0]
    assert laid.columns["w"].tolist() == [0, 5, 70_000]
    assert laid.counts.tolist() == [1, 1, 4]
    assert ROWS.laid(["w"], "w", np.array([0, 1])).columns["w"].tolist() == [5, 70_000]


def test_a_value_that_comes_again_is_shared():
    assert ROWS.shared("b").tolist() == [1, 2]
    assert ROWS.shared("w").tolist() == []
