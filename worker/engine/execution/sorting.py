"""All rows in the order of their released values, in bounded memory.

The rows are held like those of a file that was read: small, and sealed outside memory where they are too
many. Then they are dealt into parts, each of which comes wholly before the next, and sorted part by part.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import groupby
from operator import itemgetter
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from worker.engine.errors import LimitExceeded
from worker.engine.execution.kept import SEGMENT, Kept
from worker.engine.io.store import Store, StoredColumn, texts_from_bytes, texts_to_bytes
from worker.engine.tables.column import MISSING_TEXTS, Codes, Column, Mask, marks
from worker.engine.tables.dense import FIRST_OTHER, Numbers, Texts, Values, numbers_of
from worker.engine.tables.keys import distinct
from worker.engine.tables.kinds import Kind
from worker.engine.tables.scratch import Place, Shelf
from worker.engine.tables.table import Chunk, Table

ROOM_SHARE, PART_SHARE = 8, 6
TEXT_BYTES, PREFIX_BYTES = 48, 7
MOST_ROWS, MOST_ROOM = 1 << 21, 1 << 28
"""So many rows are sorted together, and so many bytes of those that wait are held, where nobody said how
much memory there is: in parts it takes no longer."""
SAMPLED = 1024
WORD_BITS = 62

Part = Any
"""Ranks of labels, decimal codes, or an array of texts."""
Keys = np.ndarray[Any, Any]
Word = Callable[[Any], Keys]
"""A key of chosen rows: all of them as a slice, or their places."""


def in_order(kept: Kept, by: Sequence[str], names: Sequence[str], memory: int | None) -> Iterator[Chunk]:
    """The named columns, sorted by some of them: labels by text, columns of many numbers by number."""
    store = kept.store
    columns = [_Sorted(store.columns[name], kept.kind(name)) for name in names]
    keys = [columns[names.index(name)] for name in by]
    first = 0
    for parts in _in_parts(columns, keys, store, memory):
        order = _order(keys, parts)
        for start in range(0, len(order), SEGMENT):
            at = order[start : start + SEGMENT]
            yield Table([column.column(parts[column.name], at) for column in columns], first, len(at))
            first += len(at)


class _Sorted:
    """A stored column whose labels stand in order."""

    def __init__(self, stored: StoredColumn, kind: Kind) -> None:
        self.stored, self.kind = stored, kind
        self.ranks, self.labels = _ranked(stored.labels)
        self._other_ranks, self.others = _ranked(stored.others)
        self.missing: Mask = marks(self.labels, MISSING_TEXTS)

    @property
    def name(self) -> str:
        """Its name."""
        return self.stored.name

    @property
    def bits(self) -> int:
        """How many bits a rank takes."""
        return max(len(self.labels) - 1, 0).bit_length()

    def part(self, segment: int) -> Part:
        """The rows of one segment."""
        column = self.stored.part(segment, self.kind)
        if isinstance(column, Numbers):
            values, beside = column.values.copy(), np.flatnonzero(column.values < column.smallest)
            values[beside] = FIRST_OTHER + self._other_ranks.astype(np.int64)[values[beside] - FIRST_OTHER]
            return values
        if isinstance(column, Texts):
            return column.plain
        ranks = self.ranks[column.codes] if len(self.ranks) else column.codes
        return ranks.astype(np.min_scalar_type(max(len(self.labels), 1)))

    @staticmethod
    def cut(part: Part, rows: Keys | slice) -> Part:
        """Some rows."""
        if isinstance(part, pa.Array) and not isinstance(rows, slice):
            return part.take(pa.array(rows))
        return part[rows]

    def column(self, part: Part, rows: Keys) -> Column:
        """Some rows as a column."""
        some = self.cut(part, rows)
        if isinstance(some, pa.Array):
            return Texts(self.name, self.kind, some)
        if some.dtype == np.int64:
            return Numbers(self.name, self.kind, some, self.others)
        return Column(self.name, self.kind, some, self.labels, self.missing)

    @staticmethod
    def is_ranked(part: Part) -> bool:
        """Whether the rows of a part are ranks of labels."""
        return not isinstance(part, pa.Array) and part.dtype != np.int64

    def words(self, part: Part) -> list[Word]:
        """What orders some rows of one part that are no ranks, the most significant first."""
        if isinstance(part, pa.Array):
            return [lambda rows: _text_ranks(self.cut(part, rows))]
        return [lambda rows: _numbers(part[rows], self.others), lambda rows: part[rows]]

    def bytes_per_row(self) -> int:
        """Roughly what a row takes while it is sorted."""
        return TEXT_BYTES if self.stored.form.name == "TEXTS" else 24


def _ranked(texts: pa.Array) -> tuple[Codes, pa.Array]:
    """Where each text stands in order, and the texts in order."""
    order = pc.sort_indices(texts).to_numpy()
    ranks: Codes = np.empty(len(order), np.int32)
    ranks[order] = np.arange(len(order), dtype=np.int32)
    return ranks, texts.take(pa.array(order))


def _text_ranks(texts: pa.Array) -> Keys:
    """Where each row's text stands in order."""
    listed = texts.dictionary_encode()
    ranks, _ = _ranked(listed.dictionary)
    found: Keys = ranks[listed.indices.to_numpy()].astype(np.int64)
    return found


