"""A column without a list of labels is the same column as one with labels, whatever is asked of it."""

from collections.abc import Callable
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from worker.engine.tables.column import Column
from worker.engine.tables.dense import (
    FIRST_OTHER,
    Numbers,
    Texts,
    codes_of,
    plain_texts,
    string_parts,
    texts_of,
)
from worker.engine.tables.kinds import Kind

CELLS = st.lists(st.sampled_from(["", "NA", "-99", "7", "7.50", "-1e3", "x", "é", "0.125"]), max_size=12)
MISSING = st.sets(st.sampled_from(["NA", "-99", "x", "0.125", "never"]), max_size=3).map(frozenset)


def numbers(cells: list[str]) -> Numbers:
    """As a file is held in which nearly every row has another number."""
    given = pa.array(cells, pa.string())
    values = codes_of(given)
    others = pa.array(
        dict.fromkeys(["", *(t for t, v in zip(cells, values, strict=True) if v == FIRST_OTHER and t)])
    )
    place = {text: number for number, text in enumerate(others.to_pylist())}
    for row, text in enumerate(cells):
        if values[row] == FIRST_OTHER:
            values[row] = FIRST_OTHER + place[text]
    return Numbers("x", Kind.DECIMAL, values, others)


def texts(cells: list[str]) -> Texts:
    return Texts("x", Kind.TEXT, pa.array(cells, pa.string()))


@pytest.mark.parametrize("make", [numbers, texts])
@settings(max_examples=80, deadline=None)
@given(cells=CELLS, missing=MISSING, data=st.data())
def test_it_answers_like_a_column_with_labels(
    make: Callable[[list[str]], Column], cells: list[str], missing: frozenset[str], data: st.DataObject
) -> None:
    dense, plain = make(cells), Column.of_texts("x", cells)
    if isinstance(dense, Numbers):
        cells = dense.texts()  # every number has one spelling there
        plain = Column.of_texts("x", cells)
    assert len(dense) == len(cells)
    assert dense.texts() == plain.texts()
    assert dense.missing_rows.tolist() == plain.missing_rows.tolist()
    assert not cells or dense.has_value() == plain.has_value()
    assert np.array_equal(dense.numbers, plain.numbers, equal_nan=True)
    assert [dense.labels.to_pylist()[code] for code in dense.codes] == cells
    described, told = dense.described(Kind.CATEGORICAL, missing), plain.described(Kind.CATEGORICAL, missing)
    assert (described.kind, type(described)) == (Kind.CATEGORICAL, type(dense))
    gone = [text == "" or text in missing for text in cells]
    assert described.missing_rows.tolist() == told.missing_rows.tolist() == gone
    rows = data.draw(st.lists(st.booleans(), min_size=len(cells), max_size=len(cells)))
    mask = np.array(rows, bool)
    for chosen in (mask, np.flatnonzero(mask)[::-1], slice(1, 3), slice(3, 1)):
        assert dense.take(chosen).texts() == np.array(cells, object)[chosen].tolist()
    assert dense.compact() is dense


def test_every_form_of_texts_is_read() -> None:
    for held in (
        pa.array(["a", None, "bé"]),
        pa.array(["a", None, "bé"]).dictionary_encode(),
        pa.array(["a", None, "bé"], pa.large_string()),
    ):
        assert plain_texts(held).to_pylist() == ["a", "", "bé"]
    assert plain_texts(pa.array([1.5, float("nan"), None])).to_pylist() == ["1.5", "", ""]


def test_numbers_have_the_code_of_their_text() -> None:
    for held in (pa.array([3, -40]), pa.array([3.0, -40.0]), pa.array(["3", "-40"])):
        assert texts_of(codes_of(held), pa.array([""])).to_pylist() == ["3", "-40"]
    assert codes_of(pa.array([3, None])).tolist()[1] == FIRST_OTHER


def test_the_bytes_of_texts_begin_where_they_are_said_to() -> None:
    for form in (pa.string(), pa.large_string()):
        data, places = string_parts(pa.array(["ab", "", "é"], form).slice(1))
        assert [bytes(data[a:b]).decode() for a, b in pairwise(places)] == ["", "é"]
    data, places = string_parts(pa.array([], pa.string()))
    assert (len(data), places.tolist()) == (0, [0])
