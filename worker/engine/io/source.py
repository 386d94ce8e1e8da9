"""A file as a table that can be read again and again: schema, rows, chunks of whole blocks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import BinaryIO, Protocol

import numpy as np
import pyarrow as pa

from worker.engine.errors import EngineError, LimitExceeded
from worker.engine.io import formats
from worker.engine.io.csv_reader import TEXT, CsvReader
from worker.engine.io.dialect import Dialect, DialectJson, sniff
from worker.engine.io.foreign import readable
from worker.engine.io.limits import Limits
from worker.engine.io.lines import piece_of
from worker.engine.io.parquet_reader import ParquetReader
from worker.engine.io.store import Store
from worker.engine.tables.column import MISSING_TEXTS, Codes, Column, Mask, marks
from worker.engine.tables.kinds import Kind
from worker.engine.tables.table import BLOCK, Chunk, Field, Schema, Table, TableSource, no_such_column

BLOCKS_PER_CHUNK = 16
BLOCKS_PER_SEGMENT = 4
ROOM_SHARE = 4
"""This part of the memory may hold rows; the rest is for working on them."""
_CELLS_PER_CHUNK = 1 << 25


@dataclass(frozen=True)
class _Domain:
    """A column's labels over all rows, and how each piece's own codes translate into them."""

    labels: pa.Array
    maps: tuple[Codes, ...]
    missing: Mask


def open_table(
    file: BinaryIO,
    dialect: Dialect | DialectJson | None = None,
    limits: Limits | None = None,
    columns: Sequence[str] | None = None,
    memory: int | None = None,
    lenient: bool = False,
) -> TableSource:
    """Open a table by its content. `dialect` may hold only what is known; the rest is sniffed.

    `columns` are those that will be asked for: they are read once, and kept small within a part of `memory`.
    Without them Parquet is streamed again and again, and text is read once with all its columns. `lenient`
    leaves out lines of text that are no rows instead of refusing the file.
    """
    limits = limits or Limits()
    file = readable(file, limits)
    if formats.detect(file) == formats.PARQUET:
        parquet, said = ParquetReader(file, limits), _said_missing(dialect)
        if columns is None:
            return ParquetSource(parquet, said)
        noted = frozenset(parquet.metadata.get("missing") or ()) if said is None else said
        return StoredSource(_ParquetRows(parquet), noted, columns, memory)
    if not isinstance(dialect, Dialect):
        dialect = sniff(file, dialect, suggesting=False)
    return StoredSource(
        _TextRows(file, dialect, limits, lenient), frozenset(dialect.missing), columns, memory
    )


def open_side_by_side(
    files: Sequence[BinaryIO], columns: Sequence[str], memory: int | None = None
) -> TableSource:
    """Parquet files that hold columns of the same rows, as one table."""
    readers = [ParquetReader(file, Limits()) for file in files]
    if len({one.rows for one in readers}) > 1:
        raise EngineError("verification", "The files do not hold the same rows.")
    return StoredSource(_ParquetRows(*readers), frozenset(), columns, memory)


def _said_missing(dialect: Dialect | DialectJson | None) -> frozenset[str] | None:
    """A list that somebody gave; without one the table's own note counts."""
    said = dialect.missing if isinstance(dialect, Dialect) else (dialect or {}).get("missing")
    return frozenset(said) if said else None


class _Rows(Protocol):
    """A file that can be read from its beginning."""

    names: tuple[str, ...]
    kinds: Mapping[str, str]

    def fill(self, store: Store) -> None:
        """All rows of the store's columns."""


class _TextRows:
    """Delimited text."""

    def __init__(self, file: BinaryIO, dialect: Dialect, limits: Limits, lenient: bool) -> None:
        self._file, self._dialect, self._limits, self._lenient = file, dialect, limits, lenient
        self._begun: CsvReader | None = self._open()
        self.names = self._begun.names
        self.kinds: Mapping[str, str] = {}

    def fill(self, store: Store) -> None:
        """All rows of the store's columns; the reader that told the names goes on where it stands."""
        reader, self._begun = self._begun or self._open(), None
        store.fill(reader.batches(tuple(store.columns), store.dense, store.prepared))

    def _open(self) -> CsvReader:
        if self._lenient:
            return CsvReader(self._file, self._dialect, self._limits, lenient=True)
        return CsvReader(self._file, self._dialect, self._limits, piece_of(self._file))


class _ParquetRows:
    """A Parquet file, or several that hold columns of the same rows."""

    def __init__(self, *readers: ParquetReader) -> None:
        self._readers = {name: one for one in readers for name in one.names}
        self.names = tuple(self._readers)
        self.kinds: Mapping[str, str] = readers[0].metadata.get("kinds") or {}

    def fill(self, store: Store) -> None:
        """All rows of the store's columns."""
        store.fill_columns(self._column)

    def _column(self, name: str, dense: Set[str]) -> Iterator[pa.Array]:
        return self._readers[name].column(name, dense)