def _numbers(values: Values, others: pa.Array) -> Keys:
    """Integers in the order of the numbers; what is no number comes first."""
    numbers = numbers_of(values, others)
    finite = np.nan_to_num(numbers, nan=-np.inf, posinf=np.inf, neginf=-np.inf) + 0.0  # there is one zero
    bits: Keys = finite.view(np.int64)
    ordered: Keys = bits ^ (bits >> 63 & np.iinfo(np.int64).max)
    return ordered


def _words(columns: Sequence[_Sorted], parts: Mapping[str, Part]) -> list[Word]:
    """Keys of chosen rows, the most significant first; neighbouring ranks share one."""
    words: list[Word] = []
    for _, sharing in groupby(_shared(columns, parts), key=itemgetter(0)):
        some = [column for _, column in sharing]
        if _Sorted.is_ranked(parts[some[0].name]):
            words.append(partial(_joined_ranks, some, parts))
        else:
            words += some[0].words(parts[some[0].name])
    return words


def _shared(columns: Sequence[_Sorted], parts: Mapping[str, Part]) -> Iterator[tuple[int, _Sorted]]:
    """Each column with the number of its key."""
    number, room = 0, 0
    for column in columns:
        ranked = _Sorted.is_ranked(parts[column.name])
        if not ranked or column.bits > room:
            number, room = number + 1, WORD_BITS if ranked else 0
        room -= column.bits if ranked else 0
        yield number, column


def _joined_ranks(columns: Sequence[_Sorted], parts: Mapping[str, Part], rows: Keys | slice) -> Keys:
    """The ranks of several columns as one integer."""
    word: Keys = parts[columns[0].name][rows].astype(np.int64)
    for column in columns[1:]:
        word <<= column.bits
        word |= parts[column.name][rows]
    return word


def _order(columns: Sequence[_Sorted], parts: Mapping[str, Part]) -> Keys:
    """The rows in order: a further key is looked at only for rows that those before it leave alike."""
    from worker.engine.kernels.ordering import settle, sort_rows

    size = len(next(iter(parts.values()), ()))
    order, fresh = np.arange(size), np.zeros(size, bool)
    first, *further = _words(columns, parts) or [lambda _: order]
    if size:
        sort_rows(first(slice(None)), order, fresh)
    for word in further:
        tied = ~fresh
        tied[:-1] |= tied[1:]
        places = np.flatnonzero(tied)
        if not len(places):
            break
        rows, new = order[places], fresh[places]
        settle(word(rows), rows, new)
        order[places], fresh[places] = rows, new
    return order


def _first_words(columns: Sequence[_Sorted], parts: Mapping[str, Part]) -> Keys:
    """A key that never puts rows into another order than all keys do."""
    part = parts[columns[0].name]
    if isinstance(part, pa.Array):
        return _prefixes(part)
    return _words(columns, parts)[0](slice(None))


def _prefixes(texts: pa.Array) -> Keys:
    """The first bytes of each text as a number."""
    ends = pc.binary_slice(texts.cast(pa.large_binary()).cast(pa.binary()), 0, PREFIX_BYTES)
    padded = np.array(ends.to_numpy(zero_copy_only=False), dtype=f"S{PREFIX_BYTES + 1}")
    return (padded.view(">u8") >> 8).astype(np.int64)


