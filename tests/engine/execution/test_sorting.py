"""Rows leave in the order of what they show, however many parts it takes and whatever form columns have."""

import random

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from worker.engine.errors import LimitExceeded
from worker.engine.execution import kept, sorting
from worker.engine.execution.sorting import in_order
from worker.engine.io import store as stores
from worker.engine.tables.column import Column
from worker.engine.tables.dense import Texts
from worker.engine.tables.kinds import Kind
from worker.engine.tables.numeric import NumberColumn
from worker.engine.tables.table import MemorySource, Table

CELLS = st.text("ab\xe9z ", max_size=9)
NUMBERS = st.sampled_from(["", "1", "1.0", "-2", "10", "9", "x", "0.5"])


def rows_in_order(table, by, memory=None, segment=5):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sorting, "SEGMENT", segment)
        patch.setattr(kept, "SEGMENT", segment)
        rows = kept.hold(MemorySource(table), table.names, memory)
        chunks = list(in_order(rows, by, table.names, memory))
    assert [chunk.first_row for chunk in chunks] == [
        sum(c.rows for c in chunks[:i]) for i in range(len(chunks))
    ]
    return [
        row for chunk in chunks for row in zip(*(chunk[name].texts() for name in table.names), strict=True)
    ]


@settings(deadline=None)
@given(st.lists(st.tuples(CELLS, NUMBERS, CELLS), max_size=60), st.sampled_from([None, 2000]))
def test_labels_are_sorted_by_text(rows, memory):
    table = Table([Column.of_texts(name, [row[i] for row in rows]) for i, name in enumerate("abc")])
    found = rows_in_order(table, "abc", memory)
    assert found == sorted(rows)


@settings(deadline=None)
@given(st.lists(st.tuples(CELLS, NUMBERS), min_size=1, max_size=80), st.sampled_from([None, 2000]))
def test_any_form_and_any_parts_give_one_order(rows, memory):
    table = Table([Column.of_texts(name, [row[i] for row in rows]) for i, name in enumerate("ab")])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(stores, "MOST_LABELS", 1)
        found = rows_in_order(table, "ba", memory)
        shuffled = random.Random(1).sample(range(len(rows)), len(rows))
        again = rows_in_order(Table([column.take(shuffled) for column in table.columns]), "ba", memory)
        whole = rows_in_order(table, "ba", None)
    assert sorted(found) == sorted(rows)
    assert found == again == whole


@pytest.mark.parametrize("alike", [False, True])
def test_many_rows_are_sorted_in_parts_where_nobody_said_how_much_memory_there_is(alike, monkeypatch):
    monkeypatch.setattr(sorting, "MOST_ROWS", 7)
    monkeypatch.setattr(sorting, "MOST_ROOM", 10)
    dealt = []
    monkeypatch.setattr(sorting._Dealt, "part", _noted(sorting._Dealt.part, dealt))
    rows = [(str(i % 10 if not alike else 0), str(-i)) for i in range(100)]
    table = Table([Column.of_texts(name, [row[i] for row in rows]) for i, name in enumerate("ab")])
    assert rows_in_order(table, "ab") == sorted(rows)
    assert bool(dealt)


def _noted(method, seen):
    def noted(self, number):
        seen.append(number)
        return method(self, number)

    return noted


def test_texts_are_ranked_only_where_the_values_before_them_leave_rows_alike(monkeypatch):
    ranked, rank = [], sorting._text_ranks
    monkeypatch.setattr(stores, "MOST_LABELS", 3)
    monkeypatch.setattr(stores, "MOST_OTHERS", 1)
    monkeypatch.setattr(
        sorting, "_text_ranks", lambda texts: (ranked.extend(texts.to_pylist()), rank(texts))[1]
    )
    labels = Column.of_texts("a", ["c", "b", "a", "b"])
    table = Table([labels, Texts("b", Kind.TEXT, pa.array(["z", "y", "x", "w"]))])
    assert rows_in_order(table, "ab") == [("a", "x"), ("b", "w"), ("b", "y"), ("c", "z")]
    assert sorted(ranked) == ["w", "y"]


@pytest.mark.parametrize("memory", [None, 2000])
def test_texts_may_come_first(monkeypatch, memory):
    monkeypatch.setattr(stores, "MOST_LABELS", 1)
    monkeypatch.setattr(stores, "MOST_OTHERS", 1)
    rows = [(text, number) for number in ("3", "1") for text in ("c", "a", "", "b")]
    table = Table([Column.of_texts(name, [row[i] for row in rows]) for i, name in enumerate("ab")])
    assert rows_in_order(table, "ab", memory) == sorted(rows)


def test_texts_and_numbers_of_a_step_are_sorted_too():
    table = Table(
        [
            Texts("a", Kind.TEXT, pa.array(["b", "a", "b", ""])),
            NumberColumn("b", Kind.INTEGER, pa.array([3.0, 1.0, 2.0, None]).to_numpy(zero_copy_only=False)),
        ]
    )
    assert rows_in_order(table, "ab") == [("", ""), ("a", "1"), ("b", "2"), ("b", "3")]


def test_rows_that_cannot_be_told_apart_by_their_first_values_are_refused_not_held(monkeypatch):
    monkeypatch.setattr(stores, "MOST_LABELS", 1)
    table = Table([Column.of_texts("a", ["same beginning" + str(i) for i in range(200)])])
    with pytest.raises(LimitExceeded):
        rows_in_order(table, "a", memory=2000)
