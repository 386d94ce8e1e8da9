"""What a run keeps beside its release, so that the release can be measured again as the run measured it.

Where a row stood in the input, and the columns that tell whose it is and what it weighs, stay behind: here
they lie row by row in the order of the release. Guarded like raw data.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import BinaryIO

import numpy as np
import pyarrow as pa

from worker.engine.errors import EngineError
from worker.engine.execution.dataset import Dataset
from worker.engine.execution.kept import Kept
from worker.engine.tables.column import Mask
from worker.engine.tables.dense import Numbers, codes_of
from worker.engine.tables.kinds import Kind, Role
from worker.engine.tables.summaries import joined_table
from worker.engine.tables.table import WHOLE_CELL, Chunk, Schema, Table, TableSource

FIGURES_HANG_ON = (Role.PERSON_KEY, Role.WEIGHT)


@dataclass(frozen=True)
class Beside:
    """Where it is put: as Parquet, and a bit for each row of the input. What there is none of stays empty."""

    columns: BinaryIO
    held_out: BinaryIO


@dataclass(frozen=True)
class RowsBeside:
    """Where the rows of it go, and what the column is called that says where each stood."""

    file: BinaryIO
    place: str


def staying_behind(schema: Schema, released: Sequence[str]) -> tuple[str, ...]:
    """The columns that figures hang on and that do not leave."""
    return tuple(name for name in schema.named(*FIGURES_HANG_ON) if name not in released)


def place_among(names: Collection[str]) -> str:
    """What the column is called that says where a row stood: no column of the data has this name."""
    name = "place"
    while name in names:
        name += "_"
    return name


def with_places(chunks: Iterable[Chunk], name: str) -> Iterator[Chunk]:
    """The same rows, each with its number in the input."""
    for chunk in chunks:
        places = codes_of(pa.array(chunk.row_ids))
        yield chunk.with_columns(Numbers(name, Kind.INTEGER, places, pa.array([], pa.string())))


def laid_back(made: Dataset, source: TableSource, place: str, memory: int | None) -> Kept | None:
    """Released rows in the order in which they stood in the input; None where memory does not allow it.

    `source` has the places beside what `made` has.
    """
    names = made.schema.names
    if memory is not None and WHOLE_CELL * made.rows * (len(names) + 1) > memory // 2:
        return None
    table = joined_table(list(made.chunks(names)), [(field.name, field.kind) for field in made.schema])
    pieces = [chunk[place].described(Kind.INTEGER).numbers for chunk in source.chunks((place,))]
    places = np.concatenate(pieces or [np.zeros(0)]).astype(np.int64)
    order = np.argsort(places)
    kept = Kept(made.schema, memory)
    kept.hold(names)
    columns = [column.take(order) for column in table.columns]
    for _ in kept.filled([Table(columns, 0, len(order), places[order])]):
        pass
    return kept


def marked(rows: Mask) -> bytes:
    """Which rows of the input were held out, a bit each."""
    return np.packbits(rows).tobytes()


def unmarked(bits: bytes, rows: int) -> Mask:
    """The same read back; so many rows as the input has."""
    if len(bits) != -(-rows // 8):
        raise EngineError("verification", "What the run kept of its rows is not about this table.")
    return np.unpackbits(np.frombuffer(bits, np.uint8), count=rows).astype(bool)
