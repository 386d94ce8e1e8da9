"""Blocks of whole rows, whatever the size of the pieces in which the file is read."""

from __future__ import annotations

import io

import pytest

from worker.engine.errors import EngineError
from worker.engine.io.dialect import Dialect
from worker.engine.io.limits import Limits
from worker.engine.io.lines import LEAST_PIECE, PARTS, PIECE, Block, blocks, decoded, piece_of, surveyed

TEXT = 'id,text\r\n1,"two\r\nlines, ""quoted"""\r\n2,äöü\r\n3,☃\r\n'
PLAIN = Dialect(delimiter=",", quote='"', encoding="utf-8")


def read(
    data: bytes, dialect: Dialect = PLAIN, piece: int = 7, limits: Limits | None = None
) -> list[tuple[bytes, int]]:
    return [tuple(one) for one in blocks(io.BytesIO(data), dialect, limits or Limits(), piece)]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-16-le", "latin-1", "cp1252"])
@pytest.mark.parametrize("piece", [1, 2, 3, 5, 64, 10_000])
def test_every_piece_gives_the_same_text(encoding: str, piece: int) -> None:
    text = TEXT if encoding.startswith("utf") else TEXT.replace("☃", "ß")
    assert b"".join(decoded(io.BytesIO(text.encode(encoding)), encoding, piece)) == text.encode()


@pytest.mark.parametrize("piece", [1, 3, 8, 1_000])
def test_blocks_are_whole_rows_and_know_their_line(piece: int) -> None:
    found = read(TEXT.encode(), piece=piece)
    assert b"".join(data for data, _ in found) == TEXT.encode()
    starts = {b"id": 1, b"1,": 2, b"2,": 4, b"3,": 5}
    for data, line in found:
        assert starts[data[:2]] == line


def test_a_mark_of_order_is_taken_off_once() -> None:
    assert read("\ufeffa\n\ufeffb\n".encode(), piece=2)[0] == (b"a\n", 1)


def test_what_is_no_text_is_found_at_its_place() -> None:
    with pytest.raises(EngineError, match=r"Line 3 \(byte 5\) is not utf-8") as refused:
        read(b"a\nb\nc\xff\n")
    assert refused.value.code == "encoding"


def test_nul_bytes_are_found_at_their_line() -> None:
    with pytest.raises(EngineError, match="Line 2 holds a NUL") as refused:
        read(b"a\n\0\n", piece=3)
    assert refused.value.code == "nul-byte"


def test_quotes() -> None:
    with pytest.raises(EngineError, match="line 2 is never closed") as refused:
        read(b'a\n"b\nc\n')
    assert refused.value.code == "open-quote"
    with pytest.raises(EngineError) as refused:
        surveyed(Block(b'a\nb"c"d,e\n', 7), PLAIN)
    assert refused.value.code == "stray-quote"
    assert "Line 8 " in str(refused.value)


def test_endless_rows() -> None:
    limits = Limits(row_bytes=40, cell_bytes=10)
    with pytest.raises(EngineError) as refused:
        read(b"a,b\n1," + b"x" * 50, limits=limits)
    assert refused.value.code == "cell-too-large"
    assert "column 2" in str(refused.value)
    with pytest.raises(EngineError) as refused:
        read(b"a,b\n" + b"1234567," * 9, limits=limits)
    assert refused.value.code == "row-too-long"


def test_a_small_file_is_read_in_parts() -> None:
    assert piece_of(io.BytesIO(b"a")) == LEAST_PIECE
    middle = LEAST_PIECE * PARTS * 2
    assert piece_of(io.BytesIO(bytes(middle))) == middle // PARTS
    assert piece_of(io.BytesIO(bytes(PIECE * PARTS * 2))) == PIECE
