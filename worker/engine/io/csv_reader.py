"""Delimited text -> batches of dictionary-encoded text columns, every value exactly as written.

Arrow splits the rows; it is lenient where a table must not be (quotes, blank lines, the mark at the start of
a block), so those are checked here first, and the number of rows is checked against the lines afterwards.
Arrow's own messages hold values and never leave this module.
"""

from __future__ import annotations

import codecs
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from itertools import chain
from typing import Any, BinaryIO

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as arrow_csv

from worker.engine.errors import EngineError
from worker.engine.io import structure
from worker.engine.io.ahead import ahead
from worker.engine.io.declared_lines import declared_blocks
from worker.engine.io.dialect import Dialect
from worker.engine.io.limits import Limits
from worker.engine.io.lines import PIECE, Block, blocks, oversized_cell, surveyed
from worker.engine.io.names import check_names, refuse_too_many
from worker.engine.wording import thousands

TEXT = pa.dictionary(pa.int32(), pa.string())
_LOOKED_AT = 1 << 20
_FEWEST, _MOSTLY = 1000, 0.9


@dataclass(frozen=True)
class _Parser:
    """What stays the same from block to block."""

    dialect: Dialect
    limits: Limits
    names: tuple[str, ...]
    returns_end_rows: bool

    def batches(self, block: Block, kinds: Mapping[str, pa.DataType]) -> Iterator[pa.RecordBatch]:
        seen = surveyed(block, self.dialect)
        self._refuse_blank_line(block, seen)
        self._refuse_stray_return(block, seen)
        try:
            table = _parse(block.data, self.dialect, self.names, kinds)
        except pa.ArrowInvalid:
            raise self._explained(block) from None
        if table.num_rows != seen.rows:
            raise _unreadable(block)
        for batch in table.to_batches():
            self._refuse_large_cells(batch, block)
            yield batch

    def _refuse_blank_line(self, block: Block, seen: structure.Survey) -> None:
        """A blank line would pass for a row of empty values. In a single column it is one."""
        if len(self.names) > 1 and seen.blank_row >= 0:
            line = block.line_at(seen.blank_row)
            raise EngineError(
                "blank-line", f"Line {thousands(line)} is empty. Remove it, or fill in its values."
            )

    def _refuse_stray_return(self, block: Block, seen: structure.Survey) -> None:
        """A carriage return ends rows only in files where it ended the header."""
        if not self.returns_end_rows and seen.stray_return >= 0:
            line = block.line_at(seen.stray_return)
            raise EngineError(
                "stray-return",
                f"Line {thousands(line)} holds a carriage return in the middle of a row. "
                "Remove it, or put quotes around the value that holds it.",
            )

    def _explained(self, block: Block) -> EngineError:
        counts = structure.delimiters_per_row(block.data, self.dialect.delimiter, self.dialect.quote) + 1
        ragged = np.flatnonzero(counts != len(self.names))
        if not len(ragged):
            return _unreadable(block)
        start = structure.row_starts(block.data, self.dialect.quote)[ragged[0]]
        values, line = int(counts[ragged[0]]), block.line_at(int(start))
        return EngineError(
            "ragged-row",
            f"The row on line {thousands(line)} has {thousands(values)} value{'s' * (values != 1)} "
            "where the header has "
            f"{thousands(len(self.names))}. Add or remove a delimiter there, or put quotes around a "
            "value that holds one.",
        )

    def _refuse_large_cells(self, batch: pa.RecordBatch, block: Block) -> None:
        if len(block.data) <= self.limits.cell_bytes:
            return
        for name, column in zip(batch.schema.names, batch.columns, strict=True):
            position = self.names.index(name) + 1
            lengths = pc.binary_length(getattr(column, "dictionary", column))
            if (pc.max(lengths).as_py() or 0) > self.limits.cell_bytes:
                raise oversized_cell(self._line_of_large_cell(block), position, self.limits)

    def _line_of_large_cell(self, block: Block) -> int:
        starts = structure.row_starts(block.data, self.dialect.quote)
        ends = np.append(starts[1:], len(block.data))
        for row in np.flatnonzero(ends - starts > self.limits.cell_bytes):
            text = block.data[starts[row] : ends[row]]
            longest, _ = structure.longest_value(text, self.dialect.delimiter, self.dialect.quote)
            if longest > self.limits.cell_bytes:
                return block.line_at(int(starts[row]))
        return block.line


def _unreadable(block: Block) -> EngineError:
    last = block.line_at(len(block.data))
    return EngineError(
        "unreadable",
        f"Something between line {thousands(block.line)} and line {thousands(last)} cannot be read as a row. "
        "Check the delimiter, the quotes and the line ends there.",
    )


