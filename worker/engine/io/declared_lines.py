"""Text whose structure was declared: every line is a row by itself, and what is none is left out.

A step with differential privacy may not be stopped, and other rows not be moved, by what one row holds. So a
quote ends with its line at the latest, a byte that is no text becomes a mark for that, and a line that is
ragged, empty, too long or badly quoted is dropped without a word: the same as a person in no cell.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from typing import Any, BinaryIO

import numpy as np

from worker.engine.arrays import Longs
from worker.engine.errors import EngineError
from worker.engine.io import structure
from worker.engine.io.dialect import Dialect
from worker.engine.io.limits import Limits
from worker.engine.io.lines import PIECE, Block

Flags = np.ndarray[Any, np.dtype[np.bool_]]
LINE_END = b"\n"
MANY_BYTES = ("gb18030", "big5", "shift-jis", "euc-kr")
"""Encodings in which a byte that stands alone could take the end of its line with it."""


def declared_blocks(raw: BinaryIO, dialect: Dialect, limits: Limits, piece: int = PIECE) -> Iterator[Block]:
    """The header, and the rows that have as many values. A header that is none is the reader's to refuse."""
    if dialect.encoding.startswith("utf-16"):
        text = "data.encoding: one byte moves all others in UTF-16. Save the file as UTF-8, and say so here."
        raise EngineError("encoding", text, "data.encoding")
    rows: _Rows | None = None
    for data in _whole_lines(raw, limits, piece):
        lines = _text(data, dialect)
        if rows is None:
            header, end, lines = lines.removeprefix(codecs.BOM_UTF8).partition(LINE_END)
            yield Block(header + end, 1)
            rows = _Rows(header, dialect, limits)
        if kept := rows.kept(lines):
            yield Block(kept, 2)


def _whole_lines(raw: BinaryIO, limits: Limits, piece: int) -> Iterator[bytes]:
    """Pieces of whole lines; what is longer than any row may be is made a line that is none."""
    raw.seek(0)
    held, returns = b"", None
    while read := raw.read(piece):
        returns = _returns_end_lines(read) if returns is None else returns
        held += read.replace(b"\r", LINE_END) if returns else read
        end = held.rfind(LINE_END) + 1
        if end:
            yield held[:end]
        held = held[end:] if len(held) - end <= limits.row_bytes else b"\0"
    if held:
        yield held + LINE_END


def _returns_end_lines(start: bytes) -> bool:
    """Whether lines end by carriage returns alone, as the header's does."""
    header = start[: start.find(LINE_END)] if LINE_END in start else start
    return b"\r" in header[:-1]


def _text(data: bytes, dialect: Dialect) -> bytes:
    """As UTF-8; what is no text of the encoding is marked as such."""
    encoding = dialect.encoding.removesuffix("-sig")
    if encoding == "utf-8" and data.isascii():
        return data
    if encoding not in MANY_BYTES:
        return data.decode(encoding, "replace").encode()
    lines = (line.decode(encoding, "replace").replace("\n", "") for line in data.split(LINE_END)[:-1])
    return "".join(f"{line}\n" for line in lines).encode()


class _Rows:
    """Which lines are rows of this file."""

    def __init__(self, header: bytes, dialect: Dialect, limits: Limits) -> None:
        self._delimiter, self._quote = dialect.delimiter, dialect.quote
        self._longest = limits.cell_bytes
        found = structure.delimiters_per_row(header, self._delimiter, self._quote)
        self._marks = int(found[0]) if len(found) else 0
        self._pattern = re.compile(_pattern(dialect, self._marks).encode())

    def kept(self, data: bytes) -> bytes:
        """The lines that are rows."""
        array = np.frombuffer(data, np.uint8)
        ends = np.flatnonzero(array == structure.LF) + 1
        starts = np.append(0, ends[:-1])
        fits = ends - starts <= self._longest
        fits &= self._counted(data, starts, self._delimiter) == self._marks
        if b"\0" in data:
            fits &= self._counted(data, starts, "\0") == 0
        odd = self._odd(data, array, starts, ends)
        for line in np.flatnonzero(odd).tolist():
            fits[line] = self._is_row(data[starts[line] : ends[line]])
        if fits.all():
            return data
        return bytes(array[np.repeat(fits, ends - starts)].data)

    def _counted(self, data: bytes, starts: Longs, mark: str) -> Longs:
        """How often a mark stands in each line, quoted or not."""
        marks = structure.positions(data, mark)
        return np.diff(np.append(np.searchsorted(marks, starts), len(marks)))

    def _odd(self, data: bytes, array: Any, starts: Longs, ends: Longs) -> Flags:
        """Lines with quotes, or with a carriage return elsewhere than at their end."""
        odd = np.zeros(len(starts), bool)
        if self._quote and self._quote.encode() in data:
            odd |= self._counted(data, starts, self._quote) > 0
        if b"\r" in data:
            at_end = array[np.maximum(ends - 2, 0)] == structure.CR
            odd |= self._counted(data, starts, "\r") > at_end
        return odd

    def _is_row(self, line: bytes) -> bool:
        plain = line.removesuffix(LINE_END).removesuffix(b"\r")
        if len(line) > self._longest or b"\0" in plain or b"\r" in plain:
            return False
        return self._pattern.fullmatch(plain) is not None


def _pattern(dialect: Dialect, marks: int) -> str:
    """A row whose quotes stand at the borders of values, or doubled within."""
    mark, quote = re.escape(dialect.delimiter), re.escape(dialect.quote)
    value = f"[^{mark}]*+"
    if quote:
        value = f"(?:{quote}(?:[^{quote}]|{quote}{quote})*+{quote}|[^{quote}{mark}]*+)"
    return f"{value}(?:{mark}{value}){{{marks}}}"
