"""Pieces outside memory: they come back, only where they were put, and nothing of them can be read."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from cryptography.exceptions import InvalidTag

from worker.engine.tables.scratch import Place, Scratch, Shelf

PIECES = [b"", b"canary" * 100, bytes(1 << 16), b"x"]


def test_pieces_come_back_in_any_order() -> None:
    scratch = Scratch()
    places = [scratch.put(piece) for piece in PIECES]
    for place, piece in reversed(list(zip(places, PIECES, strict=True))):
        assert scratch.get(place) == piece


def test_nothing_readable_lies_there_and_no_name_leads_to_it(tmp_path: Path) -> None:
    scratch = Scratch(str(tmp_path))
    scratch.put(PIECES[1])
    assert list(tmp_path.iterdir()) == []
    stored = os.pread(scratch._file.fileno(), 1 << 20, 0)
    assert len(stored) > len(PIECES[1])
    assert b"canary" not in stored


def test_a_piece_opens_only_where_it_was_put() -> None:
    scratch = Scratch()
    first, second = scratch.put(b"one"), scratch.put(b"two")
    copied = os.pread(scratch._file.fileno(), second.length, second.offset)
    os.pwrite(scratch._file.fileno(), copied, first.offset)
    with pytest.raises(InvalidTag):
        scratch.get(first)


def test_many_threads_do_not_write_over_each_other() -> None:
    scratch = Scratch()
    pieces = [bytes([number]) * (1 + 37 * number) for number in range(100)]
    with ThreadPoolExecutor(8) as pool:
        places = list(pool.map(scratch.put, pieces))
        assert list(pool.map(scratch.get, places)) == pieces


def test_a_shelf_spills_what_does_not_fit() -> None:
    shelf = Shelf(room=10)
    kept = [shelf.put(piece) for piece in (b"12345", b"123456", b"12345", b"1")]
    assert [isinstance(one, Place) for one in kept] == [False, True, False, True]
    assert [shelf.get(one) for one in kept] == [b"12345", b"123456", b"12345", b"1"]
    assert (shelf.held, shelf.spilled) == (10, True)


def test_a_shelf_without_a_limit_never_does() -> None:
    shelf = Shelf(room=None)
    assert shelf.get(shelf.put(bytes(1 << 20))) == bytes(1 << 20)
    assert not shelf.spilled
