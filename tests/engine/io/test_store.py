"""A column comes back exactly, whatever form it is kept in, and nothing lies readable outside memory."""

import os

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from worker.engine.io import store as stores
from worker.engine.io.store import Store
from worker.engine.tables.dense import FIRST_OTHER, Numbers, Texts, codes_of, plain_texts, texts_of
from worker.engine.tables.kinds import Kind
from worker.engine.tables.scratch import Scratch

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


@settings(max_examples=100, deadline=None)
@given(st.lists(CELLS, max_size=40), st.integers(1, 9), st.integers(1, 9))
def test_decimal_codes_are_taken_like_the_texts_they_stand_for(cells, batch, segment):
    for labels, others in ((2, 2), (2, 50), (5, 3), (100, 100)):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(stores, "MOST_LABELS", labels)
            patch.setattr(stores, "MOST_OTHERS", others)
            made = []
            for given in (pa.array, dense):
                store = Store(["x"], frozenset(), segment, None)
                column = store.columns["x"]
                pieces = [given(cells[i : i + batch]) for i in range(0, len(cells), batch)]
                store.fill([column.prepared(piece)] for piece in pieces)
                segments = [store.column("x", at, Kind.TEXT) for at, *_ in store.segments()]
                made.append(([text for one in segments for text in one.texts()], column.form))
        assert made[0] == made[1]
        assert made[0][0] == cells


def dense(cells):
    """The cells as decimal codes, with the texts that have none."""
    values = codes_of(pa.array(cells, pa.string()))
    left = np.flatnonzero(values == FIRST_OTHER)
    others = ["", *sorted({cells[at] for at in left} - {""})]
    values[left] = [FIRST_OTHER + others.index(cells[at]) for at in left]
    return Numbers("x", Kind.TEXT, values, pa.array(others, pa.string()))


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


@pytest.mark.parametrize(
    ("cells", "kind"),
    [
        (["1", "2", "30", "-4", "NA"], Kind.INTEGER),
        (["1", "2.5", "30", "", "NA"], Kind.DECIMAL),
        (["1.5", "2.5", "3.25", "4.75"], Kind.DECIMAL),
        (["2020-01-02", "2021-03-04", "2022-05-06", "NA"], Kind.DATE),
        (["1", "2", "3", "four"], Kind.CATEGORICAL),
    ],
)
@pytest.mark.parametrize("others", [1, 50])
def test_the_kind_is_found_in_any_form(cells, kind, others, monkeypatch):
    """By the list of labels where there is one, by a text of each shape, or by all texts."""
    monkeypatch.setattr(stores, "MOST_LABELS", 2)
    monkeypatch.setattr(stores, "MOST_OTHERS", others)
    store = Store(["x"], frozenset({"NA"}), 2, None)
    store.fill(store.prepared(pa.RecordBatch.from_arrays([pa.array([cell])], ["x"])) for cell in cells)
    assert store.kind("x") is kind
