"""Columns of numbers that become text late."""

import numpy as np
import pytest

from worker.engine.column import Column
from worker.engine.fields import Kind
from worker.engine.numeric import NumberColumn, texts_of

NUMBERS = np.array([1.0, np.nan, -0.0, 0.0, 1e20, 1e-7, 123456.789, 0.1, -2.5])


def test_texts_are_plain_and_exact():
    texts = NumberColumn("x", Kind.DECIMAL, NUMBERS).texts()
    assert texts[:5] == ["1", "", "0", "0", "100000000000000000000"]
    assert texts[5:] == ["0.0000001", "123456.789", "0.1", "-2.5"]
    assert [float(text) for text in texts if text] == NUMBERS[~np.isnan(NUMBERS)].tolist()


def test_integers_have_no_decimal_point():
    column = NumberColumn("x", Kind.INTEGER, np.array([5.0, -3.0, np.nan, 4e15, 1e300]))
    assert column.texts()[:4] == ["5", "-3", "", "4000000000000000"]
    assert column.texts()[4] == str(int(1e300)) or float(column.texts()[4]) == 1e300


def test_it_is_the_column_that_texts_would_make():
    column = NumberColumn("x", Kind.DECIMAL, NUMBERS)
    plain = Column.of_texts("x", column.texts(), Kind.DECIMAL)
    assert np.array_equal(column.numbers, plain.numbers, equal_nan=True)
    assert np.array_equal(column.missing_rows, plain.missing_rows)
    assert column.arrow().to_pylist() == plain.arrow().to_pylist()
    assert column.take(slice(2, 6)).texts() == plain.take(slice(2, 6)).texts()
    assert column.described(Kind.CATEGORICAL).texts() == plain.texts()
    assert column.described(missing_texts=frozenset({"0.1"})).missing_rows.sum() == 2
    assert isinstance(column.described(Kind.DECIMAL), NumberColumn)
    assert len(column) == 9


@pytest.mark.parametrize(
    ("numbers", "places"),
    [([1, 2, 3], 0), ([1.5, 2], 1), ([0.25, np.nan], 2), ([1e-7], 7), ([1 / 3], 12), ([], 0)],
)
def test_places_are_those_that_are_needed(numbers, places):
    assert NumberColumn("x", Kind.DECIMAL, np.array(numbers, float)).places() == places
    texts = texts_of(np.array(numbers, float), Kind.DECIMAL)
    assert Column.of_texts("x", texts.to_pylist(), Kind.DECIMAL).places() == places


def test_places_of_texts_do_not_count_missing_and_unused_labels():
    column = Column.of_texts("x", ["1.5", "n.a.n.a", "2", "3.25"], Kind.DECIMAL)
    column = column.described(missing_texts=frozenset({"n.a.n.a"}))
    assert column.places() == 2
    assert column.take(slice(0, 3)).places() == 1
    assert Column.of_texts("x", ["1e-3"], Kind.DECIMAL).places() == 12


def test_it_cannot_be_changed():
    with pytest.raises(ValueError, match="read-only"):
        NumberColumn("x", Kind.DECIMAL, np.zeros(3)).numbers[0] = 1
