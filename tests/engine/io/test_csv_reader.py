"""Text is taken in strictly: no value changes, and what is not a table is refused with its line."""

import codecs
import csv
import io

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.engine.io.reading import PIECE, read, refusal
from worker.engine.errors import EngineError, LimitExceeded
from worker.engine.io.limits import Limits

CELLS = st.text(
    st.one_of(
        st.sampled_from("a,;\t|\"'\n\r 0-=\ufeff*é𝄞"),
        st.characters(exclude_categories=("Cs",), exclude_characters="\0"),
    ),
    max_size=8,
)
ROWS = st.integers(1, 4).flatmap(lambda n: st.lists(st.lists(CELLS, min_size=n, max_size=n), min_size=1))
LINE_ENDS, DELIMITERS = st.sampled_from(["\n", "\r\n", "\r"]), st.sampled_from([",", ";", "\t", "|"])
PIECES = st.sampled_from([1, 3, 7, 64, PIECE])


@given(ROWS, PIECES, LINE_ENDS, DELIMITERS, st.booleans())
@example([["\ufeff"]], 1, "\n", ",", False)
@example([["", ""], ["", ""]], 1, "\r\n", ",", False)
@settings(deadline=None, max_examples=200)
def test_what_any_writer_quotes_comes_back(
    rows: list[list[str]], piece: int, line_end: str, delimiter: str, sparing: bool
) -> None:
    header = [f"c{i}" for i in range(len(rows[0]))]
    if sparing:  # then the standard library leaves line ends of other systems unquoted
        rows = [[cell.replace("\r", "").replace("\n", "") for cell in row] for row in rows]
    buffer = io.StringIO(newline="")
    quoting = csv.QUOTE_MINIMAL if sparing else csv.QUOTE_ALL
    csv.writer(buffer, lineterminator=line_end, delimiter=delimiter, quoting=quoting).writerows(
        [header, *rows]
    )
    found = read(buffer.getvalue().encode(), piece, delimiter=delimiter, quote='"', encoding="utf-8")
    assert found == [tuple(row) for row in [header, *rows]]


def test_no_value_is_changed() -> None:
    row = [
        "01234",
        " padded ",
        "NA",
        "9007199254740993",
        "1.10",
        "TRUE",
        "null",
        "-0",
        "1e5",
        "∅",
        "#N/A",
        "nan",
    ]
    data = (",".join(f"c{i}" for i in range(len(row))) + "\n" + ",".join(row) + "\n").encode()
    assert read(data)[1] == tuple(row)


@pytest.mark.parametrize(
    ("data", "code", "line"),
    [
        (b"a,b\n1,2\n3\n", "ragged-row", "line 3 has 1 value where the header has 2"),
        (b"a,b\n1,2\n3,4,5\n", "ragged-row", "line 3 has 3 values where the header has 2"),
        (b'a,b\n"x\ny\r\nz",2\n3\n', "ragged-row", "line 5"),
        (b"a,b\r1,2\r3\r", "ragged-row", "line 3"),
        (b"a,b\n1,2\n\n3,4\n", "blank-line", "Line 3"),
        (b"a\n1\n2\r3\n", "stray-return", "Line 3"),
        (b'a,b\r\n"x\ry",2\r\n3,4\r5,6\r\n', "stray-return", "Line 4"),
        (b'a,b\n"x\n\ny",2\n\n3,4\n', "blank-line", "Line 5"),
        (b'a,b\n"x"y,2\n', "stray-quote", "Line 2"),
        (b'a,b\n"1",2\n3,x"y\n', "stray-quote", "Line 3"),
        (b'a,b\n"1", "2"\n', "stray-quote", "Line 2"),
        (b'a,b\n"1",2\n"x,2\n3,4\n', "open-quote", "line 3"),
        (b"a,b\n1,2\n3,\0\n", "nul-byte", "Line 3"),
        (b"a,a\n", "duplicate-header", "Columns 1 and 2"),
        (b"a,,c\n", "empty-header", "Column 2"),
        (b"a, ,c\n", "empty-header", "Column 2"),
        (b"\na,b\n", "empty-header", "Line 1"),
        (b"\n", "empty-header", "Line 1"),
        (b"a," + b"n" * 201 + b"\n", "long-header", "column 2"),
        (b"\xef\xbb\xbf", "empty-file", "no text"),
        (b"", "empty-file", "empty"),
    ],
)
@pytest.mark.parametrize("piece", [1, 4, PIECE])
def test_what_is_no_table_is_refused_with_its_place(data: bytes, code: str, line: str, piece: int) -> None:
    error = refusal(data, piece, quote='"') if b'"' in data else refusal(data, piece)
    assert error.code == code
    assert line in error.message