class StoredSource:
    """A file read once: what was asked for stays within reach, in as little room as it needs."""

    def __init__(
        self, rows: _Rows, missing: frozenset[str], columns: Sequence[str] | None, memory: int | None
    ) -> None:
        wanted = rows.names if columns is None else [name for name in rows.names if name in set(columns)]
        self._rows, self._missing = rows, missing
        self._room = None if memory is None else memory // ROOM_SHARE
        self._segment = min(BLOCKS_PER_SEGMENT, _blocks(max(len(wanted), 1))) * BLOCK
        self._stores: dict[str, Store] = {}
        self.rows = self._read(wanted or rows.names[:1]).rows
        self.schema = Schema(tuple(Field(name, self._kind(name)) for name in rows.names))

    def chunks(self, columns: Sequence[str] | None = None) -> Iterator[Chunk]:
        """The rows in order, with only the columns asked for, in the order asked for."""
        names = self.schema.names if columns is None else tuple(columns)
        for name in names:
            if name not in self.schema:
                raise no_such_column(name)
        if late := [name for name in names if name not in self._stores]:
            self._read(late)
        for number, first, rows in next(iter(self._stores.values())).segments():
            columns_of = (self._stores[name].column(name, number, self.schema[name].kind) for name in names)
            yield Table(columns_of, first, rows)

    def _read(self, names: Sequence[str]) -> Store:
        store = Store(names, self._missing, self._segment, self._room)
        self._rows.fill(store)
        self._stores |= dict.fromkeys(names, store)
        return store

    def _kind(self, name: str) -> Kind:
        """What the file notes; what its texts show; text where nobody has looked."""
        if name in self._rows.kinds:
            return _kind(self._rows.kinds[name])
        return self._stores[name].kind(name) if name in self._stores else Kind.TEXT


def _blocks(columns: int) -> int:
    """Fewer rows at a time when there are many columns."""
    return max(1, min(BLOCKS_PER_CHUNK, _CELLS_PER_CHUNK // (BLOCK * max(1, columns))))


def _unify(pieces: Iterable[pa.DictionaryArray], missing: frozenset[str]) -> _Domain:
    """One list of labels for all pieces, by letting Arrow translate each piece's own list."""
    own = [_with_empty(piece) for piece in pieces]
    given = own or [pa.array([""], pa.string())]
    listed = [pa.DictionaryArray.from_arrays(pa.array(np.arange(len(o), dtype=np.int32)), o) for o in given]
    try:
        joined = pa.chunked_array(listed, type=TEXT).unify_dictionaries()
    except pa.ArrowInvalid:
        raise LimitExceeded(
            "memory", "One column holds more different text than can be worked with. Leave out free text."
        ) from None
    labels = joined.chunk(0).dictionary
    maps = tuple(chunk.indices.to_numpy() for chunk in joined.chunks[: len(own)])
    return _Domain(labels, maps, marks(labels, missing | MISSING_TEXTS))


def _with_empty(piece: pa.DictionaryArray) -> pa.Array:
    """The piece's labels, and the empty text at the end where it has nulls."""
    labels = piece.dictionary
    if labels.null_count:
        labels = labels.fill_null("")
    return pa.concat_arrays([labels, pa.array([""], pa.string())]) if piece.indices.null_count else labels


def _translated(piece: pa.DictionaryArray, to: Codes) -> Codes:
    indices = piece.indices
    if indices.null_count:
        indices = indices.fill_null(len(to) - 1)
    codes: Codes = to[indices.to_numpy()] if len(indices) else np.empty(0, np.int32)
    return codes


class ParquetSource:
    """A Parquet file, streamed; a column's labels are gathered when the column is first asked for."""

    def __init__(self, reader: ParquetReader, missing: frozenset[str] | None = None) -> None:
        noted = reader.metadata
        kinds = noted.get("kinds") or {}
        self._reader = reader
        self._missing = frozenset(noted.get("missing") or ()) if missing is None else missing
        self.schema = Schema(tuple(Field(name, _kind(kinds.get(name))) for name in reader.names))
        self._domains: dict[str, _Domain] = {}

    @property
    def rows(self) -> int:
        """How many rows there are."""
        return self._reader.rows

    def chunks(self, columns: Sequence[str] | None = None) -> Iterator[Chunk]:
        """The rows in order, with only the columns asked for, in the order asked for."""
        names = self.schema.names if columns is None else tuple(columns)
        step = _blocks(len(names)) * BLOCK
        streams = [_in_steps(self._codes(name), step) for name in names]
        for first in range(0, self.rows, step):
            rows = min(step, self.rows - first)
            yield Table([self._column(n, next(s)) for n, s in zip(names, streams, strict=True)], first, rows)

    def _column(self, name: str, codes: Codes) -> Column:
        domain = self._domains[name]
        return Column(name, self.schema[name].kind, codes, domain.labels, domain.missing)

    def _codes(self, name: str) -> Iterator[Codes]:
        domain = self._domain(name)
        for piece, to in zip(self._reader.column(name), domain.maps, strict=True):
            yield _translated(piece, to)

    def _domain(self, name: str) -> _Domain:
        if name not in self._domains:
            if name not in self.schema:
                raise no_such_column(name)
            self._domains[name] = _unify(self._reader.column(name), self._missing)
        return self._domains[name]


def _kind(noted: object) -> Kind:
    try:
        return Kind(str(noted))
    except ValueError:
        return Kind.TEXT


def _in_steps(pieces: Iterator[Codes], step: int) -> Iterator[Codes]:
    """The same codes, so many at a time."""
    held: list[Codes] = []
    rows = 0
    for piece in pieces:
        held.append(piece)
        rows += len(piece)
        while rows >= step:
            joined = np.concatenate(held)
            yield joined[:step]
            held, rows = [joined[step:]], rows - step
    if rows:
        yield np.concatenate(held)
