"""Clean files out: the released values and nothing else.

No statistics, no schema of ours, no unused label in a dictionary, no library's notes on where the data came
from. A missing value is an empty field in CSV and a null in Parquet. Both are written chunk by chunk, and
what is written is hashed and counted on its way.
"""

from __future__ import annotations

import hashlib
import io
from collections.abc import Sequence
from typing import TYPE_CHECKING, BinaryIO, NamedTuple, Protocol

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from worker.engine.errors import EngineError
from worker.engine.io import formats
from worker.engine.io.cells import CellMaker, formula_rows, laid_out, quoted
from worker.engine.io.csv_reader import TEXT
from worker.engine.io.formulas import defused_name
from worker.engine.tables.column import Codes, Column
from worker.engine.tables.dense import Numbers, Texts, texts_of
from worker.engine.tables.kinds import Kind
from worker.engine.tables.table import Chunk

if TYPE_CHECKING:
    import pyarrow.parquet as pq

_ROWS_AT_ONCE = 16_384
_PARQUET_MAGIC = b"PAR1"


class Written(NamedTuple):
    """What went out. `formula_cells` were prefixed in CSV and only counted elsewhere."""

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
    """Begin a table of these columns, in this order: `csv`, `parquet`, `xlsx`, `sav`, `dta`."""
    if kind == formats.CSV:
        return CsvWriter(file, names)
    if kind == formats.PARQUET:
        return ParquetWriter(file, names)
    if kind == formats.XLSX:
        return WorkbookWriter(file, names)
    if kind in (formats.SAV, formats.DTA):
        return StatisticalWriter(kind, file, names)
    raise EngineError("output-format", "A table is written as csv, parquet, xlsx, sav or dta.", "out")


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
        self._maker = CellMaker(delimiter, '""' if len(self._names) == 1 else "")  # a blank line is no row
        header = pa.array([defused_name(name) for name in names], pa.string())
        self._out.write(delimiter.join(quoted(header, delimiter).to_pylist()).encode() + b"\n")

    def write(self, chunk: Chunk) -> None:
        """Append rows."""
        columns = [chunk[name] for name in self._names]
        cells = [self._maker.cells(column) for column in columns]
        for first in range(0, chunk.rows, _ROWS_AT_ONCE):
            rows = slice(first, min(first + _ROWS_AT_ONCE, chunk.rows))
            self._out.write(laid_out(cells, rows, self._delimiter))
        self._formulas += sum(formula_rows(column) for column in columns)
        self._rows += chunk.rows

    def close(self) -> Written:
        """All is written already."""
        return Written(self._rows, self._out.size, self._out.sha256, self._formulas)


class ParquetWriter:
    """Text columns, exactly as they are; nothing in the file but values that are in its rows."""

    def __init__(self, file: BinaryIO, names: Sequence[str]) -> None:
        self._out, self._rows, self._formulas = _Counted(file), 0, 0
        self._names = tuple(names)
        self._writer: pq.ParquetWriter | None = None

    def write(self, chunk: Chunk) -> None:
        """Append rows as one row group."""
        if not chunk.rows:
            return
        columns = [chunk[name] for name in self._names]
        self._formulas += sum(formula_rows(column) for column in columns)
        writer = self._writer = self._writer or self._opened(columns)
        arrays = [_as(field.type, column) for field, column in zip(writer.schema, columns, strict=True)]
        writer.write_table(pa.Table.from_arrays(arrays, schema=writer.schema), row_group_size=chunk.rows)
        self._rows += chunk.rows

    def _opened(self, columns: Sequence[Column]) -> pq.ParquetWriter:
        """Columns with many values are written as they are; a list of them would be as long."""
        import pyarrow.parquet as pq

        listed = [column.name for column in columns if not isinstance(column, Numbers | Texts)]
        types = [(name, TEXT if name in listed else pa.string()) for name in self._names]
        return pq.ParquetWriter(
            pa.PythonFile(self._out, mode="w"),
            pa.schema(types),
            compression="zstd",
            use_dictionary=listed,
            write_statistics=False,
            store_schema=False,
        )

    def close(self) -> Written:
        """Write the footer."""
        if self._writer is None:
            nothing: pa.Array = pa.array([], pa.string())
            self._writer = self._opened([Column(name, Kind.TEXT, _NO_CODES, nothing) for name in self._names])
        self._writer.close()
        return Written(self._rows, self._out.size, self._out.sha256, self._formulas)


class WorkbookWriter:
    """A workbook of one sheet; texts that look like formulas stay texts and are counted."""

    def __init__(self, file: BinaryIO, names: Sequence[str]) -> None:
        self._out, self._names, self._formulas = _Counted(file), tuple(names), 0
        from worker.engine.io.workbook_writer import Sheet

        self._sheet = Sheet(self._out, names)

    def write(self, chunk: Chunk) -> None:
        """Append rows."""
        self._formulas += sum(formula_rows(chunk[name]) for name in self._names)
        self._sheet.write(chunk)

    def close(self) -> Written:
        """Write what ends the workbook."""
        self._sheet.close()
        return Written(self._sheet.rows, self._out.size, self._out.sha256, self._formulas)


class StatisticalWriter:
    """A file of SPSS or Stata; texts that look like formulas stay texts and are counted."""

    def __init__(self, kind: str, file: BinaryIO, names: Sequence[str]) -> None:
        self._out, self._names, self._formulas = _Counted(file), tuple(names), 0
        from worker.engine.io.statistical_writer import StatisticalTable

        self._table = StatisticalTable(kind, names)

    def write(self, chunk: Chunk) -> None:
        """Take rows."""
        self._formulas += sum(formula_rows(chunk[name]) for name in self._names)
        self._table.write(chunk)

    def close(self) -> Written:
        """Write all of them."""
        self._out.write(self._table.close())
        return Written(self._table.rows, self._out.size, self._out.sha256, self._formulas)


_NO_CODES = np.zeros(0, np.int32)


def _as(kind: pa.DataType, column: Column) -> pa.Array:
    """The column as its list of labels, or as plain texts."""
    if pa.types.is_dictionary(kind):
        return only_used(column)
    if not isinstance(column, Numbers | Texts):
        return only_used(column).dictionary_decode()
    texts = column.plain if isinstance(column, Texts) else texts_of(column.values, column.others)
    gone = column.missing_rows
    if gone.any():
        texts = pc.if_else(pa.array(gone), pa.scalar(None, texts.type), texts)
    return texts.cast(pa.string())


def only_used(column: Column) -> pa.DictionaryArray:
    """The column with each label that occurs in it once, sorted.

    Parquet writes the whole list of labels: one that no row holds would leave with the file, and one that
    stands there twice would tell apart what was made equal.
    """
    used = np.flatnonzero((np.bincount(column.codes, minlength=len(column.labels)) > 0) & ~column.missing)
    distinct = column.labels.take(pa.array(used)).cast(pa.string()).dictionary_encode()
    order = pc.sort_indices(distinct.dictionary).to_numpy()
    ranks: Codes = np.empty(len(order), np.int32)
    ranks[order] = np.arange(len(order), dtype=np.int32)
    places: Codes = np.full(len(column.labels), -1, np.int32)
    places[used] = ranks[distinct.indices.to_numpy()]
    codes = places[column.codes] if len(column) else _NO_CODES
    hidden = codes < 0
    indices = pa.array(codes, mask=hidden) if hidden.any() else pa.array(codes)
    return pa.DictionaryArray.from_arrays(indices, distinct.dictionary.take(pa.array(order)))
