"""Write the release: only the columns that leave, sorted by what they show."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import BinaryIO

from worker.engine.errors import EngineError
from worker.engine.execution.beside import RowsBeside, staying_behind, with_places
from worker.engine.execution.dataset import Dataset
from worker.engine.execution.kept import Kept
from worker.engine.execution.sorting import in_order
from worker.engine.io import formats
from worker.engine.io.ahead import ahead
from worker.engine.io.writers import CsvWriter, ParquetWriter, TableWriter, open_writer
from worker.engine.recipes.report import FileJson
from worker.engine.reporting import Reporter
from worker.engine.tables.kinds import Role
from worker.engine.tables.table import BLOCK, Chunk
from worker.engine.tables.vocabulary import Vocabulary

ROWS_PER_WRITE = 4 * BLOCK


@dataclass(frozen=True)
class Output:
    """A file to write: csv, parquet, xlsx, sav or dta."""

    kind: str
    file: BinaryIO
    delimiter: str = ","


@dataclass
class Made:
    """What was written."""

    rows: int = 0
    files: dict[str, FileJson] = field(default_factory=dict)


def write_release(
    data: Dataset,
    kept: Kept,
    names: Sequence[str],
    outputs: Sequence[Output],
    keep_order: bool,
    memory: int | None,
    reporter: Reporter,
    persons: BinaryIO | None = None,
    beside: RowsBeside | None = None,
) -> Made:
    """Write every output in one pass over the rows, which are held in `kept` on their way.

    `persons` takes a 64-bit number for the person of each released row, in released order: with it the
    verification of the bytes can count persons, who are not in the release. `beside` takes where
    each of these rows stood in the input, and the columns that figures hang on and that stay behind.
    """
    reporter.stage("Writing the release")
    writers = [(output, opened_writer(output, names)) for output in outputs]
    person = next(iter(data.schema.named(Role.PERSON_KEY)), None) if persons else None
    back = staying_behind(data.schema, names) if beside else ()
    read = tuple(dict.fromkeys((*names, *back, *((person,) if person else ()))))
    chunks = data.chunks(tuple(dict.fromkeys((*read, *kept.store.columns))))
    if beside:
        read, chunks = (*read, beside.place), with_places(chunks, beside.place)
    stayed = [ParquetWriter(beside.file, (beside.place, *back))] if beside else []
    kept.hold((*kept.store.columns, *(() if keep_order else read)))
    chunks = kept.filled(chunks)
    if not keep_order:
        for _ in chunks:
            pass
        chunks = in_order(kept, names, read, memory)
    numbers = Vocabulary()
    made = Made()

    def write(chunk: Chunk) -> int:
        for writer in (*(one for _, one in writers), *stayed):
            writer.write(chunk)
        if persons is not None and person is not None:
            persons.write(numbers.encode(chunk[person]).astype("<i8").tobytes())
        return chunk.rows

    for rows in ahead(write, chunks, threads=1):  # the next rows are worked out meanwhile
        made.rows += rows
        reporter.progress(made.rows / max(data.rows, 1))
    for one in stayed:
        one.close()
    _conclude(writers, made)
    return made


def _conclude(writers: Sequence[tuple[Output, TableWriter]], made: Made) -> None:
    """Finish the files, and note what each of them is."""
    for output, writer in writers:
        written = writer.close()
        if written.rows != made.rows:
            raise EngineError("rows-lost", "The written file does not hold every row. Run it again.")
        made.files[output.kind] = {
            "sha256": written.sha256,
            "size": written.size,
            "rows": written.rows,
            "formula_cells": written.formula_cells,
        }


def opened_writer(output: Output, names: Sequence[str]) -> TableWriter:
    """The writer of an output, in its dialect."""
    if output.kind == formats.CSV:
        return CsvWriter(output.file, names, output.delimiter)
    return open_writer(output.kind, output.file, names)