@pytest.mark.parametrize("piece", [3, PIECE])
@pytest.mark.parametrize(
    ("data", "encoding", "place"),
    [
        (b"a,b\nok,\xe9\n", "utf-8", "Line 2 (byte 7)"),
        ("a,b\nok,é\n".encode() + b"x,\xc3", "utf-8", "Line 3 (byte 12)"),
        (b"a,b\r\nok,\x81\r\n", "cp1252", "Line 2 (byte 8)"),
        ("a,b\n".encode("utf-16-le") + b"\x00\xd8\n\x00", "utf-16-le", "Line 2 (byte 8)"),
    ],
)
def test_another_encoding_is_refused_with_line_and_byte(
    data: bytes, encoding: str, place: str, piece: int
) -> None:
    error = refusal(data, piece, encoding=encoding)
    assert error.code == "encoding"
    assert place in error.message


def test_too_many_columns_say_both_numbers() -> None:
    error = refusal(",".join(f"c{i}" for i in range(10_000)).encode())
    assert error.code == "too-many-columns"
    assert "10\u202f000" in error.message
    assert "2\u202f000" in error.message


class Endless(io.RawIOBase):
    """A file with one value of 100 MB, which counts how much of it was asked for."""

    def __init__(self, head: bytes, size: int) -> None:
        super().__init__()
        self._head, self._size, self._at, self.taken = head, size, 0, 0

    def readable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = 0, /) -> int:
        self._at = offset if whence == 0 else self._size + offset
        return self._at

    def read(self, size: int | None = -1, /) -> bytes:
        wanted = min(size if size and size > 0 else self._size, self._size - self._at)
        data = self._head[self._at : self._at + wanted].ljust(wanted, b"x")
        self._at += wanted
        self.taken += wanted
        return data


@pytest.mark.parametrize("head", [b"a,b\n1,2\n3,", b'a,b\n1,2\n3,"', b"a,b\n1,2\n"])
def test_one_huge_cell_is_refused_without_loading_it(head: bytes) -> None:
    from worker.engine.io.csv_reader import CsvReader
    from worker.engine.io.dialect import Dialect

    file = Endless(head, 100_000_000)
    with pytest.raises(EngineError) as caught:
        list(CsvReader(file, Dialect(), Limits()).batches())  # type: ignore[arg-type]
    assert caught.value.code == "cell-too-large"
    assert "line 3" in caught.value.message
    assert file.taken < 30_000_000


@pytest.mark.parametrize("mark", ["", '"'])
def test_a_cell_over_the_limit_is_refused_with_line_and_column(mark: str) -> None:
    cell = f"{mark}{'x' * 2_000}{mark}"
    wide = ",".join(["y" * 600] * 2)
    data = f"a,b\n{wide}\n1,{cell}\n".encode()
    error = refusal(data, limits=Limits(cell_bytes=1_000))
    assert error.code == "cell-too-large"
    assert "column 2 of the row on line 3" in error.message


def test_a_row_without_end_is_refused() -> None:
    error = refusal(b"a,b\n" + b"1,2," * 100_000, 4096, limits=Limits(row_bytes=50_000))
    assert error.code == "row-too-long"
    assert "line 2" in error.message


