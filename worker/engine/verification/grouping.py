"""Equivalence classes of released rows, counted exactly and in bounded memory.

Rows are reduced to their distinct combinations piece by piece. When even those are too many, they are dealt
into parts outside memory: a class is never split, so that what is found in the parts only needs to be put
together.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from worker.engine.arrays import Longs
from worker.engine.verification.released import Codes, Persons, Released
from worker.engine.verification.tallying import PARTS, Parts, Tally, counted, distinct, parts_of

MOST_TUPLES = 3_000_000
BYTES_PER_TUPLE = 16
"""Of the parts, so much stays in memory for each combination that may be held."""


@dataclass(frozen=True)
class Contents:
    """How often (in persons or rows) each value of a column occurs in each class."""

    classes: Longs
    values: Longs
    counts: Longs


class Group:
    """Some whole classes. `quasi` and `sensitive` are codes per distinct combination, `rows` its rows.

    The combinations are in ascending order of the quasi-identifiers.
    """

    def __init__(self, quasi: list[Codes], sensitive: dict[str, Codes], rows: Longs, persons: Persons | None):
        changes = np.zeros(len(rows), bool)
        for column in quasi:
            changes[1:] |= column[1:] != column[:-1]
        self._ids: Longs = np.cumsum(changes, dtype=np.int64)
        self._rows, self._quasi = rows, quasi
        self._sensitive = {name: codes.astype(np.int64) for name, codes in sensitive.items()}
        self._persons = None if persons is None else np.unique(persons, return_inverse=True)[1]
        self.number = int(self._ids[-1]) + 1 if len(rows) else 0

    @cached_property
    def keys(self) -> list[Codes]:
        """The codes of each class, column by column of the quasi-identifiers."""
        starts = np.searchsorted(self._ids, np.arange(self.number))
        return [column[starts] for column in self._quasi]

    def persons_of(self, classes: Any) -> int:
        """Distinct persons in some of the classes together, or rows."""
        if self._persons is None:
            return int(self.rows[classes].sum())
        return int(np.count_nonzero(np.bincount(self._persons[np.isin(self._ids, classes)])))

    @cached_property
    def rows(self) -> Longs:
        """Rows in each class."""
        return np.bincount(self._ids, weights=self._rows, minlength=self.number).astype(np.int64)

    @cached_property
    def sizes(self) -> Longs:
        """Distinct persons in each class when they are known, else rows."""
        if self._persons is None:
            return self.rows
        pairs = distinct(self._ids, self._persons)
        return np.bincount(pairs[0], minlength=self.number).astype(np.int64)

    def contents(self, column: str) -> Contents:
        """The values of a sensitive column in each class."""
        ids, values, counts = self._ids, self._sensitive[column], self._rows
        if self._persons is not None:
            ids, values, _ = distinct(ids, values, self._persons)
            counts = np.ones(len(ids), np.int64)
        order = np.lexsort((values, ids))
        ids, values, counts = ids[order], values[order], counts[order]
        first = np.append(True, (np.diff(ids) != 0) | (np.diff(values) != 0))[: len(ids)]
        starts = np.flatnonzero(first)
        totals = np.add.reduceat(counts, starts) if len(starts) else counts
        return Contents(ids[starts], values[starts], totals)


@dataclass(frozen=True)
class Grouping:
    """How to group one release."""

    released: Released
    quasi: tuple[str, ...]
    sensitive: tuple[str, ...]
    most: int = MOST_TUPLES

    def groups(self, checkpoint: Callable[[], None]) -> Iterator[tuple[bool, Group]]:
        """All classes, part by part; true for the set of rows in which every quasi-identifier is `*`."""
        tally, parts = Tally(self.most), None
        for rows, columns, persons in self.released.pieces((*self.quasi, *self.sensitive)):
            checkpoint()
            who = [np.zeros(rows, np.int8) if persons is None else persons]
            if not tally.add([*columns, *who]):
                parts = parts or Parts(BYTES_PER_TUPLE * self.most)
                self._deal(parts, tally.taken())
        if parts is None:
            yield from self._split(tally.columns())
            return
        self._deal(parts, tally.taken())
        for part in range(PARTS):
            checkpoint()
            if columns := parts.take(part):
                yield from self._split(counted(columns))

    def _deal(self, parts: Parts, columns: list[Any]) -> None:
        if columns:
            parts.deal(columns, parts_of(columns[: len(self.quasi)], len(columns[0])))

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
