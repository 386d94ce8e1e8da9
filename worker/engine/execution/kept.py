"""The rows as they left the last step: held while they are written, and read again by whoever measures them.

No step runs twice for that. They are held like those of a file that was read: small, and sealed outside
memory where they are too many.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Protocol

import numpy as np

from worker.engine.io.store import Given, Store
from worker.engine.tables.column import Column
from worker.engine.tables.dense import Numbers, Texts
from worker.engine.tables.kinds import Kind
from worker.engine.tables.numeric import NumberColumn
from worker.engine.tables.table import BLOCK, Chunk, Rows, Schema, Table

SEGMENT = 4 * BLOCK
ROOM_SHARE = 8
"""This part of the memory may hold rows."""


class Source(Protocol):
    """Chunks that can be read."""

    @property
    def schema(self) -> Schema:
        """The columns."""

    def chunks(self, columns: Sequence[str]) -> Iterator[Chunk]:
        """The rows in some order."""


class Kept:
    """Some columns of a table, filled once and read again and again, in the order in which they came."""

    def __init__(self, schema: Schema, memory: int | None) -> None:
        """`schema` describes the whole table; which of its columns are held is said before they come."""
        self.schema = schema
        self.rows = 0
        self._room = None if memory is None else memory // ROOM_SHARE
        self._ids = _RowIds()
        self.hold(())

    def kind(self, name: str) -> Kind:
        """The kind of a column; what is added to the table on its way are numbers of rows."""
        return self.schema[name].kind if name in self.schema else Kind.INTEGER

    def hold(self, names: Iterable[str]) -> None:
        """Be ready for these columns."""
        self.store = Store(tuple(dict.fromkeys(names)), frozenset(), SEGMENT, self._room)

    def filled(self, chunks: Iterable[Chunk]) -> Iterator[Chunk]:
        """The same chunks, held on their way."""
        for chunk in chunks:
            prepared = (stored.prepared(_values(chunk[name])) for name, stored in self.store.columns.items())
            self.store.add(list(prepared))
            self._ids.add(chunk)
            self.rows += chunk.rows
            yield chunk
        self.store.finish()
        self.store.rows = self.rows

    def chunks(self, columns: Sequence[str]) -> Iterator[Chunk]:
        """The rows, only the columns asked for."""
        ids = self._ids.cut(rows for _, _, rows in self.store.segments())
        for number, first, rows in self.store.segments():
            held = [self.store.column(name, number, self.kind(name)) for name in columns]
            found = next(ids)
            yield Table(held, first if found is None else int(found[0]), rows, found)


def hold(data: Source, names: Sequence[str], memory: int | None) -> Kept:
    """All rows of some columns."""
    kept = Kept(data.schema, memory)
    kept.hold(names)
    for _ in kept.filled(data.chunks(tuple(names))):
        pass
    return kept


def _values(column: Column) -> Given:
    if isinstance(column, NumberColumn):
        return column.decimals
    if isinstance(column, Numbers):
        return column
    return column.plain if isinstance(column, Texts) else column.arrow()


class _RowIds:
    """Which rows of the input are there, a bit each."""

    def __init__(self) -> None:
        self._blocks: dict[int, np.ndarray[Any, np.dtype[np.uint8]]] = {}
        self._rows = self._end = 0

    def add(self, chunk: Chunk) -> None:
        """The rows of a chunk, which come after those that were added."""
        for block, where in chunk.blocks():
            at = chunk.row_ids[where] - block * BLOCK
            present = np.zeros(BLOCK, bool)
            present[at] = True
            packed = np.packbits(present)
            self._blocks[block] = self._blocks.get(block, np.uint8(0)) | packed
            self._rows, self._end = self._rows + len(at), block * BLOCK + int(at[-1]) + 1

    def cut(self, lengths: Iterable[int]) -> Iterator[Rows | None]:
        """Their numbers, so many at a time; None where none is gone."""
        if self._rows == self._end:
            yield from (None for _ in lengths)
            return
        blocks = (
            block * BLOCK + np.flatnonzero(np.unpackbits(packed)) for block, packed in self._blocks.items()
        )
        held: Rows = np.zeros(0, np.int64)
        for length in lengths:
            while len(held) < length:
                held = np.concatenate([held, next(blocks)])
            yield held[:length]
            held = held[length:]
