"""A text file as UTF-8 blocks of whole rows that know on which line they begin."""

from __future__ import annotations

import codecs
import os
from collections.abc import Iterator
from typing import BinaryIO, NamedTuple

from worker.engine.errors import EngineError
from worker.engine.io import structure
from worker.engine.io.dialect import Dialect
from worker.engine.io.limits import MEBIBYTE, Limits
from worker.engine.wording import measured, thousands

PIECE = 4 * MEBIBYTE
LEAST_PIECE = MEBIBYTE // 4
PARTS = 4
"""A small file is read in so many pieces, so that several threads have something to parse."""


class Block(NamedTuple):
    """Whole rows. `line` is the number of the first one's line, counted from 1."""

    data: bytes
    line: int

    def line_at(self, position: int) -> int:
        """The line on which a byte stands."""
        return self.line + structure.count_line_ends(self.data[:position])


def piece_of(raw: BinaryIO) -> int:
    """How many bytes to read at a time."""
    return min(PIECE, max(raw.seek(0, os.SEEK_END) // PARTS, LEAST_PIECE))


def decoded(raw: BinaryIO, encoding: str, piece: int = PIECE) -> Iterator[bytes]:
    """The file's text as UTF-8, refused at the first byte that is none or is NUL."""
    decoder = codecs.getincrementaldecoder(encoding)()
    line, offset, begun, read = 1, 0, False, b"-"
    raw.seek(0)
    while read:
        read = raw.read(piece)
        data = _decode(decoder, read, encoding, line, offset)
        if not begun:
            begun, data = bool(data), data.removeprefix(codecs.BOM_UTF8)
        _refuse_nul(data, line)
        line, offset = line + structure.count_line_ends(data), offset + len(read)
        if data:
            yield data


def _decode(decoder: codecs.IncrementalDecoder, read: bytes, encoding: str, line: int, offset: int) -> bytes:
    pending = decoder.getstate()[0]
    if encoding == "utf-8" and read and not pending and read.isascii():
        return read
    try:
        return decoder.decode(read, final=not read).encode()
    except UnicodeDecodeError as error:
        raise _undecodable(error, encoding, line, offset - len(pending)) from None


def _undecodable(error: UnicodeDecodeError, encoding: str, line: int, offset: int) -> EngineError:
    before = error.object[: error.start].decode(encoding, "replace")
    line += structure.count_line_ends(before.encode())
    return EngineError(
        "encoding",
        f"Line {thousands(line)} (byte {thousands(offset + error.start)}) is not {encoding} text. "
        "Read the file with another encoding, or export it again as UTF-8.",
        "data.encoding",
    )


def _refuse_nul(data: bytes, line: int) -> None:
    place = data.find(b"\0")
    if place >= 0:
        raise EngineError(
            "nul-byte",
            f"Line {thousands(line + structure.count_line_ends(data[:place]))} holds a NUL byte, "
            "which no text file "
            "does. If the file is UTF-16, say so as its encoding; otherwise export it again as text.",
        )


def blocks(raw: BinaryIO, dialect: Dialect, limits: Limits, piece: int = PIECE) -> Iterator[Block]:
    """The rows of the file, a few megabytes at a time, never more than one row longer than that."""
    rest, line = b"", 1
    for data in decoded(raw, dialect.encoding, piece):
        rest += data
        end = structure.last_row_end(rest, dialect.quote)
        if end:
            block, rest = Block(rest[:end], line), rest[end:]
            yield block
            line = block.line_at(end)
        if len(rest) > limits.row_bytes:
            raise _endless_row(Block(rest, line), dialect, limits)
    if rest:
        _refuse_open_quote(Block(rest, line), dialect)
        yield Block(rest, line)


def surveyed(block: Block, dialect: Dialect) -> structure.Survey:
    """How many rows begin; refused when a quote stands where none may: then nobody can tell."""
    found = structure.survey(block.data, dialect.quote, dialect.delimiter)
    if (place := found.wrong_quote) >= 0:
        raise EngineError(
            "stray-quote",
            f"Line {thousands(block.line_at(place))} holds a quote in the middle of a value, or a "
            "quote opened before "
            "it is never closed. Double a quote that belongs to a value, or read the file without quotes.",
            "data.quote",
        )
    return found


def _refuse_open_quote(block: Block, dialect: Dialect) -> None:
    surveyed(block, dialect)
    if structure.is_open(block.data, dialect.quote):
        place = block.data.rfind(dialect.quote.encode())
        raise EngineError(
            "open-quote",
            f"The quote that opens on line {thousands(block.line_at(place))} is never closed. Close "
            "it, or read the file without quotes.",
            "data.quote",
        )


def _endless_row(block: Block, dialect: Dialect, limits: Limits) -> EngineError:
    surveyed(block, dialect)
    length, column = structure.longest_value(block.data, dialect.delimiter, dialect.quote)
    if length > limits.cell_bytes:
        return oversized_cell(block.line, column, limits)
    return EngineError(
        "row-too-long",
        f"The row on line {thousands(block.line)} is longer than "
        f"{measured(limits.row_bytes // MEBIBYTE, 'MiB')}, "
        "which is the limit. Check the delimiter, the quotes and the line ends there.",
    )


def oversized_cell(line: int, column: int, limits: Limits) -> EngineError:
    """The refusal of one enormous value."""
    return EngineError(
        "cell-too-large",
        f"The value in column {thousands(column)} of the row on line {thousands(line)} is longer than "
        f"{measured(limits.cell_bytes // 1024, 'KiB')}, which is the limit. "
        "Shorten it, or look for a quote that is not closed.",
    )