def _in_parts(
    columns: Sequence[_Sorted], keys: Sequence[_Sorted], store: Store, memory: int | None
) -> Iterator[dict[str, Part]]:
    """The rows in parts that come one wholly before the next, each small enough to be sorted."""
    segments = [number for number, *_ in store.segments()]
    width = sum(column.bytes_per_row() for column in columns) + 32
    most = MOST_ROWS if memory is None else max(memory // PART_SHARE // width, SEGMENT)
    wanted = -(-store.rows // most)
    if wanted <= 1 or not keys:
        if segments:
            yield _joined([{column.name: column.part(number) for column in columns} for number in segments])
        return
    borders = _borders(keys, segments, wanted)
    dealt = _Dealt(len(borders) + 1, columns, Shelf(MOST_ROOM if memory is None else memory // ROOM_SHARE))
    for number in segments:
        parts = {column.name: column.part(number) for column in columns}
        dealt.deal(parts, np.searchsorted(borders, _first_words(keys, parts), side="right"))
    for number in range(len(borders) + 1):
        if memory is not None and dealt.rows[number] > 4 * most:
            raise _too_even()
        if dealt.rows[number]:
            yield dealt.part(number)


def _too_even() -> LimitExceeded:
    return LimitExceeded(
        "memory",
        "Sorting the released rows does not fit into the memory limit: too many begin with the same values. "
        "Allow more memory, or keep the order of the input (--keep-order) where that order tells nothing.",
    )


def _borders(keys: Sequence[_Sorted], segments: Sequence[int], wanted: int) -> Keys:
    """Where parts end, so that a sample of the rows falls evenly into them."""
    sample = []
    for number in segments:
        words = _first_words(keys, {column.name: column.part(number) for column in keys})
        sample.append(words[:: max(len(words) // SAMPLED, 1)])
    ordered = np.sort(np.concatenate(sample))
    return distinct(ordered[np.linspace(0, len(ordered) - 1, wanted + 1).astype(int)[1:-1]])


def _joined(pieces: Sequence[Mapping[str, Part]]) -> dict[str, Part]:
    found: dict[str, Part] = {}
    for name, one in pieces[0].items():
        parts = [piece[name] for piece in pieces]
        if isinstance(one, pa.Array):
            found[name] = pa.concat_arrays([part.cast(pa.large_string()) for part in parts])
        else:
            found[name] = np.concatenate(parts)
    return found


class _Dealt:
    """Rows of several parts, put away piece by piece."""

    def __init__(self, parts: int, columns: Sequence[_Sorted], shelf: Shelf) -> None:
        self.rows = [0] * parts
        self._columns, self._shelf = columns, shelf
        self._kept: list[list[dict[str, tuple[str, bytes | Place]]]] = [[] for _ in range(parts)]

    def deal(self, parts: Mapping[str, Part], to: Keys) -> None:
        """Put away each row of a segment with the part it belongs to."""
        order = np.argsort(to, kind="stable")
        ends = np.cumsum(np.bincount(to, minlength=len(self.rows)))
        for number, (start, end) in enumerate(zip([0, *ends[:-1].tolist()], ends.tolist(), strict=True)):
            if start < end:
                rows = order[start:end]
                kept = {name: self._put(_Sorted.cut(part, rows)) for name, part in parts.items()}
                self._kept[number].append(kept)
                self.rows[number] += len(rows)

    def _put(self, part: Part) -> tuple[str, bytes | Place]:
        if isinstance(part, pa.Array):
            return "", self._shelf.put(texts_to_bytes([part]))
        return part.dtype.str, self._shelf.put(part.tobytes())

    def _get(self, kind: str, kept: bytes | Place) -> Part:
        found = self._shelf.get(kept)
        return np.frombuffer(found, np.dtype(kind)) if kind else texts_from_bytes(found)

    def part(self, number: int) -> dict[str, Part]:
        """All rows of one part."""
        pieces, self._kept[number] = self._kept[number], []
        return _joined([{name: self._get(*one) for name, one in piece.items()} for piece in pieces])
