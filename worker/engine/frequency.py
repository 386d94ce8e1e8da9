"""The frequency table: every distinct tuple of values with its number of rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa

from worker.engine.column import Codes, Column, Floats, Mask, parse_numbers
from worker.engine.fields import Kind
from worker.engine.keys import group, pack
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

    def translate(self, column: Column) -> Codes:
        """Each row's code; -1 for a text that is not in the domain."""
        labels = column.label_texts
        codes = np.fromiter((self.index.get(text, -1) for text in labels), np.int32, len(labels))
        return codes[column.codes] if len(labels) else codes

    @cached_property
    def numbers(self) -> Floats:
        """The number each value stands for; NaN where it is missing or no number."""
        numbers = parse_numbers(pa.array(self.texts, pa.string()))
        numbers[self.missing] = np.nan
        return numbers


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

    def marginal(self, name: str) -> Counts:
        """Rows per value of one column."""
        total = np.zeros(len(self.domain(name)), np.int64)
        np.add.at(total, self.column(name), self.counts)
        return total


@dataclass
class _Piece:
    codes: list[Codes]
    counts: Counts
    weights: Floats | None


class Counter:
    """Adds up chunks into a frequency table; the result does not depend on how rows were cut."""

    def __init__(self, columns: Sequence[tuple[str, Kind]], person: str | None, weight: str | None) -> None:
        self._columns = list(columns)
        self._names = [name for name, _ in columns] + ([person] if person else [])
        self._person = person
        self._weight = weight
        self._vocabularies = [Vocabulary() for _ in self._names]
        self._pieces: list[_Piece] = []
        self._held = 0

    def add(self, columns: dict[str, Column], rows: int) -> None:
        """Count one chunk."""
        if not rows:
            return
        if len(self._names) == 1 and not self._weight:
            self._keep(self._by_label(columns[self._names[0]]))
            return
        # Texts, not labels, decide what is equal: a dictionary may hold one text twice.
        encoded = [v.encode(columns[name]) for v, name in zip(self._vocabularies, self._names, strict=True)]
        groups = group(pack(encoded, [len(v) for v in self._vocabularies], rows))
        codes = [column[groups.first] for column in encoded]
        counts = np.bincount(groups.ids, minlength=groups.number).astype(np.int64)
        weights = groups.sum(columns[self._weight].numbers) if self._weight else None
        self._keep(_Piece(codes, counts, weights))

    def _by_label(self, column: Column) -> _Piece:
        """One column alone needs no sorting: its labels are counted, then added up by text."""
        rows = np.bincount(column.codes, minlength=len(column.labels)).astype(np.int64)
        to = self._vocabularies[0].translation(column)
        used = np.flatnonzero(rows)
        codes, where = np.unique(to[used], return_inverse=True)
        counts = np.zeros(len(codes), np.int64)
        np.add.at(counts, where.reshape(-1), rows[used])
        return _Piece([codes.astype(np.int32)], counts, None)

    def _keep(self, piece: _Piece) -> None:
        self._pieces.append(piece)
        self._held += len(piece.counts)
        if self._held > 4 * len(self._pieces[0].counts) + 4_000_000:
            self._merge()

    @property
    def held_bytes(self) -> int:
        """Roughly what the tuples held now take in memory."""
        return sum(len(piece.counts) for piece in self._pieces) * (4 * len(self._names) + 16)

    def table(self) -> FrequencyTable:
        """The frequency table of everything added."""
        piece = self._merge()
        domains, codes = [], []
        order = [vocabulary.sorted() for vocabulary in self._vocabularies]
        for (ranks, _, _), column in zip(order, piece.codes, strict=True):
            codes.append(ranks[column] if len(ranks) else column)
        for (name, kind), (_, texts, missing) in zip(self._columns, order, strict=False):
            domains.append(Domain(name, kind, tuple(texts), missing))
        sizes = [len(vocabulary) for vocabulary in self._vocabularies]
        by_tuple = np.argsort(pack(codes, sizes, len(piece.counts)), kind="stable")
        codes = [column[by_tuple] for column in codes]
        persons = codes.pop() if self._person else None
        weights = None if piece.weights is None else piece.weights[by_tuple]
        return FrequencyTable(tuple(domains), tuple(codes), piece.counts[by_tuple], persons, weights)

    def _merge(self) -> _Piece:
        """All pieces as one, equal tuples added up."""
        if not self._pieces:
            empty = np.zeros(0, np.float64) if self._weight else None
            self._pieces = [
                _Piece([np.zeros(0, np.int32) for _ in self._names], np.zeros(0, np.int64), empty)
            ]
        if len(self._pieces) > 1:
            self._pieces = [self._added_up()]
            self._held = len(self._pieces[0].counts)
        return self._pieces[0]

    def _added_up(self) -> _Piece:
        codes = [np.concatenate([p.codes[i] for p in self._pieces]) for i in range(len(self._names))]
        counts = np.concatenate([p.counts for p in self._pieces])
        groups = group(pack(codes, [len(v) for v in self._vocabularies], len(counts)))
        weights = None
        if self._weight:
            weights = groups.sum(np.concatenate([p.weights for p in self._pieces if p.weights is not None]))
        return _Piece([column[groups.first] for column in codes], groups.sum(counts), weights)
