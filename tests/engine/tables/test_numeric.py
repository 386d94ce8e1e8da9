"""Columns of numbers that become text late."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from worker.engine.tables.column import Column, parse_numbers
from worker.engine.tables.dense import FIRST_OTHER, Numbers, codes_of
from worker.engine.tables.kinds import Kind
from worker.engine.tables.numeric import NumberColumn, texts_of

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


ODD = [
    "",
    "5",
    "-5",
    "+5",
    " 5",
    "1e3",
    "1_0",
    "nan",
    "inf",
    "5\n",
    "5.",
    "-.5",
    "٣",
    "0x1",
    "0.1",
    "-0",
    "１",
]


@given(st.lists(st.sampled_from(ODD)))
def test_one_odd_text_does_not_change_what_the_others_are(texts):
    found = parse_numbers(pa.array([*texts, "none"], pa.string()))
    alone = [parse_numbers(pa.array([text, "none"], pa.string()))[0] for text in texts]
    assert np.array_equal(found[:-1], alone, equal_nan=True)
    known = dict(zip(texts, alone, strict=True))
    assert all(known[text] == float(text) for text in {"5", "-5", "+5", " 5", "1e3", "0.1"} & set(texts))
    assert all(np.isnan(known[text]) for text in {"", "1_0", "nan", "inf", "0x1"} & set(texts))


def test_it_cannot_be_changed():
    with pytest.raises(ValueError, match="read-only"):
        NumberColumn("x", Kind.DECIMAL, np.zeros(3)).numbers[0] = 1


@given(
    st.lists(
        st.one_of(
            st.floats(allow_infinity=False),
            st.integers(-(2**60), 2**60).map(float),
            st.integers(-(10**9), 10**9).map(lambda whole: whole / 1000),
        )
    ),
    st.sampled_from([Kind.INTEGER, Kind.DECIMAL]),
)
def test_decimal_codes_are_those_of_the_texts(numbers, kind):
    column = NumberColumn("x", kind, np.array(numbers, float))
    dense, texts = column.decimals, pa.array(column.texts(), pa.string())
    assert dense.texts() == texts.to_pylist()
    plain = codes_of(texts)
    assert np.array_equal(np.where(dense.values < dense.smallest, plain.min(initial=0), dense.values), plain)
    assert dense.missing_rows.tolist() == column.missing_rows.tolist()


@given(
    st.lists(st.sampled_from(["", "5", "12.50", "-0.125", "+3", "1e-3", "007.75", "3.1415926535"])),
    st.integers(0, 3),
)
def test_dense_numbers_know_their_places(texts, first):
    column = Column.of_texts("x", texts, Kind.DECIMAL)
    dense = Numbers("x", Kind.DECIMAL, *coded(texts))
    assert dense.places() == column.places()
    assert dense.take(slice(first, None)).places() == column.take(slice(first, None)).places()


def coded(texts):
    """Decimal codes, and the texts that have none."""
    values = codes_of(pa.array(texts, pa.string()))
    none = {text for text, value in zip(texts, values.tolist(), strict=True) if value == FIRST_OTHER}
    others = ["", *sorted(none - {""})]
    for at, text in enumerate(texts):
        if text in others:
            values[at] = FIRST_OTHER + others.index(text)
    return values, pa.array(others, pa.string())
