"""Clean files out: the released values and nothing else.

No statistics, no schema of ours, no unused label in a dictionary, no library's notes on where the data came
from. A missing value is an empty field in CSV and a null in Parquet. Both are written chunk by chunk, and
what is written is hashed and counted on its way.
"""

from __future__ import annotations

import hashlib
import io
from collections.abc import Sequence
from typing import BinaryIO, NamedTuple, Protocol

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from worker.engine.column import Column
from worker.engine.errors import EngineError
from worker.engine.io import formats
from worker.engine.io.csv_reader import TEXT
from worker.engine.io.formulas import defused, defused_name, risky_labels
from worker.engine.table import Chunk

_ROWS_AT_ONCE = 65_536
_PARQUET_MAGIC = b"PAR1"


class Written(NamedTuple):
    """What went out. `formula_cells` were prefixed in CSV and only counted in Parquet."""

    rows: int
    size: int
    sha256: str
    formula_cells: int


class TableWriter(Protocol):
    """Takes chunks, then says what it wrote."""

    def write(self, chunk: Chunk) -> None:
        """Append the rows of a chunk that holds all the columns."""

    def close(self) -> Written:
        """Finish the table. The file itself stays open."""


def open_writer(kind: str, file: BinaryIO, names: Sequence[str]) -> TableWriter:
    """Begin a table of these columns, in this order, as `csv` or `parquet`."""
    if kind == formats.CSV:
        return CsvWriter(file, names)
    if kind == formats.PARQUET:
        return ParquetWriter(file, names)
    raise EngineError("output-format", "A table is written as csv or parquet.", "out")


class _Counted(io.RawIOBase):
    """Passes bytes on, hashing and counting them."""

    def __init__(self, file: BinaryIO) -> None:
        super().__init__()
        self._file, self._hash, self.size = file, hashlib.sha256(), 0

    def writable(self) -> bool:
        return True

    def tell(self) -> int:
        return self.size

    def write(self, data: object, /) -> int:
        view = memoryview(data).cast("B")  # type: ignore[arg-type]
        self._hash.update(view)
        self.size += len(view)
        left = view
        while left:
            left = left[self._file.write(left) :]
        return len(view)

    @property
    def sha256(self) -> str:
        return self._hash.hexdigest()


class CsvWriter:
    """RFC 4180 quoting where it is needed, lines end in LF, UTF-8 without a mark."""

    def __init__(self, file: BinaryIO, names: Sequence[str], delimiter: str = ",") -> None:
        self._out, self._names, self._delimiter = _Counted(file), tuple(names), delimiter
        self._rows = self._formulas = 0
        header = pa.array([defused_name(name) for name in names], pa.string())
        self._out.write(delimiter.join(self._quoted(header).to_pylist()).encode() + b"\n")

    def write(self, chunk: Chunk) -> None:
        """Append rows."""
        texts = [self._texts(chunk[name], name == self._names[-1]) for name in self._names]
        for first in range(0, chunk.rows, _ROWS_AT_ONCE):
            rows = slice(first, first + _ROWS_AT_ONCE)
            values = [labels.take(pa.array(codes[rows])) for labels, codes in texts]
            self._out.write(_joined(values, self._delimiter))
        self._rows += chunk.rows

    def _texts(
        self, column: Column, is_last: bool
    ) -> tuple[pa.Array, np.ndarray[tuple[int], np.dtype[np.int32]]]:
        """Each label as it stands in the file; the last column brings the line end with it."""
        found = risky_labels(column)
        self._formulas += _rows_with(column, found)
        labels = self._quoted(defused(column.labels, found))
        nothing = '""' if len(self._names) == 1 else ""  # a blank line would be no row
        labels = pc.if_else(pa.array(column.missing), nothing, labels)
        return (pc.binary_join_element_wise(labels, "\n", "") if is_last else labels), column.codes

    def _quoted(self, texts: pa.Array) -> pa.Array:
        special = pc.match_substring_regex(texts, f'[{self._delimiter}"\r\n]')
        if not pc.any(special).as_py():
            return texts
        doubled = pc.replace_substring(texts, '"', '""')
        return pc.if_else(special, pc.binary_join_element_wise('"', doubled, '"', ""), texts)

    def close(self) -> Written:
        """All is written already."""
        return Written(self._rows, self._out.size, self._out.sha256, self._formulas)


def _joined(values: Sequence[pa.Array], delimiter: str) -> memoryview:
    """The bytes of all rows, which lie one after the other in the joined array."""
    lines = pc.binary_join_element_wise(
        *(v.cast(pa.large_string()) for v in values), pa.scalar(delimiter, pa.large_string())
    )
    offsets = np.frombuffer(lines.buffers()[1], np.int64)[lines.offset : lines.offset + len(lines) + 1]
    return memoryview(lines.buffers()[2])[int(offsets[0]) : int(offsets[-1])]


def _rows_with(column: Column, found: pa.Array) -> int:
    """How many rows hold one of the labels found; a missing code is not written and does not count."""
    marked = found.to_numpy(zero_copy_only=False).astype(bool) & ~column.missing
    return int(np.count_nonzero(marked[column.codes])) if marked.any() else 0


class ParquetWriter:
    """Text columns, exactly as they are; nothing in the file but values that are in its rows."""

    def __init__(self, file: BinaryIO, names: Sequence[str]) -> None:
        self._out, self._rows, self._formulas = _Counted(file), 0, 0
        self._schema = pa.schema([(name, TEXT) for name in names])
        self._writer = pq.ParquetWriter(
            pa.PythonFile(self._out, mode="w"),
            self._schema,
            compression="zstd",
            write_statistics=False,
            store_schema=False,
        )

    def write(self, chunk: Chunk) -> None:
        """Append rows as one row group."""
        if not chunk.rows:
            return
        columns = [chunk[name] for name in self._schema.names]
        self._formulas += sum(_rows_with(column, risky_labels(column)) for column in columns)
        table = pa.Table.from_arrays([only_used(column) for column in columns], schema=self._schema)
        self._writer.write_table(table, row_group_size=chunk.rows)
        self._rows += chunk.rows

    def close(self) -> Written:
        """Write the footer."""
        self._writer.close()
        return Written(self._rows, self._out.size, self._out.sha256, self._formulas)


def only_used(column: Column) -> pa.DictionaryArray:
    """The column with each label that occurs in it once, sorted.

    Parquet writes the whole list of labels: one that no row holds would leave with the file, and one that
    stands there twice would tell apart what was made equal.
    """
    distinct = column.labels.cast(pa.string()).dictionary_encode()
    same = np.asarray(distinct.indices.to_numpy(), np.int32)
    codes = same[column.codes] if len(same) else column.codes
    hidden = column.missing_rows
    used = np.unique(codes[~hidden])
    labels = distinct.dictionary.take(pa.array(used))
    order = pc.sort_indices(labels).to_numpy()
    places = np.zeros(len(distinct.dictionary) + 1, np.int32)
    places[used[order]] = np.arange(len(used), dtype=np.int32)
    return pa.DictionaryArray.from_arrays(pa.array(places[codes], mask=hidden), labels.take(pa.array(order)))
