"""A table, or a piece of one: immutable columns of equal length that know which rows they are."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from types import MappingProxyType
from typing import Any, Protocol

import numpy as np

from worker.engine.errors import EngineError
from worker.engine.tables.column import Codes, Column, Floats, Mask
from worker.engine.tables.kinds import Kind, Role

__all__ = [
    "BLOCK",
    "WHOLE_CELL",
    "Chunk",
    "Codes",
    "Column",
    "Field",
    "Floats",
    "Mask",
    "Rows",
    "Schema",
    "Table",
    "TableSource",
]

BLOCK = 65_536
"""Rows per block. A chunk is made of whole blocks; each block has its own stream of randomness."""
WHOLE_CELL = 12
"""Bytes that a cell takes while its whole column is held in memory."""

Rows = np.ndarray[Any, np.dtype[np.int64]]
Tallies = Mapping[str, Any]
"""What a step counts while it transforms: integers, or arrays of them, that are added up over all pieces."""


@dataclass(frozen=True)
class Field:
    """What is known of a column besides its values. A role of None means nobody tagged it."""

    name: str
    kind: Kind = Kind.TEXT
    role: Role | None = None


@dataclass(frozen=True)
class Schema:
    """The columns of a table, in order: walking over it meets their fields, `schema[name]` is one."""

    fields: tuple[Field, ...]

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The columns' names, in order."""
        return tuple(field.name for field in self.fields)

    def __contains__(self, name: object) -> bool:
        return name in self.names

    def __iter__(self) -> Iterator[Field]:
        return iter(self.fields)

    def __len__(self) -> int:
        return len(self.fields)

    def __getitem__(self, name: str) -> Field:
        for field in self.fields:
            if field.name == name:
                return field
        raise no_such_column(name)

    def named(self, *roles: Role) -> tuple[str, ...]:
        """The names of the columns that hold one of the roles, in order."""
        return tuple(field.name for field in self.fields if field.role in roles)

    def select(self, names: Sequence[str]) -> Schema:
        """Only these columns, in the table's order."""
        wanted = set(names)
        return Schema(tuple(field for field in self.fields if field.name in wanted))

    def with_field(self, field: Field) -> Schema:
        """One column described otherwise, or added at the end."""
        if field.name not in self:
            return Schema((*self.fields, field))
        return Schema(tuple(field if old.name == field.name else old for old in self.fields))

    def with_kinds(self, kinds: Mapping[str, Kind]) -> Schema:
        """The same columns with some kinds replaced."""
        return Schema(tuple(replace(field, kind=kinds.get(field.name, field.kind)) for field in self.fields))


def no_such_column(name: str) -> EngineError:
    """The refusal for a name the data do not hold."""
    return EngineError("no-such-column", f"The data have no column named {name!r}.", param=name)


