"""Rows, blank rows and stray returns: found in one look at every byte, as whole arrays find them."""

from __future__ import annotations

import sys

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from worker.engine.io import structure
from worker.engine.io.structure import count_line_ends, first_row_end, row_ends, row_starts, survey

TEXT = st.text("ab;\r\n", max_size=30)
QUOTED = st.text("a;\r\n", max_size=8).map(lambda text: f'"{text}"')
LINES = st.lists(st.one_of(TEXT, st.tuples(st.just("\n"), QUOTED, st.just("\n")).map("".join)), max_size=6)


@settings(deadline=None, max_examples=300)
@given(LINES.map("".join).map(str.encode))
def test_one_look_finds_what_arrays_find(data: bytes) -> None:
    found = survey(data, '"', ";")
    if found.wrong_quote >= 0:
        return
    starts, ends = row_starts(data, '"').tolist() if data else [], row_ends(data, '"').tolist()
    blank = [start for start in starts if data[start : start + 1] in (b"\r", b"\n")]
    stray = [end - 1 for end in ends if data[end - 1 : end] == b"\r"]
    assert found == (-1, len(starts), next(iter(stray), -1), next(iter(blank), -1))
    assert count_line_ends(data) == len(row_ends(data, ""))


@pytest.mark.parametrize("size", [1, 2, 3, 5])
@settings(deadline=None, max_examples=200, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=LINES.map("".join).map(str.encode))
def test_wherever_pieces_are_cut_the_same_is_found(
    monkeypatch: pytest.MonkeyPatch, size: int, data: bytes
) -> None:
    monkeypatch.setattr(structure, "_AT_ONCE", size)
    cut = survey(data, '"', ";")
    monkeypatch.setattr(structure, "_plain", lambda data, quote: None)
    assert cut == survey(data, '"', ";")
    monkeypatch.undo()


def test_text_without_quotes_needs_no_compiled_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "worker.engine.kernels.quotes", None)
    for text, rows in ((b"a;b\n1;2\n", 2), (b"a;b\r\n1;2", 2), (b"", 0), (b"a", 1)):
        assert survey(text, '"', ";") == (-1, rows, -1, -1)


def test_a_quote_in_the_middle_of_a_value_is_found() -> None:
    assert survey(b'a\n\nb"b\n', '"', ";").wrong_quote == 4


@pytest.mark.parametrize("cut", range(1, 9))
@pytest.mark.parametrize("data", [b"a;b\r\n1;2\r\n", b'"a\n"\r\n1', b"a;b\r1", b"a", b'"a\r\n'])
def test_the_first_row_ends_where_it_does_however_little_is_looked_at(
    monkeypatch: pytest.MonkeyPatch, data: bytes, cut: int
) -> None:
    monkeypatch.setattr(structure, "_FIRST_BYTES", cut)
    ends = row_ends(data, '"')
    assert first_row_end(data, '"') == (int(ends[0]) if len(ends) else len(data))
