"""A column comes back exactly, whatever form it is kept in, and nothing lies readable outside memory."""

import os

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from worker.engine.dense import FIRST_OTHER, Numbers, Texts, codes_of, plain_texts, texts_of
from worker.engine.fields import Kind
from worker.engine.io import store as stores
from worker.engine.io.store import Store
from worker.engine.scratch import Scratch

NUMBER_LIKE = st.from_regex(r"\A[-+]?[0-9]{0,17}(\.[0-9]{0,9})?\Z")
CELLS = st.one_of(st.sampled_from(["", "NA", "a", "é", "0", "-0", "1.0", "1.00"]), NUMBER_LIKE)


@settings(max_examples=200, deadline=None)
@given(st.lists(CELLS, max_size=40), st.integers(1, 9), st.integers(1, 9), st.sampled_from([0, 50, None]))
def test_every_form_gives_the_texts_back(cells, batch, segment, room):
    for labels, others in ((2, 2), (2, 50), (100, 100)):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(stores, "MOST_LABELS", labels)
            patch.setattr(stores, "MOST_OTHERS", others)
            store = Store(["x"], frozenset(), segment, room)
            pieces = [pa.array(cells[i : i + batch], pa.string()) for i in range(0, len(cells), batch)]
            store.fill(store.prepared(pa.RecordBatch.from_arrays([p], ["x"])) for p in pieces)
            found = []
            for number, _, rows in store.segments():
                column = store.column("x", number, Kind.TEXT)
                assert len(column) == rows
                found += column.texts()
        assert found == cells


@settings(deadline=None)
@given(st.lists(NUMBER_LIKE, max_size=20))
def test_a_decimal_code_keeps_every_character(texts):
    codes = codes_of(pa.array(texts, pa.string()))
    again = texts_of(codes, pa.array([""])).to_pylist()
    for text, code, back in zip(texts, codes.tolist(), again, strict=True):
        assert code == FIRST_OTHER or back == text
        if code != FIRST_OTHER:
            column = Numbers("x", Kind.DECIMAL, codes_of(pa.array([text])), pa.array([""]))
            assert column.numbers[0] == float(text)


@settings(deadline=None)
@given(
    st.lists(
        st.one_of(st.floats(), st.integers(-(10**17), 10**17), st.decimals(-1000, 1000, places=4).map(float))
    )
)
def test_a_number_gets_the_code_of_its_usual_text(numbers):
    for kind in (pa.float64(), pa.int64()):
        own = [number for number in numbers if kind == pa.float64() or isinstance(number, int)]
        given_numbers = pa.array([float(n) for n in own] if kind == pa.float64() else own, kind)
        codes, texts = codes_of(given_numbers), plain_texts(given_numbers)
        for code, text in zip(codes.tolist(), texts.to_pylist(), strict=True):
            if code != FIRST_OTHER:
                assert texts_of(np.array([code]), pa.array([""])).to_pylist() == [text]
    assert codes_of(pa.array([0.0, 12.5, 100.0, 0.0001])).tolist() == [0, 125 * 8 + 1, 800, 8 + 4]


def test_texts_and_numbers_take_rows_alike():
    texts = Texts("x", Kind.TEXT, pa.array(["a", "", "b"]))
    assert texts.take(slice(1, 3)).texts() == ["", "b"]
    assert texts.missing_rows.tolist() == [False, True, False]


def test_nothing_readable_is_put_outside_memory():
    scratch = Scratch()
    place = scratch.put(b"canary-d41d8cd9" * 100)
    stored = os.pread(scratch._file.fileno(), 1 << 16, 0)
    assert b"canary" not in stored
    assert scratch.get(place) == b"canary-d41d8cd9" * 100