class Table:
    """Columns of equal length; `table[name]` is one of them. `row_ids` are the input's row numbers when some
    rows are gone.

    `tallies` are what the present step counted while it transformed this piece: integers or arrays of
    them that are added up over all pieces.
    """

    def __init__(
        self,
        columns: Iterable[Column],
        first_row: int = 0,
        rows: int | None = None,
        row_ids: Rows | None = None,
        tallies: Tallies = MappingProxyType({}),
    ) -> None:
        self.columns = tuple(columns)
        self.first_row = first_row
        self.rows = len(self.columns[0]) if rows is None and self.columns else (rows or 0)
        self._row_ids = row_ids
        self.tallies = tallies
        self._by_name = {column.name: column for column in self.columns}
        if any(len(column) != self.rows for column in self.columns):
            raise ValueError("columns of unequal length")

    @property
    def names(self) -> tuple[str, ...]:
        """The columns' names, in order."""
        return tuple(self._by_name)

    def __len__(self) -> int:
        return self.rows

    def __contains__(self, name: object) -> bool:
        return name in self._by_name

    def __getitem__(self, name: str) -> Column:
        try:
            return self._by_name[name]
        except KeyError:
            raise no_such_column(name) from None

    @property
    def row_ids(self) -> Rows:
        """The input's number of each row, counted from 0."""
        if self._row_ids is None:
            return np.arange(self.first_row, self.first_row + self.rows, dtype=np.int64)
        return self._row_ids

    def blocks(self) -> Iterator[tuple[int, slice]]:
        """Each block's number and where its rows stand in this table."""
        if not self.rows:
            return
        if self._row_ids is None:
            yield from self._whole_blocks()
            return
        ids = self._row_ids
        numbers = np.arange(ids[0] // BLOCK, ids[-1] // BLOCK + 1)
        starts = np.searchsorted(ids, numbers * BLOCK)
        ends = np.append(starts[1:], self.rows)
        for number, start, end in zip(numbers.tolist(), starts.tolist(), ends.tolist(), strict=True):
            if end > start:
                yield number, slice(start, end)

    def _whole_blocks(self) -> Iterator[tuple[int, slice]]:
        start = 0
        while start < self.rows:
            number = (self.first_row + start) // BLOCK
            end = min((number + 1) * BLOCK - self.first_row, self.rows)
            yield number, slice(start, end)
            start = end

    @property
    def is_contiguous(self) -> bool:
        """Whether no row between its first and its last is gone."""
        return self._row_ids is None

    def select(self, names: Iterable[str]) -> Table:
        """Only these columns, in the order asked for."""
        return self._with(tuple(self[name] for name in names))

    def with_columns(self, *columns: Column) -> Table:
        """Some columns replaced in place, or added at the end."""
        fresh = {column.name: column for column in columns}
        kept = [fresh.pop(column.name, column) for column in self.columns]
        return self._with((*kept, *fresh.values()))

    def filter(self, mask: Mask) -> Table:
        """The rows where the mask is true; they keep their row numbers."""
        if mask.all():
            return self
        ids = self.row_ids[mask]
        first = int(ids[0]) if len(ids) else self.first_row
        return Table((column.take(mask) for column in self.columns), first, len(ids), ids, self.tallies)

    def tallied(self, **counts: Any) -> Table:
        """The same rows with what was counted on the way; equal names are added up."""
        tallies = added(self.tallies, counts)
        return Table(self.columns, self.first_row, self.rows, self._row_ids, tallies)

    def untallied(self) -> Table:
        """The same rows for the next step, which counts for itself."""
        return Table(self.columns, self.first_row, self.rows, self._row_ids)

    def _with(self, columns: tuple[Column, ...]) -> Table:
        return Table(columns, self.first_row, self.rows, self._row_ids, self.tallies)


def added(one: Tallies, other: Tallies) -> Tallies:
    """Two tallies as one."""
    return {**one, **{name: one[name] + count if name in one else count for name, count in other.items()}}


Chunk = Table
"""A piece of a table: whole blocks of 65 536 rows, in input order."""


class TableSource(Protocol):
    """Where rows come from. `chunks` may be called again and again and gives the same rows each time."""

    @property
    def schema(self) -> Schema:
        """Names and kinds as the file knows them; texts when it knows nothing."""

    @property
    def rows(self) -> int:
        """How many rows there are."""

    def chunks(self, columns: Sequence[str] | None = None) -> Iterator[Chunk]:
        """The rows in order, whole blocks at a time, with only the columns asked for."""


class MemorySource:
    """A table already in memory, cut into chunks of so many blocks."""

    def __init__(self, table: Table, schema: Schema | None = None, blocks_per_chunk: int = 16) -> None:
        self._table = table
        self._schema = schema or Schema(tuple(Field(c.name, c.kind) for c in table.columns))
        self._step = blocks_per_chunk * BLOCK

    @property
    def schema(self) -> Schema:
        """Names and kinds."""
        return self._schema

    @property
    def rows(self) -> int:
        """How many rows there are."""
        return self._table.rows

    def chunks(self, columns: Sequence[str] | None = None) -> Iterator[Chunk]:
        """The rows in order."""
        table = self._table if columns is None else self._table.select(columns)
        for start in range(0, table.rows, self._step):
            end = min(start + self._step, table.rows)
            cut = [c.take(slice(start, end)) for c in table.columns]
            yield Table(cut, start, end - start)
