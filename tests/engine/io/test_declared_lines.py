"""Of text whose structure was declared every line stands for itself: what is no row moves no other."""

import io

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from worker.engine.errors import EngineError
from worker.engine.io.declared_lines import declared_blocks
from worker.engine.io.dialect import Dialect
from worker.engine.io.limits import Limits

LONGEST = 12
LIMITS = Limits(cell_bytes=LONGEST, row_bytes=2 * LONGEST)
LINES = st.lists(st.text('a,"\r\0é ', max_size=LONGEST + 2), max_size=12)


def read(data: bytes, dialect: Dialect | None = None, piece: int = 7, limits: Limits = LIMITS) -> bytes:
    blocks = declared_blocks(io.BytesIO(data), dialect or Dialect(), limits, piece)
    return b"".join(block.data for block in blocks)


def is_row(line: bytes, quote: str) -> bool:
    """Two values, looked at letter by letter."""
    text = line.removesuffix(b"\r").decode()
    if len(line) + 1 > LONGEST or "\0" in text or "\r" in text:
        return False
    values, at = 0, 0
    while True:
        if quote and text[at : at + 1] == quote:
            at = closed(text, at + 1)
            if at < 0:
                return False
        else:
            end = text.find(",", at)
            end = len(text) if end < 0 else end
            if quote and quote in text[at:end]:
                return False
            at = end
        values += 1
        if at == len(text):
            return values == 2
        if text[at] != ",":
            return False
        at += 1


def closed(text: str, at: int) -> int:
    """Where a quoted value ends; negative where it does not."""
    while (end := text.find('"', at)) >= 0:
        if text[end : end + 2] != '""':
            return end + 1
        at = end + 2
    return -1


@settings(max_examples=150, deadline=None)
@given(LINES, st.sampled_from(['"', ""]), st.integers(1, 40))
def test_a_line_is_a_row_by_itself_or_nothing(lines: list[str], quote: str, piece: int) -> None:
    given = [line.encode() for line in lines]
    kept = [line for line in given if is_row(line, quote)]
    found = read(b"\n".join([b"x,y", *given]) + b"\n", Dialect(quote=quote), piece)
    assert found == b"\n".join([b"x,y", *kept]) + b"\n"


def test_a_last_line_needs_no_end_and_a_mark_before_the_header_goes() -> None:
    assert read("\ufeffx,y\n1,2\n3,4".encode(), Dialect(encoding="utf-8-sig")) == b"x,y\n1,2\n3,4\n"
    assert read(b"x,y\n") == b"x,y\n"
    assert read(b"") == b""


def test_lines_may_end_by_returns_as_the_header_does() -> None:
    assert read(b"x,y\r1,2\r3,4\r") == b"x,y\n1,2\n3,4\n"
    assert read(b"x,y\r\n1,2\r\n3\r4,5\r\n") == b"x,y\r\n1,2\r\n", "elsewhere a lone return is no end"


def test_a_line_longer_than_any_row_is_none_however_it_is_cut() -> None:
    for piece in (1, 5, 100):
        assert read(b"x,y\n1,2\n" + b"3," * 40 + b"\n4,5\n", piece=piece) == b"x,y\n1,2\n4,5\n"


def test_a_byte_that_is_no_text_becomes_a_mark_and_takes_no_line_end_with_it() -> None:
    assert read(b"x,y\n\xff,2\n3,4\n").decode() == "x,y\n\ufffd,2\n3,4\n"
    assert read(b"x,y\n1,\x81\n3,4\n", Dialect(encoding="gb18030")).decode() == "x,y\n1,\ufffd\n3,4\n"
    assert read("x,y\n1,é\n".encode("cp1252"), Dialect(encoding="cp1252")).decode() == "x,y\n1,é\n"


def test_where_one_byte_moves_all_others_the_file_is_refused() -> None:
    with pytest.raises(EngineError) as caught:
        read("x,y\n".encode("utf-16"), Dialect(encoding="utf-16"))
    assert (caught.value.code, caught.value.param) == ("encoding", "data.encoding")
