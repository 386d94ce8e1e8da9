"""Equivalence classes of released rows, counted exactly and in bounded memory.

Rows are reduced to their distinct combinations piece by piece. When even those are too many, the file is
read once per part, each part holding the combinations that fall to it: a class is never split, so that what
is found in the parts only needs to be put together.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from worker.engine.verification.released import Codes, Persons, Released

Numbers = np.ndarray[Any, np.dtype[np.int64]]

MOST_TUPLES = 6_000_000
_MERGE_AT = 2_000_000
_PARTS_AT_MOST = 256


class TooManyTuples(Exception):
    """The whole does not fit; take it in parts."""


@dataclass(frozen=True)
class Contents:
    """How often (in persons or rows) each value of a column occurs in each class."""

    classes: Numbers
    values: Numbers
    counts: Numbers


class Group:
    """Some whole classes. `quasi` and `sensitive` are codes per distinct combination, `rows` its rows."""

    def __init__(
        self, quasi: list[Codes], sensitive: dict[str, Codes], rows: Numbers, persons: Persons | None
    ):
        order = np.lexsort(quasi[::-1]) if quasi else np.arange(len(rows))
        changes = np.zeros(len(order), bool)
        for column in quasi:
            changes[1:] |= np.diff(column[order]) != 0
        self._ids: Numbers = np.cumsum(changes, dtype=np.int64)
        self._rows = rows[order]
        self._quasi = [column[order] for column in quasi]
        self._sensitive = {name: codes[order].astype(np.int64) for name, codes in sensitive.items()}
        self._persons = None if persons is None else np.unique(persons[order], return_inverse=True)[1]
        self.number = int(self._ids[-1]) + 1 if len(order) else 0

    @cached_property
    def keys(self) -> list[Codes]:
        """The codes of each class, column by column of the quasi-identifiers."""
        starts = np.searchsorted(self._ids, np.arange(self.number))
        return [column[starts] for column in self._quasi]

    def persons_of(self, classes: Any) -> int:
        """Distinct persons in some of the classes together, or rows."""
        if self._persons is None:
            return int(self.rows[classes].sum())
        return len(np.unique(self._persons[np.isin(self._ids, classes)]))

    @cached_property
    def rows(self) -> Numbers:
        """Rows in each class."""
        return np.bincount(self._ids, weights=self._rows, minlength=self.number).astype(np.int64)

    @cached_property
    def sizes(self) -> Numbers:
        """Distinct persons in each class when they are known, else rows."""
        if self._persons is None:
            return self.rows
        pairs = _distinct(self._ids, self._persons)
        return np.bincount(pairs[0], minlength=self.number).astype(np.int64)

    def contents(self, column: str) -> Contents:
        """The values of a sensitive column in each class."""
        ids, values, counts = self._ids, self._sensitive[column], self._rows
        if self._persons is not None:
            ids, values, _ = _distinct(ids, values, self._persons)
            counts = np.ones(len(ids), np.int64)
        order = np.lexsort((values, ids))
        ids, values, counts = ids[order], values[order], counts[order]
        first = np.append(True, (np.diff(ids) != 0) | (np.diff(values) != 0))[: len(ids)]
        starts = np.flatnonzero(first)
        totals = np.add.reduceat(counts, starts) if len(starts) else counts
        return Contents(ids[starts], values[starts], totals)


def _distinct(*columns: Numbers) -> tuple[Numbers, ...]:
    """The distinct combinations of some columns."""
    order = np.lexsort(columns[::-1])
    fresh = np.zeros(len(order), bool)
    fresh[:1] = True
    for column in columns:
        fresh[1:] |= np.diff(column[order]) != 0
    return tuple(column[order][fresh] for column in columns)


class Tally:
    """Distinct combinations of codes with their number of rows."""

    def __init__(self, most: float) -> None:
        self._most, self._waiting, self._merge_at = most, 0, _MERGE_AT
        self._tables: list[list[Any]] = []

    def add(self, columns: Sequence[Any]) -> None:
        """Count the rows of a piece."""
        if len(columns[0]):
            self._tables.append(_counted([*columns, np.ones(len(columns[0]), np.int64)]))
            self._waiting += len(self._tables[-1][0])
        if self._waiting > min(self._merge_at, self._most):
            self._merge()
            self._merge_at = max(_MERGE_AT, 2 * self._waiting)
        if self._waiting > self._most:
            raise TooManyTuples

    def _merge(self) -> None:
        if len(self._tables) > 1:
            self._tables = [_counted([np.concatenate(parts) for parts in zip(*self._tables, strict=True)])]
            self._waiting = len(self._tables[0][0])

    def columns(self) -> list[Any]:
        """The combinations, column by column; the last is the number of rows."""
        self._merge()
        return self._tables[0] if self._tables else []


def _counted(columns: Sequence[Any]) -> list[Any]:
    """Equal combinations as one, their counts (the last column) added up."""
    *codes, counts = columns
    order = np.argsort(key) if (key := _key(codes)) is not None else np.lexsort(codes[::-1])
    fresh = np.zeros(len(order), bool)
    fresh[0] = True
    for column in codes if key is None else [key]:
        ordered = column[order]
        fresh[1:] |= ordered[1:] != ordered[:-1]
    starts = np.flatnonzero(fresh)
    return [*(column[order[starts]] for column in codes), np.add.reduceat(counts[order], starts)]


def _key(codes: Sequence[Any]) -> Any:
    """One whole number per combination, when that fits into 63 bits: one column is quicker to sort."""
    key, span = np.zeros(len(codes[0]), np.int64), 1
    for column in codes:
        low = int(column.min())
        size = int(column.max()) - low + 1
        span *= size
        if span >= 1 << 62:
            return None
        key = key * size + (column.astype(np.int64) - low)
    return key


@dataclass(frozen=True)
class Grouping:
    """How to group one release."""

    released: Released
    quasi: tuple[str, ...]
    sensitive: tuple[str, ...]
    most: int = MOST_TUPLES

    def groups(self, checkpoint: Callable[[], None]) -> Iterator[tuple[bool, Group]]:
        """All classes, part by part; true for the set of rows in which every quasi-identifier is `*`."""
        try:
            yield from self._part(0, 1, self.most, checkpoint)
        except TooManyTuples:
            parts = self._parts_needed(checkpoint)
            for part in range(parts):
                yield from self._part(part, parts, math.inf, checkpoint)

    def _parts_needed(self, checkpoint: Callable[[], None]) -> int:
        """So many that each holds few enough, even if no two rows are alike."""
        rows = 0
        for size, _, _ in self.released.pieces(()):
            checkpoint()
            rows += size
        return min(_PARTS_AT_MOST, -(-rows // self.most))

    def _part(
        self, part: int, parts: int, most: float, checkpoint: Callable[[], None]
    ) -> list[tuple[bool, Group]]:
        tally = Tally(most)
        for rows, columns, persons in self.released.pieces((*self.quasi, *self.sensitive)):
            checkpoint()
            mine = _parts_of(columns[: len(self.quasi)], rows, parts) == part
            people = np.zeros(rows, np.int64) if persons is None else persons
            tally.add([column[mine] for column in (*columns, people)])
        return self._split(tally.columns())

    def _split(self, columns: list[Any]) -> list[tuple[bool, Group]]:
        if not columns:
            return []
        hidden = self._hidden(columns)
        found = []
        if hidden.any():
            found.append((True, self._group(columns, hidden)))
        if not hidden.all():
            found.append((False, self._group(columns, ~hidden)))
        return found

    def _hidden(self, columns: list[Any]) -> Any:
        """Which combinations are `*` throughout."""
        hidden: Any = np.full(len(columns[0]), bool(self.quasi))
        for name, codes in zip(self.quasi, columns, strict=False):
            hidden &= codes == self.released.vocabulary(name).find("*")
        return hidden

    def _group(self, columns: list[Any], rows: Any) -> Group:
        own: list[Any] = [column[rows] for column in columns]
        width = len(self.quasi)
        sensitive = dict(zip(self.sensitive, own[width:], strict=False))
        persons = own[-2] if self.released.knows_persons else None
        return Group(own[:width], sensitive, own[-1], persons)


def _parts_of(quasi: Sequence[Codes], rows: int, parts: int) -> Any:
    """Which part a row's class belongs to."""
    if parts == 1:
        return np.zeros(rows, np.int64)
    mixed = np.zeros(rows, np.uint64)
    with np.errstate(over="ignore"):
        for column in quasi:
            mixed = (mixed ^ column.astype(np.uint64)) * np.uint64(0x9E3779B97F4A7C15)
            mixed ^= mixed >> np.uint64(29)
    return (mixed % np.uint64(parts)).astype(np.int64)
