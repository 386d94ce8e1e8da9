"""Rows to frequency tables, a chunk at a time; the result does not depend on how rows were cut."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol

import numpy as np
import pyarrow as pa

from worker.engine.tables.column import Codes, Column, Floats, Mask
from worker.engine.tables.dense import Numbers
from worker.engine.tables.frequency import Counts, Domain, FrequencyTable, NumberDomain
from worker.engine.tables.keys import (
    LIMIT,
    ONE_OF,
    Grouped,
    Keys,
    Packed,
    group,
    grouped,
    narrow,
    ordered,
    pack,
    unpack,
)
from worker.engine.tables.kinds import Kind
from worker.engine.tables.long_table import LongTable, Parts, Tuples
from worker.engine.tables.scratch import Shelf
from worker.engine.tables.vocabulary import Vocabulary

_AT_ONCE = 4_000_000
_ENOUGH = 1 << 18
_ROOM_PER_TUPLE = 8
"""Bytes that parts may keep in memory, for each tuple that a table may hold there."""


class Runs:
    """Sorted distinct keys with their counts, merged when two lists are of about the same length."""

    def __init__(self) -> None:
        self._runs: list[Grouped] = []

    def add(self, run: Grouped) -> None:
        """One more list."""
        self._runs.append(run)
        while len(self._runs) > 1 and len(self._runs[-2].keys) < 2 * len(self._runs[-1].keys):
            self._merge_last()

    def merged(self) -> Grouped:
        """Everything as one list."""
        while len(self._runs) > 1:
            self._merge_last()
        return self._runs[0] if self._runs else Grouped(np.zeros(0, np.int64), np.zeros(0, np.int64))

    def rekeyed(self, to: Any) -> None:
        """Other keys in the same order."""
        self._runs = [Grouped(to(run.keys), run.counts) for run in self._runs]

    @property
    def held(self) -> int:
        """How many keys are held."""
        return sum(len(run.keys) for run in self._runs)

    def _merge_last(self) -> None:
        from worker.engine.kernels.merging import merge

        more, some = self._runs.pop(), self._runs.pop()
        size = len(some.keys) + len(more.keys)
        keys, counts = np.empty(size, np.int64), np.empty(size, np.int64)
        size = merge(some.keys, some.counts, more.keys, more.counts, keys, counts)
        for array in (keys, counts):
            array.resize(size, refcheck=False)  # gives the rest back without a copy
        self._runs.append(Grouped(keys, counts))


class _Words(Protocol):
    """Numbers the values of one column."""

    def __len__(self) -> int: ...

    def foresee(self, column: Column) -> None:
        """Take up all labels at once, in order."""

    def encode(self, column: Column) -> Codes:
        """The code of each row."""

    def domain(self, name: str, kind: Kind, occurs: Callable[[], Mask]) -> tuple[Codes | None, Domain]:
        """The domain of the codes that occur, and where each code stands in it; None where it is."""


class FixedVocabulary:
    """The codes of a domain that is known already."""

    def __init__(self, domain: Domain) -> None:
        self._domain = domain

    def __len__(self) -> int:
        return len(self._domain)

    def foresee(self, column: Column) -> None:
        """Nothing is new."""

    def encode(self, column: Column) -> Codes:
        """The code of each row."""
        return self._domain.translate(column)

    def domain(self, name: str, kind: Kind, occurs: Callable[[], Mask]) -> tuple[Codes | None, Domain]:
        """The codes are right as they are."""
        return None, self._domain


class GrownVocabulary(Vocabulary):
    """The codes of whatever occurs."""

    def domain(self, name: str, kind: Kind, occurs: Callable[[], Mask]) -> tuple[Codes | None, Domain]:
        """Only what occurs, sorted by text."""
        used = occurs()
        if self.in_order and used.all():
            return None, Domain(name, kind, tuple(self.texts), np.array(self.missing, bool))
        ranks, texts, missing = self.sorted()
        order = np.zeros(len(self), bool)
        order[ranks[np.flatnonzero(used)]] = True
        places = (np.cumsum(order) - 1).astype(narrow(len(order)))[ranks]
        kept = tuple(text for text, is_used in zip(texts, order.tolist(), strict=True) if is_used)
        return places, Domain(name, kind, kept, missing[order])


class _PackedTally:
    """Tuples as one integer each, with room for every value that a column may yet show."""

    def __init__(self) -> None:
        self._bits: tuple[int, ...] = ()
        self._runs = Runs()

    @staticmethod
    def bits(sizes: Sequence[int]) -> tuple[int, ...]:
        """How many bits each column needs."""
        return tuple(max(size - 1, 0).bit_length() for size in sizes)

    def add(self, codes: Sequence[Codes], sizes: Sequence[int], counts: Counts | None) -> None:
        """Count some rows."""
        needed = tuple(map(max, self.bits(sizes), self._bits or (0,) * len(sizes)))
        if needed != self._bits:
            self._runs.rekeyed(lambda keys: pack(self._unpacked(keys), _spans(needed), len(keys)))
            self._bits = needed
        spans = _spans(self._bits)
        keys = pack(codes, spans, len(codes[0]))
        self._runs.add(grouped(keys, counts, 1 << sum(self._bits), spent=True))

    def _unpacked(self, keys: Keys) -> list[Codes]:
        return unpack(keys, _spans(self._bits))

    @property
    def held(self) -> int:
        """How many tuples are held."""
        return self._runs.held

    def result(self) -> tuple[Packed, Counts, None]:
        """The tuples in ascending order, and their counts."""
        found = self._runs.merged()
        self._runs = Runs()
        return Packed(found.keys, _spans(self._bits)), found.counts, None

    def spent(self) -> Iterator[tuple[Sequence[Codes], Counts]]:
        """The tuples with their counts, which are not held any longer."""
        codes, counts, _ = self.result()
        yield codes, counts


def _spans(bits: Sequence[int]) -> list[int]:
    return [1 << one for one in bits]


@dataclass
class _Piece:
    codes: Sequence[Codes]
    counts: Counts
    weights: Floats | None


class _WideTally:
    """Tuples that are too wide for one integer, or that carry weights."""

    def __init__(self, sizes: Sequence[int]) -> None:
        self._sizes = sizes
        self._pieces: list[_Piece] = []
        self._alike = True
        self.held = 0

    def add(self, piece: _Piece, sizes: Sequence[int]) -> None:
        """Count some rows. Where nearly all differ, they are added up once, at the end."""
        self._sizes = sizes
        if self._alike or piece.weights is not None:
            rows, piece = len(piece.counts), self._added_up(piece)
            self._alike = 2 * len(piece.counts) < rows
        self._pieces.append(piece)
        self.held += len(piece.counts)
        if self.held > 2 * len(self._pieces[0].counts) + _AT_ONCE:
            self._merge()

    def _added_up(self, piece: _Piece) -> _Piece:
        groups = group(pack(piece.codes, self._sizes, len(piece.counts)))
        weights = None if piece.weights is None else groups.sum(piece.weights)
        return _Piece([column[groups.first] for column in piece.codes], groups.sum(piece.counts), weights)

    def _merge(self) -> None:
        counts = np.concatenate([piece.counts for piece in self._pieces])
        weights = [piece.weights for piece in self._pieces if piece.weights is not None]
        columns = [list(piece.codes) for piece in self._pieces]
        self._pieces = []
        # Column by column, so that not all are there twice.
        codes = [np.concatenate([of.pop(0) for of in columns]) for _ in range(len(columns[0]))]
        self._pieces = [self._added_up(_Piece(codes, counts, np.concatenate(weights) if weights else None))]
        self.held = len(self._pieces[0].counts)

    def result(self) -> tuple[Sequence[Codes], Counts, Floats | None]:
        """The tuples, their counts and weights."""
        self._merge()
        piece = self._pieces[0]
        return piece.codes, piece.counts, piece.weights

    def spent(self) -> Iterator[tuple[Sequence[Codes], Counts]]:
        """The tuples with their counts, which are not held any longer; one may come again and again."""
        self.held = 0
        while self._pieces:
            piece = self._pieces.pop()
            yield piece.codes, piece.counts


class Counter:
    """Adds up chunks into a frequency table."""

    def __init__(
        self,
        columns: Sequence[tuple[str, Kind]],
        person: str | None,
        weight: str | None,
        known: Mapping[str, Domain] | None = None,
        most: int | None = None,
    ) -> None:
        """`known` holds the domains of columns with too many values to gather them on the way.

        More than `most` tuples make a long table, unless they carry persons or weights.
        """
        self._most = None if person or weight else most
        self._parts: Parts | None = None
        self._kinds = dict(columns)
        self._columns = [name for name, _ in columns]
        self._names = self._columns + ([person] if person else [])
        self._person, self._weight = person, weight
        self._words: list[_Words] = [
            FixedVocabulary(known[name]) if known and name in known else GrownVocabulary()
            for name in self._names
        ]
        self._tally: _PackedTally | _WideTally | None = None

    def add(self, columns: Mapping[str, Column], rows: int, counts: Counts | None = None) -> None:
        """Count one chunk; each row once, or as often as `counts` says."""
        if not rows:
            return
        for words, name in zip(self._words, self._names, strict=True):
            words.foresee(columns[name])
        # Texts, not labels, decide what is equal: a dictionary may hold one text twice.
        alone = self._words[0] if len(self._names) == 1 and not self._weight and counts is None else None
        if isinstance(alone, GrownVocabulary):  # rows of one column need no code of their own
            only, counts = alone.counted(columns[self._names[0]])
            codes, rows = [only], len(only)
        else:
            codes = [
                words.encode(columns[name]) for words, name in zip(self._words, self._names, strict=True)
            ]
        weights = columns[self._weight].numbers if self._weight else None
        self.add_codes(codes, rows, counts, weights)

    def add_codes(
        self, codes: Sequence[Codes], rows: int, counts: Counts | None, weights: Floats | None = None
    ) -> None:
        """Count rows that are numbered already."""
        sizes = [max(len(words), 1) for words in self._words]
        if self._parts is not None:
            self._parts.add(codes, sizes, np.ones(rows, np.int64) if counts is None else counts)
            return
        if isinstance(tally := self._fitting(sizes, rows), _PackedTally) and codes:
            tally.add(codes, sizes, counts)
            self._put_away_if_many()
            return
        assert isinstance(tally, _WideTally)
        tally.add(_Piece(codes, np.ones(rows, np.int64) if counts is None else counts, weights), sizes)
        self._put_away_if_many()

    def _put_away_if_many(self) -> None:
        if self._most is not None and self.held > self._most:
            self.put_away()

    @property
    def held(self) -> int:
        """How many tuples are held."""
        return self._tally.held if self._tally else 0

    def put_away(self) -> None:
        """From here on tuples are put away instead of held."""
        if self._tally is None or self._most is None:
            return
        sizes = [max(len(words), 1) for words in self._words]
        pieces = self._tally.spent()
        self._tally, self._parts = None, Parts(Shelf(self._most * _ROOM_PER_TUPLE))
        for codes, counts in pieces:
            for start in range(0, len(counts), _AT_ONCE):
                at = slice(start, start + _AT_ONCE)
                self._parts.add([one[at] for one in codes], sizes, counts[at])

    def _fitting(self, sizes: Sequence[int], rows: int) -> _PackedTally | _WideTally:
        """Packed as long as the tuples fit into one integer."""
        fits = 1 << sum(_PackedTally.bits(sizes)) < LIMIT  # or keys would be ranked, and not be read back
        narrow = fits and not self._weight and bool(sizes)
        if self._tally is None:
            self._tally = _PackedTally() if narrow else _WideTally(sizes)
        if isinstance(self._tally, _PackedTally) and not narrow:
            codes, held, _ = self._tally.result()
            self._tally = _WideTally(sizes)
            self._tally.add(_Piece(codes, held, None), sizes)
        return self._tally

    @property
    def held_bytes(self) -> int:
        """Roughly what the tuples held now take in memory."""
        if isinstance(self._tally, _PackedTally):
            return 2 * 16 * self._tally.held
        return self._tally.held * (4 * len(self._names) + 16) if self._tally else 0

    def tuples(self) -> Tuples:
        """Everything added, in parts when there were too many tuples."""
        return self.table() if self._parts is None else self._long(self._parts)

    def table(self) -> FrequencyTable:
        """The frequency table of everything added, where no number of tuples is too many."""
        if self._tally is None:
            nothing = [np.zeros(0, np.int32) for _ in self._names]
            return self._table(nothing, np.zeros(0, np.int64), np.empty(0) if self._weight else None)
        return self._table(*self._tally.result())

    def _long(self, parts: Parts) -> LongTable:
        settled = [
            words.domain(name, self._kinds.get(name, Kind.TEXT), partial(parts.occurs, at))
            for at, (name, words) in enumerate(zip(self._names, self._words, strict=True))
        ]
        return LongTable(tuple(domain for _, domain in settled), tuple(to for to, _ in settled), parts)

    def _table(self, given: Sequence[Codes], counts: Counts, weights: Floats | None) -> FrequencyTable:
        few = _few(given)
        settled = [
            words.domain(name, self._kinds.get(name, Kind.TEXT), partial(_occurs, given, few, at, len(words)))
            for at, (name, words) in enumerate(zip(self._names, self._words, strict=True))
        ]
        domains = tuple(domain for _, domain in settled)
        in_order = all(getattr(words, "in_order", True) for words in self._words)
        if not (in_order and isinstance(given, Packed) and all(to is None for to, _ in settled)):
            columns, given = list(given), ()
            given = self._renumbered(columns, [to for to, _ in settled])
        if not in_order:  # tallies give them in order of the codes that were
            order = ordered(pack(given, [len(domain) for domain in domains], len(counts)))
            given, counts = [column[order] for column in given], counts[order]
            weights = None if weights is None else weights[order]
        if not self._person:
            return FrequencyTable(domains, given, counts, None, weights)
        return FrequencyTable(domains[:-1], given[:-1], counts, given[-1], weights)

    def _renumbered(self, columns: list[Codes], places: Sequence[Codes | None]) -> list[Codes]:
        """In the codes of the domains; one after the other, so that not all are there twice."""
        for at, (words, to) in enumerate(zip(self._words, places, strict=True)):
            fresh = columns[at].astype(narrow(len(words)), copy=False) if to is None else to[columns[at]]
            columns[at] = fresh
        return columns


_LOOKED_AT = 1 << 15


def _few(codes: Sequence[Codes]) -> Sequence[Codes]:
    """Rows from all over the table."""
    if isinstance(codes, Packed):
        return codes.few(_LOOKED_AT)
    return [column[:: max(len(column) // _LOOKED_AT + 1, ONE_OF)] for column in codes]


def _occurs(codes: Sequence[Codes], few: Sequence[Codes], at: int, size: int) -> Mask:
    """Which codes of a column occur: mostly all of them, in a few rows already."""
    found = np.bincount(few[at], minlength=size) > 0
    return found if found.all() else np.bincount(codes[at], minlength=size) > 0


def added_up(pieces: Iterable[FrequencyTable]) -> FrequencyTable:
    """One table of pieces with the same domains, in which a tuple may occur again and again."""
    domains: tuple[Domain, ...] = ()
    tally: _WideTally | None = None
    for piece in pieces:
        domains = piece.domains
        sizes = [max(len(domain), 1) for domain in domains]
        tally = tally or _WideTally(sizes)
        tally.add(_Piece(list(piece.codes), piece.counts, None), sizes)
    assert tally is not None
    codes, counts, _ = tally.result()
    return FrequencyTable(domains, tuple(codes), counts)


def marginal(table: LongTable, columns: Sequence[str], most: int | None) -> Tuples:
    """Some columns of a long table, without reading a row."""
    domains = {name: table.domain(name) for name in columns}
    counter = Counter([(name, one.kind) for name, one in domains.items()], None, None, domains, most)
    for some in _together(table.pieces()):
        codes = [np.concatenate([piece.column(name) for piece in some]) for name in columns]
        counts = np.concatenate([piece.counts for piece in some])
        counter.add_codes(codes, len(counts), counts)
    return counter.tuples()


def _together(pieces: Iterable[FrequencyTable]) -> Iterator[list[FrequencyTable]]:
    """Several at once: what is put away is dealt out into as many parts again, which should not be tiny."""
    some: list[FrequencyTable] = []
    for piece in pieces:
        some.append(piece)
        if sum(map(len, some)) >= _ENOUGH:
            yield some
            some = []
    if some:
        yield some


class NumberCounter:
    """Counts the distinct values of one column of many numbers."""

    def __init__(self, name: str, kind: Kind) -> None:
        self._name, self._kind = name, kind
        self._runs = Runs()
        self._others: pa.Array = pa.array([""], pa.string())

    def add(self, column: Numbers) -> None:
        """Count one chunk."""
        self._others = column.others
        self._runs.add(grouped(column.values, None, LIMIT))

    @property
    def held_bytes(self) -> int:
        """What the values held now take in memory."""
        return 2 * 16 * self._runs.held

    def table(self) -> FrequencyTable:
        """The frequency table of everything added."""
        found = self._runs.merged()
        domain = NumberDomain(self._name, self._kind, found.keys, self._others)
        return FrequencyTable((domain,), (np.arange(len(found.keys), dtype=np.int32),), found.counts)
