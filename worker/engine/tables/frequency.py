"""The frequency table: every distinct tuple of values with its number of rows."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from worker.engine.tables.column import Codes, Column, Floats, Mask, parse_numbers
from worker.engine.tables.dense import FIRST_OTHER, Numbers, Values, codes_of, numbers_of, texts_of
from worker.engine.tables.keys import LIMIT, group, grouped, pack, places_in, totals, unpack
from worker.engine.tables.kinds import Kind

Counts = np.ndarray[Any, np.dtype[np.int64]]

TUPLES_AT_ONCE = 1 << 20


@dataclass(frozen=True)
class Domain:
    """The distinct values of one column, sorted by text."""

    name: str
    kind: Kind
    texts: tuple[str, ...]
    missing: Mask

    def __len__(self) -> int:
        return len(self.texts)

    @cached_property
    def index(self) -> dict[str, int]:
        """The code of each text."""
        return {text: code for code, text in enumerate(self.texts)}

    def find(self, text: str) -> int:
        """The code of one text; -1 when it does not occur."""
        return self.index.get(text, -1)

    def text(self, code: int) -> str:
        """The text of one code."""
        return self.texts[code]

    def places_of(self, other: Domain) -> Codes:
        """Where the values of another domain stand in this one; -1 for those that do not."""
        return self.translate(other.column(np.arange(len(other), dtype=np.int32)))

    def translate(self, column: Column) -> Codes:
        """Each row's code; -1 for a text that is not in the domain."""
        if not len(column.labels):
            return np.empty(0, np.int32)
        last = self._translated.get(column.name)
        if last is None or last[0] is not column.labels:
            labels = column.label_texts
            to = np.fromiter((self.index.get(text, -1) for text in labels), np.int32, len(labels))
            last = self._translated[column.name] = (column.labels, to)
        codes: Codes = last[1][column.codes]
        return codes

    @cached_property
    def _translated(self) -> dict[str, tuple[pa.Array, Codes]]:
        """The last list of labels met, which chunks of one file share."""
        return {}

    @cached_property
    def arrow(self) -> pa.Array:
        """The texts as an array."""
        return pa.array(self.texts, pa.string())

    def column(self, codes: Codes) -> Column:
        """Rows that hold these values."""
        return Column(self.name, self.kind, codes, self.arrow, self.missing)

    @cached_property
    def numbers(self) -> Floats:
        """The number each value stands for; NaN where it is missing or no number."""
        numbers = parse_numbers(self.arrow)
        numbers[self.missing] = np.nan
        return numbers


class NumberDomain(Domain):
    """The distinct values of a column of many numbers, in the order of their codes."""

    def __init__(self, name: str, kind: Kind, values: Values, others: pa.Array) -> None:
        missing = values == FIRST_OTHER
        self.__dict__.update(name=name, kind=kind, missing=missing, values=values, others=others)

    values: Values
    others: pa.Array

    def __len__(self) -> int:
        return len(self.values)

    def find(self, text: str) -> int:
        """The code of one text; -1 when it does not occur."""
        return int(self._places(self._values_of(pa.array([text], pa.string())))[0])

    def _values_of(self, texts: pa.Array) -> Values:
        """What texts are here, in codes; one that is here for none is like no value."""
        values = codes_of(texts)
        beside = np.flatnonzero(values == FIRST_OTHER)
        known = pc.index_in(texts.take(pa.array(beside)), value_set=self.others.cast(texts.type))
        places = known.fill_null(-1).to_numpy().astype(np.int64)
        values[beside] = np.where(places < 0, np.iinfo(np.int64).max, FIRST_OTHER + places)
        return values

    def _places(self, values: Values) -> Codes:
        if not len(self):
            return np.full(len(values), -1, np.int32)
        at = np.minimum(places_in(self.values, values), len(self) - 1)
        return np.where(self.values[at] == values, at, -1).astype(np.int32)

    def text(self, code: int) -> str:
        """The text of one code."""
        return str(texts_of(self.values[code : code + 1], self.others)[0])

    @cached_property
    def texts(self) -> tuple[str, ...]:
        """Made only when somebody asks."""
        return tuple(self.arrow.to_pylist())

    @cached_property
    def arrow(self) -> pa.Array:
        """The texts as an array."""
        return texts_of(self.values, self.others)

    @cached_property
    def numbers(self) -> Floats:
        """The number each value stands for; NaN where it is missing or no number."""
        return numbers_of(self.values, self.others)

    def translate(self, column: Column) -> Codes:
        """Each row's code; -1 for a value that is not in the domain."""
        if isinstance(column, Numbers) and column.others.equals(self.others):
            return self._places(column.values)
        column = column.compact()
        if not len(column.labels):
            return np.empty(0, np.int32)
        return self._places(self._values_of(column.labels))[column.codes]

    def column(self, codes: Codes) -> Column:
        """Rows that hold these values."""
        return Numbers(self.name, self.kind, self.values[codes], self.others)


@dataclass(frozen=True)
class FrequencyTable:
    """`codes[j]` are the codes of column j, one per distinct tuple, in ascending order of tuples.

    With a person key the person is part of the tuple (`persons`), so that distinct persons can be
    counted in any coarser grouping. A missing value is a value of its own.
    """

    domains: tuple[Domain, ...]
    codes: Sequence[Codes]
    counts: Counts
    persons: Codes | None = None
    weights: Floats | None = None

    def __len__(self) -> int:
        return len(self.counts)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The columns, in the order asked for."""
        return tuple(domain.name for domain in self.domains)

    @property
    def rows(self) -> int:
        """How many rows were counted."""
        return int(self.counts.sum())

    def position(self, name: str) -> int:
        """Where a column stands."""
        return self.names.index(name)

    def domain(self, name: str) -> Domain:
        """The values of a column."""
        return self.domains[self.position(name)]

    def column(self, name: str) -> Codes:
        """The codes of a column."""
        return self.codes[self.position(name)]

    def keys(self, names: Sequence[str]) -> Any:
        """One integer per tuple, equal when the named columns are."""
        at = [self.position(name) for name in names]
        return pack([self.codes[i] for i in at], [len(self.domains[i]) for i in at], len(self))

    def pieces(self) -> Iterator[FrequencyTable]:
        """The tuples in order, not too many at once."""
        for start in range(0, len(self), TUPLES_AT_ONCE):
            yield self if len(self) <= TUPLES_AT_ONCE else self._cut(slice(start, start + TUPLES_AT_ONCE))

    def _cut(self, at: slice) -> FrequencyTable:
        persons = None if self.persons is None else self.persons[at]
        weights = None if self.weights is None else self.weights[at]
        codes = tuple(column[at] for column in self.codes)
        return FrequencyTable(self.domains, codes, self.counts[at], persons, weights)

    def only(self, names: Sequence[str]) -> FrequencyTable:
        """The table of some of the columns, in this order; rows only, no persons and no weights."""
        at = [self.position(name) for name in names]
        sizes = [max(len(self.domains[i]), 1) for i in at]
        codes = [self.codes[i] for i in at]
        domains = tuple(self.domains[i] for i in at)
        if math.prod(sizes) < LIMIT:
            found = grouped(pack(codes, sizes, len(self)), self.counts, math.prod(sizes))
            return FrequencyTable(domains, tuple(unpack(found.keys, sizes)), found.counts)
        groups = group(pack(codes, sizes, len(self)))
        return FrequencyTable(domains, tuple(c[groups.first] for c in codes), groups.sum(self.counts))

    def marginal(self, name: str) -> Counts:
        """Rows per value of one column."""
        found: Counts = totals(self.column(name), self.counts, len(self.domain(name)))
        return found
