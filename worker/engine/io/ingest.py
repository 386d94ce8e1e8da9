"""Any input -> our own Parquet table, and its profile, in one pass and bounded memory.

The table holds every text exactly as it was written, dictionary-encoded, in row groups of whole blocks. The
missing codes and the kinds are noted beside the data, not put into them: nothing is lost, and another list of
missing codes needs only another note. A null of a Parquet input stays a null.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from typing import Any, BinaryIO

import pyarrow as pa
import pyarrow.parquet as pq

from worker.engine.io import formats
from worker.engine.io.csv_reader import TEXT, CsvReader
from worker.engine.io.dialect import Dialect, sniff
from worker.engine.io.foreign import readable, said_of
from worker.engine.io.limits import Limits
from worker.engine.io.parquet_reader import METADATA_KEY, ParquetReader
from worker.engine.io.profile import Profile, Profiler
from worker.engine.reporting import NullReporter, Reporter
from worker.engine.table import BLOCK

_CELLS_PER_GROUP = 1 << 23


def ingest(
    raw: BinaryIO,
    table: BinaryIO,
    dialect: Dialect | Mapping[str, Any] | None = None,
    limits: Limits | None = None,
    reporter: Reporter | None = None,
) -> Profile:
    """Read `raw` strictly and write it as a table. What of the dialect is not given is sniffed."""
    limits, reporter = limits or Limits(), reporter or NullReporter()
    reporter.stage("Looking at the file")
    if not isinstance(dialect, Dialect):
        dialect = sniff(raw, dialect)
    foreign = dialect.format not in (formats.CSV, formats.PARQUET)
    raw = readable(raw, limits)
    size = raw.seek(0, os.SEEK_END)
    reader = _reader(raw, dialect, limits)
    reporter.stage("Reading rows")
    profiler = Profiler(reader.names, dialect)
    writer = _TableWriter(table, reader.names)
    for batch in reader.batches():
        profiler.see(batch)
        writer.write(batch)
        reporter.progress(_fraction(reader, raw, size, writer.rows))
    if not writer.rows:
        raise formats.no_rows()
    profile = profiler.result().described(said_of(reader) if foreign else {})
    writer.close({"kinds": profile.kinds, "missing": list(dialect.missing)})
    reporter.progress(1.0)
    return profile


def _reader(raw: BinaryIO, dialect: Dialect, limits: Limits) -> CsvReader | ParquetReader:
    if dialect.format == formats.CSV:
        return CsvReader(raw, dialect, limits)
    return ParquetReader(raw, limits)


def _fraction(reader: CsvReader | ParquetReader, raw: BinaryIO, size: int, rows: int) -> float:
    """Text is read from front to end; Parquet is not."""
    return rows / max(reader.rows, 1) if isinstance(reader, ParquetReader) else raw.tell() / size


class _TableWriter:
    """Gathers batches into row groups of whole blocks."""

    def __init__(self, file: BinaryIO, names: tuple[str, ...]) -> None:
        self._schema = pa.schema([(name, TEXT) for name in names])
        self._step = BLOCK * max(1, min(4, _CELLS_PER_GROUP // (BLOCK * len(names))))
        self._held: list[pa.RecordBatch] = []
        self._waiting = self.rows = 0
        self._writer = pq.ParquetWriter(
            pa.PythonFile(file, mode="w"), self._schema, compression="zstd", write_statistics=False
        )

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
            group = pa.Table.from_batches(self._held, self._schema).unify_dictionaries()
            self._writer.write_table(group, row_group_size=self._step)
            self._held, self._waiting = [], 0

    def close(self, notes: dict[str, Any]) -> None:
        """Write what is left, the notes and the footer."""
        self._flush()
        self._writer.add_key_value_metadata({METADATA_KEY.decode(): json.dumps(notes)})
        self._writer.close()
