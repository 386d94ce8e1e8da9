"""The frequency table: every distinct tuple of values with its number of rows."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from worker.engine.column import Codes, Column, Floats, Mask, parse_numbers
from worker.engine.dense import FIRST_OTHER, Numbers, Values, codes_of, numbers_of, texts_of
from worker.engine.fields import Kind
from worker.engine.keys import LIMIT, Grouped, group, grouped, pack, totals, unpack
from worker.engine.vocabulary import Vocabulary

Counts = np.ndarray[Any, np.dtype[np.int64]]


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
        found = self.translate(Numbers(self.name, self.kind, self._value_of(text), self.others))
        return int(found[0]) if len(self) else -1

    def _value_of(self, text: str) -> Values:
        value = codes_of(pa.array([text], pa.string()))
        if value[0] == FIRST_OTHER:
            at = pc.index(self.others, text).as_py()
            value[0] = np.iinfo(np.int64).max if at < 0 else FIRST_OTHER + at
        return value

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
        if not isinstance(column, Numbers) or not column.others.equals(self.others):
            return super().translate(column)
        at = np.minimum(np.searchsorted(self.values, column.values), max(len(self.values) - 1, 0))
        codes: Codes = np.where(self.values[at] == column.values, at, -1).astype(np.int32)
        return codes

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
    codes: tuple[Codes, ...]
    counts: Counts
    persons: Codes | None = None
    weights: Floats | None = None

    def __len__(self) -> int:
        return len(self.counts)

    @property
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


@dataclass
class _Piece:
    codes: list[Codes]
    counts: Counts
    weights: Floats | None


class FixedVocabulary:
    """The codes of a domain that is known already."""

    def __init__(self, domain: Domain) -> None:
        self._domain = domain

    def __len__(self) -> int:
        return len(self._domain)

    def encode(self, column: Column) -> Codes:
        """The code of each row."""
        return self._domain.translate(column)

    def sorted(self) -> tuple[Codes, Domain]:
        """They are in order."""
        return np.arange(len(self._domain), dtype=np.int32), self._domain


class Counter:
    """Adds up chunks into a frequency table; the result does not depend on how rows were cut."""

    def __init__(
        self,
        columns: Sequence[tuple[str, Kind]],
        person: str | None,
        weight: str | None,
        known: Mapping[str, Domain] | None = None,
    ) -> None:
        """`known` holds the domains of columns with too many values to gather them on the way."""
        self._columns = list(columns)
        self._names = [name for name, _ in columns] + ([person] if person else [])
        self._person = person
        self._weight = weight
        self._vocabularies = [
            FixedVocabulary(known[name]) if known and name in known else Vocabulary() for name in self._names
        ]
        self._pieces: list[_Piece] = []
        self._held = 0

    def add(self, columns: Mapping[str, Column], rows: int, counts: Counts | None = None) -> None:
        """Count one chunk; each row once, or as often as `counts` says."""
        if not rows:
            return
        # Texts, not labels, decide what is equal: a dictionary may hold one text twice.
        encoded = [v.encode(columns[name]) for v, name in zip(self._vocabularies, self._names, strict=True)]
        weights = columns[self._weight].numbers if self._weight else None
        self._put(encoded, counts, weights, rows)

    def _put(self, codes: list[Codes], counts: Counts | None, weights: Floats | None, rows: int) -> None:
        self._pieces.append(self._piece(codes, counts, weights, rows))
        self._held += len(self._pieces[-1].counts)
        if self._held > 2 * len(self._pieces[0].counts) + 4_000_000:
            self._merge()

    def _piece(self, codes: list[Codes], counts: Counts | None, weights: Floats | None, rows: int) -> _Piece:
        sizes = [max(len(v), 1) for v in self._vocabularies]
        if weights is None and math.prod(sizes) < LIMIT:
            found: Grouped = grouped(pack(codes, sizes, rows), counts, math.prod(sizes))
            return _Piece(unpack(found.keys, sizes), found.counts, None)
        groups = group(pack(codes, sizes, rows))
        added = groups.sum(counts) if counts is not None else np.bincount(groups.ids, minlength=groups.number)
        return _Piece(
            [column[groups.first] for column in codes],
            added.astype(np.int64),
            None if weights is None else groups.sum(weights),
        )

    @property
    def held_bytes(self) -> int:
        """Roughly what the tuples held now take in memory."""
        return sum(len(piece.counts) for piece in self._pieces) * (4 * len(self._names) + 16)

    def table(self) -> FrequencyTable:
        """The frequency table of everything added."""
        piece = self._merge()
        domains: list[Domain] = []
        codes = []
        kinds = dict(self._columns)
        for name, vocabulary, column in zip(self._names, self._vocabularies, piece.codes, strict=True):
            ranks, domain = _sorted(vocabulary, name, kinds.get(name, Kind.TEXT))
            codes.append(ranks[column] if len(ranks) else column)
            domains.append(domain)
        sizes = [len(vocabulary) for vocabulary in self._vocabularies]
        by_tuple = np.argsort(pack(codes, sizes, len(piece.counts)), kind="stable")
        codes = [column[by_tuple] for column in codes]
        persons = codes.pop() if self._person else None
        weights = None if piece.weights is None else piece.weights[by_tuple]
        shown = tuple(domains[: len(self._columns)])
        return FrequencyTable(shown, tuple(codes), piece.counts[by_tuple], persons, weights)

    def _merge(self) -> _Piece:
        """All pieces as one, equal tuples added up."""
        if not self._pieces:
            empty = np.zeros(0, np.float64) if self._weight else None
            self._pieces = [
                _Piece([np.zeros(0, np.int32) for _ in self._names], np.zeros(0, np.int64), empty)
            ]
        if len(self._pieces) > 1:
            pieces, self._pieces = self._pieces, []
            codes = [np.concatenate([p.codes[i] for p in pieces]) for i in range(len(self._names))]
            counts = np.concatenate([p.counts for p in pieces])
            weights = None
            if self._weight:
                weights = np.concatenate([p.weights for p in pieces if p.weights is not None])
            pieces.clear()
            self._pieces = [self._piece(codes, counts, weights, len(counts))]
            self._held = len(self._pieces[0].counts)
        return self._pieces[0]


def _sorted(vocabulary: Vocabulary | FixedVocabulary, name: str, kind: Kind) -> tuple[Codes, Domain]:
    """Where each code goes when values are in order, and the values."""
    if isinstance(vocabulary, FixedVocabulary):
        return vocabulary.sorted()
    ranks, texts, missing = vocabulary.sorted()
    return ranks, Domain(name, kind, tuple(texts), missing)


class NumberCounter:
    """Counts the distinct values of one column of many numbers."""

    def __init__(self, name: str, kind: Kind) -> None:
        self._name, self._kind = name, kind
        self._values: list[Values] = []
        self._counts: list[Counts] = []
        self._others: pa.Array = pa.array([""], pa.string())
        self._waiting = 0

    def add(self, column: Numbers) -> None:
        """Count one chunk."""
        found = grouped(column.values, None, LIMIT)
        self._others = column.others
        self._values.append(found.keys)
        self._counts.append(found.counts)
        self._waiting += len(found.keys)
        if self._waiting > 4_000_000 + len(self._values[0]):
            self._merge()

    @property
    def held_bytes(self) -> int:
        """What the values held now take in memory."""
        return 16 * sum(len(values) for values in self._values)

    def _merge(self) -> None:
        if self._values:
            values, counts = np.concatenate(self._values), np.concatenate(self._counts)
            self._values, self._counts = [], []
            found = grouped(values, counts, LIMIT)
            self._values, self._counts, self._waiting = [found.keys], [found.counts], 0

    def table(self) -> FrequencyTable:
        """The frequency table of everything added."""
        self._merge()
        values = self._values[0] if self._values else np.zeros(0, np.int64)
        counts = self._counts[0] if self._counts else np.zeros(0, np.int64)
        domain = NumberDomain(self._name, self._kind, values, self._others)
        return FrequencyTable((domain,), (np.arange(len(values), dtype=np.int32),), counts)
