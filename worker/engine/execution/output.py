"""Write the release: only the columns that leave, sorted by what they show."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, BinaryIO

import numpy as np
import pyarrow as pa

from worker.engine.column import Codes, Column
from worker.engine.errors import EngineError, LimitExceeded
from worker.engine.execution.dataset import Dataset
from worker.engine.fields import Role
from worker.engine.io import formats
from worker.engine.io.ahead import ahead
from worker.engine.io.writers import CsvWriter, TableWriter, open_writer
from worker.engine.reporting import Reporter
from worker.engine.table import BLOCK, Chunk, Table
from worker.engine.vocabulary import Vocabulary

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
    files: dict[str, dict[str, Any]] = field(default_factory=dict)


def write_release(
    data: Dataset,
    names: Sequence[str],
    outputs: Sequence[Output],
    keep_order: bool,
    memory: int | None,
    reporter: Reporter,
    persons: BinaryIO | None = None,
) -> Made:
    """Write every output in one pass over the rows.

    `persons` takes a 64-bit number for the person of each released row, in released order: with it the
    verification of the bytes can count persons, who are not in the release.
    """
    reporter.stage("Writing the release")
    writers = [(output, opened_writer(output, names)) for output in outputs]
    person = next(iter(data.schema.named(Role.PERSON_KEY)), None) if persons else None
    read = names if person is None or person in names else (*names, person)
    chunks = data.chunks(read) if keep_order else _sorted(data, names, read, memory)
    numbers = Vocabulary()
    made = Made()

    def write(chunk: Chunk) -> int:
        for _, writer in writers:
            writer.write(chunk)
        if persons is not None and person is not None:
            persons.write(numbers.encode(chunk[person]).astype("<i8").tobytes())
        return chunk.rows

    for rows in ahead(write, chunks, threads=1):  # the next rows are worked out meanwhile
        made.rows += rows
        reporter.progress(made.rows / max(data.rows, 1))
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
    return made


def opened_writer(output: Output, names: Sequence[str]) -> TableWriter:
    """The writer of an output, in its dialect."""
    if output.kind == formats.CSV:
        return CsvWriter(output.file, names, output.delimiter)
    return open_writer(output.kind, output.file, names)


def _sorted(data: Dataset, by: Sequence[str], names: Sequence[str], memory: int | None) -> Iterator[Chunk]:
    """All rows in the order of their released texts, so that nothing of the input's order is told."""
    if memory is not None and data.rows * len(names) * 12 > memory:
        text = (
            "Sorting the released rows does not fit into the memory limit. Allow more memory, or keep the "
            "order of the input (--keep-order) where that order tells nothing."
        )
        raise LimitExceeded("memory", text)
    vocabularies = [Vocabulary() for _ in names]
    pieces: list[list[Codes]] = [[] for _ in names]
    rows = 0
    kinds: dict[str, Column] = {}
    for chunk in data.chunks(names):
        rows += chunk.rows
        for position, name in enumerate(names):
            kinds[name] = chunk[name]
            pieces[position].append(vocabularies[position].encode(chunk[name]))
    whole = []
    for name, vocabulary, codes in zip(names, vocabularies, pieces, strict=True):
        ranks, texts, missing = vocabulary.sorted()
        joined = np.concatenate(codes) if codes else np.zeros(0, np.int32)
        ranked = ranks[joined] if len(ranks) else joined
        kind = kinds[name].kind if name in kinds else data.schema[name].kind
        whole.append(Column(name, kind, ranked, pa.array(texts, pa.string()), missing))
    order = np.lexsort([column.codes for column in reversed(whole[: len(by)])])
    for first in range(0, rows, ROWS_PER_WRITE):
        at = order[first : first + ROWS_PER_WRITE]
        yield Table([column.take(at) for column in whole], first, len(at))
