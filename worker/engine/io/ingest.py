"""Any input -> our own Parquet table, and its profile, in one pass and bounded memory.

The table holds every text exactly as it was written, dictionary-encoded, in row groups of whole blocks. The
missing codes and the kinds are noted beside the data, not put into them: nothing is lost, and another list of
missing codes needs only another note. A null of a Parquet input stays a null.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, BinaryIO

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from worker.engine.io import formats, value_counts
from worker.engine.io.ahead import ahead
from worker.engine.io.csv_reader import TEXT, CsvReader
from worker.engine.io.dialect import Dialect, DialectJson, sniff
from worker.engine.io.foreign import readable, said_of
from worker.engine.io.likeness import Likenesses, Numbered
from worker.engine.io.limits import Limits
from worker.engine.io.parquet_reader import METADATA_KEY, ParquetReader
from worker.engine.io.profile import ColumnPart, Profile, Profiler
from worker.engine.io.value_counts import ColumnCounts
from worker.engine.reporting import NullReporter, Reporter
from worker.engine.tables.table import BLOCK

_CELLS_PER_GROUP = 1 << 23


@dataclass(frozen=True)
class Likeness:
    """Where to keep what tells people apart, and the key of the site that its numbers are made under."""

    file: BinaryIO
    key: bytes


def ingest(
    raw: BinaryIO,
    table: BinaryIO,
    dialect: Dialect | DialectJson | None = None,
    limits: Limits | None = None,
    reporter: Reporter | None = None,
    likeness: Likeness | None = None,
    values: BinaryIO | None = None,
) -> Profile:
    """Read `raw` strictly and write it as a table. What of the dialect is not given is sniffed.

    With a `likeness`, what the people can be recognised by is kept too; with `values`, those of each column.
    """
    limits, reporter = limits or Limits(), reporter or NullReporter()
    reporter.stage("Looking at the file")
    if not isinstance(dialect, Dialect):
        dialect = sniff(raw, dialect)
    foreign = dialect.format not in (formats.CSV, formats.PARQUET)
    raw = readable(raw, limits)
    size = raw.seek(0, os.SEEK_END)
    reader = _reader(raw, dialect, limits)
    reporter.stage("Reading rows")
    counts = {} if values is None else {name: ColumnCounts(len(reader.names)) for name in reader.names}
    profiler = Profiler(reader.names, dialect, counts)
    writer = _TableWriter(table, reader.names)
    alike = Likenesses(reader.names, dialect.missing, likeness.key) if likeness else None

    def looked_at(read: pa.RecordBatch) -> _Seen:
        batch = _coded(read)
        return _Seen(batch, profiler.parts(batch), alike.numbered(batch) if alike is not None else None)

    for seen in _ahead(reader, looked_at):
        profiler.add(seen.batch, seen.parts)
        if alike is not None and seen.alike is not None:
            alike.add(seen.alike)
        writer.write(seen.batch)
        reporter.progress(_fraction(reader, raw, size, writer.rows))
    if not writer.rows:
        raise formats.no_rows()
    profile = profiler.result().described(said_of(reader) if foreign else {})
    if likeness is not None and alike is not None:
        alike.write(likeness.file)
    if values is not None:
        value_counts.write(values, counts)
    writer.close({"kinds": profile.kinds, "missing": list(dialect.missing)})
    reporter.progress(1.0)
    return profile


@dataclass(frozen=True, slots=True)
class _Seen:
    """A batch, and what the thread that read it found."""

    batch: pa.RecordBatch
    parts: list[ColumnPart]
    alike: Numbered | None


def _ahead(
    reader: CsvReader | ParquetReader, looked_at: Callable[[pa.RecordBatch], _Seen]
) -> Iterator[_Seen]:
    """Batches in their order, each looked at in a thread."""
    if isinstance(reader, CsvReader):
        return reader.batches(dense=reader.mostly_different(), then=looked_at)
    return ahead(looked_at, reader.batches())


def _coded(batch: pa.RecordBatch) -> pa.RecordBatch:
    """The same rows; where a column came without a list, each row has a code of its own."""
    each = pa.array(np.arange(batch.num_rows, dtype=np.int32))
    columns = [
        pa.DictionaryArray.from_arrays(each, one) if pa.types.is_string(one.type) else one
        for one in batch.columns
    ]
    return pa.RecordBatch.from_arrays(columns, batch.schema.names)


def _reader(raw: BinaryIO, dialect: Dialect, limits: Limits) -> CsvReader | ParquetReader:
    if dialect.format == formats.CSV:
        return CsvReader(raw, dialect, limits)
    return ParquetReader(raw, limits)


def _fraction(reader: CsvReader | ParquetReader, raw: BinaryIO, size: int, rows: int) -> float:
    """Text is read from front to end; Parquet is not."""
    return rows / max(reader.rows, 1) if isinstance(reader, ParquetReader) else raw.tell() / size


class _TableWriter:
    """Gathers batches into row groups of whole blocks.

    A column in which most rows of the first group differ is written as its texts: a list of them would hardly
    be shorter than the column.
    """

    def __init__(self, file: BinaryIO, names: tuple[str, ...]) -> None:
        self._file = file
        self._step = BLOCK * max(1, min(4, _CELLS_PER_GROUP // (BLOCK * len(names))))
        self._held: list[pa.RecordBatch] = []
        self._waiting = self.rows = 0
        self._writer: pq.ParquetWriter | None = None

    def write(self, batch: pa.RecordBatch) -> None:
        """Take a batch; a row group goes out when it is full."""
        for piece in self._cut(batch):
            self._held.append(piece)
            self._waiting += piece.num_rows
            if self._waiting == self._step:
                self._flush()
        self.rows += batch.num_rows

    def _cut(self, batch: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
        """At the border of a row group."""
        start = 0
        while start < batch.num_rows:
            piece = batch.slice(start, self._step - self._waiting)
            start += piece.num_rows
            yield piece

    def _flush(self) -> None:
        if self._held:
            group = pa.Table.from_batches(self._held)
            self._writer = self._writer or self._begun(group)
            group = group.cast(self._writer.schema).unify_dictionaries()
            self._writer.write_table(group, row_group_size=self._step)
            self._held, self._waiting = [], 0

    def _begun(self, first: pa.Table) -> pq.ParquetWriter:
        names = first.column_names
        listed = [name for name in names if not _mostly_differ(first[name])]
        return pq.ParquetWriter(
            pa.PythonFile(self._file, mode="w"),
            pa.schema([(name, TEXT if name in listed else TEXT.value_type) for name in names]),
            compression="zstd",
            use_dictionary=listed,
            write_statistics=False,
        )

    def close(self, notes: dict[str, Any]) -> None:
        """Write what is left, the notes and the footer."""
        self._flush()
        assert self._writer is not None, "a table has rows"
        self._writer.add_key_value_metadata({METADATA_KEY.decode(): json.dumps(notes)})
        self._writer.close()


def _mostly_differ(column: pa.ChunkedArray) -> bool:
    """Whether there are more than half as many texts as rows."""
    return 2 * sum(len(piece.dictionary) for piece in column.chunks) > len(column)
