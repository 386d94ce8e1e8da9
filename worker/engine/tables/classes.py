"""Equivalence classes: rows equal on some columns, with their sizes and what they hold."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from worker.engine.tables.column import SUPPRESSED, Codes, Floats, Mask
from worker.engine.tables.frequency import Counts, Domain, FrequencyTable
from worker.engine.tables.keys import group, pack

Ids = np.ndarray[Any, np.dtype[np.int64]]


@dataclass(frozen=True)
class Contents:
    """How often each value of one column occurs in each class; only what occurs is listed."""

    domain: Domain
    ids: Ids
    codes: Codes
    counts: Counts

    def kept(self, mask: Mask, fresh: Ids) -> Contents:
        """What some of the classes hold, under their new numbers."""
        stays = mask[self.ids]
        return Contents(self.domain, fresh[self.ids[stays]], self.codes[stays], self.counts[stays])


class Classes:
    """A grouping of a frequency table. Sizes count distinct persons when the table knows persons."""

    def __init__(self, table: FrequencyTable, ids: Ids, number: int, among: Classes | None = None) -> None:
        """`ids` is the class of each tuple; tuples with a negative id belong to no class.

        `among` are classes of the whole table, of which the table is only a part.
        """
        self._member = ids >= 0
        self._table = table
        self.ids = ids
        self.number = number
        self._among = among
        self._contents: dict[str, Contents] = {}
        self._overall: dict[str, Counts] = {}

    @property
    def table(self) -> FrequencyTable:
        """What was grouped."""
        return self._table

    @cached_property
    def rows(self) -> Counts:
        """Rows in each class."""
        rows: Counts = self._table.counts if self._is_each_tuple else self._sum(self._table.counts)
        return rows

    @cached_property
    def sizes(self) -> Counts:
        """Distinct persons in each class, or rows when there is no person key."""
        if self._table.persons is None:
            return self.rows
        return self._distinct_persons(self.ids, self.number)

    @cached_property
    def weights(self) -> Floats | None:
        """The sum of weights in each class."""
        return None if self._table.weights is None else self._sum(self._table.weights)

    def contents(self, column: str) -> Contents:
        """The values of a column in each class, counted in persons or rows. Goals ask again and again."""
        if column not in self._contents:
            self._contents[column] = self._counted(column)
        return self._contents[column]

    def _counted(self, column: str) -> Contents:
        domain = self._table.domain(column)
        member = self._member
        codes = self._table.column(column)[member]
        ids = self.ids[member]
        if self._table.persons is None:
            pairs = group(pack([ids, codes], [self.number, len(domain)], len(ids)))
            counts = pairs.sum(self._table.counts[member])
        else:
            ids, codes = self._distinct_triples(ids, codes, len(domain))
            pairs = group(pack([ids, codes], [self.number, len(domain)], len(ids)))
            counts = np.bincount(pairs.ids, minlength=pairs.number).astype(np.int64)
        return Contents(domain, ids[pairs.first], codes[pairs.first], counts)

    def overall(self, column: str) -> Counts:
        """How often each value occurs in the whole table – also outside the classes – in persons or rows."""
        if self._among is not None:
            return self._among.overall(column)
        if column not in self._overall:
            self._overall[column] = self._occurring(column)
        return self._overall[column]

    def _occurring(self, column: str) -> Counts:
        if self._table.persons is None:
            return self._table.marginal(column)
        codes, values = self._table.column(column), len(self._table.domain(column))
        people = int(self._table.persons.max(initial=0)) + 1
        pairs = group(pack([codes, self._table.persons], [values, people], len(codes)))
        return np.bincount(codes[pairs.first], minlength=values).astype(np.int64)

    def alone(self) -> Classes:
        """The same classes when nothing else is released: the table holds their rows only."""
        if self._member.all():
            return self
        only = self._member
        table = replace(
            self._table,
            codes=tuple(codes[only] for codes in self._table.codes),
            counts=self._table.counts[only],
            persons=None if self._table.persons is None else self._table.persons[only],
            weights=None if self._table.weights is None else self._table.weights[only],
        )
        return Classes(table, self.ids[only], self.number)

    def first(self) -> Ids:
        """A tuple of each class."""
        if self._is_each_tuple:
            return self.ids
        at = np.zeros(self.number, np.int64)
        at[self.ids[self._member]] = np.flatnonzero(self._member)
        return at

    def kept(self, mask: Mask) -> Classes:
        """Only some of the classes, renumbered."""
        if mask.all():
            return self
        fresh = np.where(mask, np.cumsum(mask) - 1, -1)
        ids = np.where(self._member, fresh[self.ids], -1)
        some = Classes(self._table, ids, int(mask.sum()), self._among)
        some._overall = self._overall  # of the same table
        some._contents = {name: one.kept(mask, fresh) for name, one in self._contents.items()}
        return some

    @property
    def _is_each_tuple(self) -> bool:
        """Whether every tuple is a class, in their order."""
        return self.number == len(self.ids) and bool((self.ids == np.arange(self.number)).all())

    def _sum(self, values: Any) -> Any:
        total = np.zeros(self.number, values.dtype)
        if self._member.all():
            np.add.at(total, self.ids, values)
        else:
            np.add.at(total, self.ids[self._member], values[self._member])
        return total

    def _distinct_persons(self, ids: Ids, number: int) -> Counts:
        assert self._table.persons is not None
        member = ids >= 0
        persons = self._table.persons[member]
        people = int(persons.max()) + 1 if len(persons) else 1
        pairs = group(pack([ids[member], persons], [number, people], len(persons)))
        return np.bincount(ids[member][pairs.first], minlength=number).astype(np.int64)

    def _distinct_triples(self, ids: Ids, codes: Codes, values: int) -> tuple[Ids, Codes]:
        assert self._table.persons is not None
        persons = self._table.persons[self._member]
        people = int(persons.max()) + 1 if len(persons) else 1
        sizes = [self.number, values, people]
        triples = group(pack([ids, codes, persons], sizes, len(ids)))
        return ids[triples.first], codes[triples.first]


def classes_of(table: FrequencyTable, columns: Sequence[str]) -> Classes:
    """The classes of equal values in the columns. A missing value is a value of its own."""
    groups = group(table.keys(columns))
    return Classes(table, groups.ids.astype(np.int64, copy=False), groups.number)


def released_classes(table: FrequencyTable, columns: Sequence[str]) -> tuple[Classes, Classes | None]:
    """The classes of a release, and its suppressed rows as a set.

    Rows in which every quasi-identifier is `*` are suppressed rows, not a class – unless every row is one.
    """
    hidden = suppressed_tuples(table, columns)
    if not hidden.any() or hidden.all():
        return classes_of(table, columns), None
    everything = classes_of(table, columns)
    is_hidden = np.zeros(everything.number, bool)
    is_hidden[everything.ids[hidden]] = True
    return everything.kept(~is_hidden), everything.kept(is_hidden)


def suppressed_tuples(table: FrequencyTable, columns: Sequence[str]) -> Mask:
    """Which tuples hold `*` in every one of the columns."""
    stars = [table.domain(name).find(SUPPRESSED) for name in columns]
    hidden = np.full(len(table), bool(columns) and min(stars) >= 0)
    if hidden.any():
        for name, star in zip(columns, stars, strict=True):
            hidden &= table.column(name) == star
    return hidden