def test_the_limits_on_rows_and_bytes_end_the_reading() -> None:
    data = b"a,b\n" + b"1,2\n" * 1_000
    for limits, code in ((Limits(rows=999), "rows"), (Limits(decoded_bytes=3_000), "memory")):
        error = refusal(data, limits=limits)
        assert isinstance(error, LimitExceeded)
        assert error.code == code
    assert len(read(data, limits=Limits(rows=1_000))) == 1_001


def test_blank_lines_at_the_end_are_no_rows() -> None:
    for end in (b"", b"\n", b"\n\n\n", b"\r\n\r\n"):
        for piece in (1, 2, PIECE):
            assert read(b"a,b\n1,2" + end, piece) == [("a", "b"), ("1", "2")]


def test_in_a_single_column_a_blank_line_is_an_empty_value() -> None:
    assert read(b'a\n\n""\nx\n') == [("a",), ("",), ("",), ("x",)]


def test_a_byte_order_mark_belongs_to_the_file_only_at_its_start() -> None:
    data = codecs.BOM_UTF8 + "a\n\ufeffx\n\ufeffy\n".encode()
    for piece in (1, PIECE):
        assert read(data, piece, encoding="utf-8") == [("a",), ("\ufeffx",), ("\ufeffy",)]


def test_header_only_is_a_table_without_rows() -> None:
    assert read(b"a,b") == [("a", "b")]


def test_no_refusal_holds_a_value() -> None:
    canary = "ZEBRA4711"
    files = [
        f"a,b\n{canary},2\n3\n",
        f'a,b\n"{canary}"x,2\n',
        f'a,b\n"{canary},2\n',
        f"a,b\n{canary},\0\n",
        f"{canary},{canary}\n1,2\n",
        f"{canary},\n",
        f"{canary},b\n{canary}\n",
        f"a,b\n\n{canary},1\n",
        f"{canary * 30},b\n1,2\n",
    ]
    for text in files:
        for data in (text.encode(), text.replace("x", "é").encode("latin-1")):
            said = {"encoding": "utf-8", "quote": '"'}
            error = refusal(data, **said) if data == text.encode() else refusal(data, quote='"')
            assert canary not in f"{error!r} {error.args} {error.param}"


def test_an_undecodable_value_is_not_told() -> None:
    error = refusal("a,b\nZEBRA4711é,2\n".encode("latin-1"), encoding="utf-8")
    assert "ZEBRA" not in repr(error)
    assert error.__context__ is None or error.__suppress_context__


@given(st.text(st.sampled_from('ab",;\n\r '), max_size=30), PIECES)
@example('a\n"', 1)
@example('a,b\n"x""",""\n', 1)
@example('a\n"b"\r', 1)
@settings(deadline=None, max_examples=400)
def test_what_is_accepted_is_what_a_strict_reader_reads(body: str, piece: int) -> None:
    """Either both read the same rows, or ours refuses. Blank lines are the one thing they see differently."""
    text = "x,y\n" + body
    try:
        found = read(text.encode(), piece, delimiter=",", quote='"', encoding="utf-8")
    except EngineError:
        return
    expected = list(csv.reader(io.StringIO(text, newline=""), strict=True))
    assert found == [tuple(row) for row in expected if row]


@pytest.mark.parametrize(
    "text", ["p,q\n", 'p,"q\nr"\n', '"p","q"', 'p,"q""r"\r\n', " p, q \n", "p,\n,q\n", ",\n"]
)
def test_what_must_be_accepted(text: str) -> None:
    expected = [tuple(row) for row in csv.reader(io.StringIO("x,y\n" + text, newline=""), strict=True)]
    for piece in (1, 2, PIECE):
        assert read(("x,y\n" + text).encode(), piece, delimiter=",", quote='"', encoding="utf-8") == expected