def _parse(
    data: bytes, dialect: Dialect, names: tuple[str, ...], kinds: Mapping[str, pa.DataType]
) -> pa.Table:
    if data.startswith(codecs.BOM_UTF8):
        data = codecs.BOM_UTF8 + data  # Arrow drops one; this one belongs to a value
    return arrow_csv.read_csv(
        pa.py_buffer(data),
        arrow_csv.ReadOptions(column_names=names, block_size=len(data) + 1, use_threads=False),
        arrow_csv.ParseOptions(
            delimiter=dialect.delimiter,
            quote_char=dialect.quote or False,
            double_quote=True,
            newlines_in_values=True,
            ignore_empty_lines=False,
        ),
        arrow_csv.ConvertOptions(
            column_types=kinds,
            include_columns=list(kinds),
            strings_can_be_null=False,
            null_values=[],
            check_utf8=False,
        ),
    )


def _header(first: Block, dialect: Dialect, limits: Limits) -> tuple[tuple[str, ...], Block]:
    """The names in the first row, and what follows it."""
    end = structure.first_row_end(first.data, dialect.quote)
    row = first.data[:end]
    surveyed(Block(row, first.line), dialect)
    if not row.strip(b"\r\n"):
        raise EngineError("empty-header", "Line 1 is empty. Put the names of the columns there.")
    columns = int(structure.delimiters_per_row(row, dialect.delimiter, dialect.quote)[0]) + 1
    refuse_too_many(columns, limits)
    numbered = tuple(str(position) for position in range(columns))
    parsed = _parse(row, dialect, numbered, dict.fromkeys(numbered, TEXT))
    names = tuple(column[0].as_py() for column in parsed.columns)
    check_names(names, limits)
    return names, Block(first.data[end:], first.line_at(end))


def _without_blank_end(rows: Iterable[Block]) -> Iterator[Block]:
    """Blank lines at the end of a file are no rows; elsewhere they are kept, to be refused."""
    held = b""
    for block in rows:
        data, line = held + block.data, block.line - structure.count_line_ends(held)
        kept = len(data.rstrip(b"\r\n"))
        if not kept:
            held = data
            continue
        kept += len(data[kept : kept + 2]) if data.startswith(b"\r\n", kept) else len(data[kept : kept + 1])
        held = data[kept:]
        yield Block(data[:kept], line)


class CsvReader:
    """One reading of a file: names first, then batches."""

    def __init__(
        self, raw: BinaryIO, dialect: Dialect, limits: Limits, piece: int = PIECE, lenient: bool = False
    ) -> None:
        """`lenient` leaves out what is no row instead of refusing the file."""
        rest = (declared_blocks if lenient else blocks)(raw, dialect, limits, piece)
        first = next(rest, None)
        if first is None:
            raise EngineError("empty-file", "The file holds no text. Export the table again and upload that.")
        self.names, body = _header(first, dialect, limits)
        end = len(first.data) - len(body.data)
        returns_end_rows = first.data[end - 1 : end] == b"\r"
        self._parser = _Parser(dialect, limits, self.names, returns_end_rows)
        self._beginning = body.data[:_LOOKED_AT]
        self._blocks: Iterable[Block] = chain([body] if body.data else [], rest)

    def mostly_different(self) -> frozenset[str]:
        """Columns in which nearly all of the first rows differ: no list of their texts is worth making."""
        dialect = self._parser.dialect
        rows = self._beginning[: structure.last_row_end(self._beginning, dialect.quote)]
        try:
            table = _parse(rows, dialect, self.names, dict.fromkeys(self.names, TEXT))
        except pa.ArrowInvalid:
            return frozenset()  # what cannot be read is refused in its turn
        most = _MOSTLY * max(table.num_rows, _FEWEST)
        columns = zip(self.names, table.columns, strict=True)
        return frozenset(name for name, one in columns if sum(len(c.dictionary) for c in one.chunks) > most)

    def batches(
        self,
        names: Sequence[str] | None = None,
        dense: Set[str] = frozenset(),
        then: Callable[[pa.RecordBatch], Any] = lambda batch: batch,
    ) -> Iterator[Any]:
        """All rows, once. Columns in `dense`, which may grow meanwhile, come without a dictionary; `then` is
        done to each batch in the thread that read it."""
        rows = decoded = 0
        several = len(self.names) > 1
        chosen = list(self.names if names is None else names)
        blocks = _without_blank_end(self._blocks) if several else iter(self._blocks)

        def parsed(block: Block) -> tuple[int, int, list[Any]]:
            kinds = {name: pa.string() if name in dense else TEXT for name in chosen}
            found = list(self._parser.batches(block, kinds))
            return len(block.data), sum(batch.num_rows for batch in found), [then(batch) for batch in found]

        for size, more, found in ahead(parsed, blocks):
            decoded, rows = decoded + size, rows + more
            self._parser.limits.check_decoded(decoded)
            self._parser.limits.check_rows(rows)
            yield from found
