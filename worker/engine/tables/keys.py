"""Several columns of codes as one integer per row, so that grouping is sorting integers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple, TypeVar, overload

import numpy as np

Codes = np.ndarray[Any, np.dtype[Any]]
Keys = np.ndarray[Any, np.dtype[np.int64]]

A = TypeVar("A", bound=np.ndarray[Any, Any])

LIMIT = 2**62
"""A packed key stays below this; wider tuples are ranked first and packed again, so nothing overflows."""


@dataclass
class Packer:
    """Gives equal keys to equal tuples, and the same keys again to tuples it was fitted on."""

    sizes: tuple[int, ...]
    _ranks: dict[int, Keys] = field(default_factory=dict)

    def fit(self, columns: Sequence[Codes], rows: int) -> Keys:
        """Keys of the tuples to remember."""
        return self._pack(columns, rows, learning=True)

    def apply(self, columns: Sequence[Codes], rows: int) -> Keys:
        """Keys of tuples that occurred among the fitted ones."""
        return self._pack(columns, rows, learning=False)

    def _pack(self, columns: Sequence[Codes], rows: int, learning: bool) -> Keys:
        keys, sizes = np.zeros(rows, np.int64), [max(size, 1) for size in self.sizes]
        span, begun = 1, 0
        for position, size in enumerate(sizes):
            if span * size >= LIMIT:
                _append(keys, columns[begun:position], sizes[begun:position])
                begun = position
                if learning:
                    self._ranks[position], keys = ranked(keys)
                else:
                    keys = places_in(self._ranks[position], keys)
                span = len(self._ranks[position])
            span *= size
        _append(keys, columns[begun:], sizes[begun:])
        return keys


def _append(keys: Keys, columns: Sequence[Codes], sizes: Sequence[int]) -> None:
    """Add columns to keys, some rows at a time: these stay where the processor has them at hand. Short
    numbers are reckoned with first, as far as they go: it takes twice as many of them at once.
    """
    for start in range(0, len(keys), _AT_HAND):
        rows = slice(start, start + _AT_HAND)
        some = keys[rows]
        part, span = np.zeros(len(some), np.int32), 1
        for codes, size in zip(columns, sizes, strict=True):
            if span * size > _SHORT:
                some *= span
                some += part
                part[:], span = 0, 1
            if size > _SHORT:
                some *= size
                some += codes[rows]
                continue
            part *= np.int32(size)
            np.add(part, codes[rows], out=part, casting="unsafe")
            span *= size
        some *= span
        some += part


_SHORT = 2**31 - 1
_AT_HAND = 1 << 15


def pack(columns: Sequence[Codes], sizes: Sequence[int], rows: int) -> Keys:
    """Keys to use once."""
    return Packer(tuple(sizes)).fit(columns, rows)


@dataclass(frozen=True)
class Groups:
    """Rows sorted into groups of equal keys: the group of each row, its first row, its total."""

    ids: np.ndarray[Any, np.dtype[np.intp]]
    first: np.ndarray[Any, np.dtype[np.intp]]

    @property
    def number(self) -> int:
        """How many groups there are."""
        return len(self.first)

    def sum(self, values: np.ndarray[Any, Any]) -> Any:
        """The total of the values in each group; integers stay exact."""
        return totals(self.ids, values, self.number)


def group(keys: Keys) -> Groups:
    """Group rows by key, in ascending order of keys."""
    if (keys[1:] >= keys[:-1]).all():  # as in a table grouped by its first columns
        fresh = np.ones(len(keys), bool)
        np.not_equal(keys[1:], keys[:-1], out=fresh[1:])
        ids = np.cumsum(fresh)
        ids -= 1
        return Groups(ids, np.flatnonzero(fresh))
    span = int(keys.max()) + 1
    if span <= DENSE:
        return _listed(keys, span)
    order = ordered(keys)
    _, starts = _runs(keys[order])
    first = np.minimum.reduceat(order, starts)  # sorting in place of equals is several times slower
    return Groups(_numbered(order, starts), first)


def _listed(keys: Keys, span: int) -> Groups:
    """With a place for every key that may be, nothing has to be sorted."""
    occurs = np.zeros(span, bool)
    occurs[keys] = True
    ids = (np.cumsum(occurs) - 1)[keys]
    first = np.empty(int(occurs.sum()), np.intp)
    for end in range(len(keys), 0, -_AT_ONCE):  # from the last to the first, which stays
        start = max(end - _AT_ONCE, 0)
        first[ids[start:end][::-1]] = np.arange(end - 1, start - 1, -1)
    return Groups(ids, first)


_AT_ONCE = 1 << 16
DEALT_FROM, DEALT_TO = 1 << 12, 1 << 20
"""Lists of such lengths are dealt out by digits; a longer one has no room for another of its length."""
DENSE = 1 << 22
"""Up to so many possible keys a list with a place for each is faster than sorting."""
SORTED_FROM = 1 << 14
"""Fewer keys or known ones are looked up as they come."""


def totals(ids: Codes, values: np.ndarray[Any, Any], number: int) -> Any:
    """The total of the values of each id; integers stay exact."""
    total = np.zeros(number, values.dtype)
    np.add.at(total, ids, values)
    return total


class Grouped(NamedTuple):
    """Distinct keys in ascending order and how often each occurs."""

    keys: Keys
    counts: Keys


def grouped(keys: Keys, counts: Keys | None, span: int, *, spent: bool = False) -> Grouped:
    """Distinct keys, each key below `span`; a key counts once, or as often as `counts` says. Keys that are
    spent, because nobody needs them any longer, may be sorted where they are.
    """
    if span <= min(DENSE, 4 * len(keys)):
        dense = np.bincount(keys, minlength=0) if counts is None else totals(keys, counts, span)
        present = np.flatnonzero(dense)
        return Grouped(present, dense[present].astype(np.int64, copy=False))
    if DEALT_FROM <= len(keys) <= DEALT_TO:
        return _dealt(keys if spent else keys.copy(), counts)
    if counts is None:
        own = keys if spent else keys.copy()
        own.sort()
        if len(own) > DEALT_TO:
            return _counted(own)
        distinct, starts = _runs(own)
        return Grouped(distinct, np.diff(np.append(starts, len(keys))))
    order = ordered(keys)
    distinct, starts = _runs(keys[order])
    return Grouped(distinct, np.add.reduceat(counts[order], starts) if len(keys) else counts)


def _dealt(own: Keys, counts: Keys | None) -> Grouped:
    """Of a list that nobody else has, in its place. A compiled loop pays from some length on."""
    from worker.engine.kernels.dealing import DIGITS, added_up, counted

    least, most = own.min(), own.max()
    bits = (int(most) - int(least)).bit_length()
    own -= least  # past the largest number it goes on from the smallest, and back again
    spare, ends = np.empty(len(own), np.uint64), np.empty(DIGITS, np.int64)
    if counts is None:
        sums = np.empty(len(own), np.int64)
        size = counted(own.view(np.uint64), spare, bits, ends, sums)
    else:
        sums = counts.astype(np.int64)
        size = added_up(own.view(np.uint64), spare, bits, ends, sums, np.empty(len(own), np.int64))
    own[:size] += least
    return _shortened(own, sums, size)


def _counted(ordered: Keys) -> Grouped:
    """Of a long sorted list that nobody else has, in its place."""
    from worker.engine.kernels.merging import run_lengths

    counts = np.empty(len(ordered), np.int64)
    return _shortened(ordered, counts, run_lengths(ordered, counts))


def _shortened(keys: Keys, counts: Keys, size: int) -> Grouped:
    """The first ones alone; the rest is given back without a copy."""
    for array in (keys, counts):
        array.resize(size, refcheck=False)
    return Grouped(keys, counts)


def distinct(keys: A) -> A:
    """All values that occur, in ascending order: far faster than `np.unique`, which looks each one up."""
    ordered = np.sort(keys)
    found: A = ordered[_fresh(ordered)]
    return found


def ranked(keys: Keys) -> tuple[Keys, Keys]:
    """All values that occur, in ascending order, and which of them each key is."""
    order = ordered(keys)
    values, starts = _runs(keys[order])
    return values, _numbered(order, starts)


def ordered(keys: Codes) -> Keys:
    """The order of numbers, any of equal ones first. Whole ones are dealt digit by digit, which is faster."""
    if not DEALT_FROM <= len(keys) <= DEALT_TO or keys.dtype.kind != "i":
        return np.argsort(keys).astype(np.int64, copy=False)
    least = keys.min()
    bits = (int(keys.max()) - int(least)).bit_length()
    # Past the largest number it goes on from the smallest: what is left has the bits all the same.
    rest = (keys.astype(np.int64, copy=False) - np.int64(least)).view(np.uint64)
    order: Keys = np.argsort(rest.astype(np.uint16), kind="stable")
    for shift in range(_DIGIT, bits, _DIGIT):
        digit = (rest >> np.uint64(shift)).astype(np.uint16)
        order = order[np.argsort(digit[order], kind="stable")]
    return order


_DIGIT = 16


def _numbered(order: Codes, starts: Codes) -> Keys:
    """The number of the run that each row is in."""
    fresh = np.zeros(len(order), np.int64)
    fresh[starts[1:]] = 1
    ids: Keys = np.empty(len(order), np.int64)
    ids[order] = np.cumsum(fresh)
    return ids


def places_in(known: Keys, keys: Codes) -> Keys:
    """Where each key would stand among the known ones, which are in ascending order.

    Many keys are sorted first: neighbours are then looked up beside one another.
    """
    if len(keys) < SORTED_FROM or len(known) < SORTED_FROM:
        return np.searchsorted(known, keys).astype(np.int64, copy=False)
    order = ordered(keys)
    places: Keys = np.empty(len(keys), np.int64)
    places[order] = np.searchsorted(known, keys[order])
    return places


def _runs(ordered: Keys) -> tuple[Keys, Keys]:
    """The distinct keys of a sorted list, and where each begins."""
    starts = np.flatnonzero(_fresh(ordered))
    return ordered[starts], starts


def _fresh(ordered: Codes) -> np.ndarray[Any, np.dtype[np.bool_]]:
    """Which keys of a sorted list differ from the one before."""
    fresh = np.ones(len(ordered), bool)
    np.not_equal(ordered[1:], ordered[:-1], out=fresh[1:])
    return fresh


def unpack(keys: Keys, sizes: Sequence[int]) -> list[Codes]:
    """The codes that packed keys were made of, when nothing had to be ranked."""
    columns: list[Codes] = [np.empty(len(keys), narrow(size)) for size in sizes]
    for start in range(0, len(keys), _AT_HAND):
        rows = slice(start, start + _AT_HAND)
        rest = keys[rows]
        for column, size in zip(reversed(columns), reversed(sizes), strict=True):
            if size & (size - 1):
                rest, column[rows] = np.divmod(rest, size)
            else:
                column[rows] = rest & (size - 1)
                rest = rest >> (size.bit_length() - 1)
    return columns


class Packed(Sequence[Codes]):
    """Columns that were packed, as long as nobody looks at one: mostly how many rows are equal is asked."""

    def __init__(self, keys: Keys, sizes: Sequence[int]) -> None:
        self._keys, self._sizes, self._rows = keys, tuple(sizes), len(keys)

    def __len__(self) -> int:
        return len(self._sizes)

    @overload
    def __getitem__(self, at: int) -> Codes: ...

    @overload
    def __getitem__(self, at: slice) -> tuple[Codes, ...]: ...

    def __getitem__(self, at: int | slice) -> Codes | tuple[Codes, ...]:
        return self._columns[at]

    @property
    def nbytes(self) -> int:
        """What they take, or will when somebody looks."""
        widths = [np.dtype(narrow(size)).itemsize for size in self._sizes]
        return self._rows * max(self._keys.itemsize, sum(widths))

    def few(self, most: int) -> Sequence[Codes]:
        """So many rows from all over the table, or a few more; of a short table one row of eight."""
        rows = slice(None, None, max(self._rows // most + 1, ONE_OF))
        if "_columns" in vars(self):
            return [column[rows] for column in self._columns]
        return Packed(self._keys[rows], self._sizes)

    @cached_property
    def _columns(self) -> tuple[Codes, ...]:
        columns = tuple(unpack(self._keys, self._sizes))
        self._keys = self._keys[:0]  # not both are held
        return columns


ONE_OF = 8
"""Looking at fewer rows costs little beside looking at all of them, should that be needed."""


def narrow(size: int) -> type[np.signedinteger[Any]]:
    """The smallest type for codes below `size`: a table may hold nearly as many tuples as there are rows."""
    return np.int8 if size <= 1 << 7 else np.int16 if size <= 1 << 15 else np.int32


def among(keys: Keys, known: Keys) -> np.ndarray[Any, np.dtype[np.bool_]]:
    """Which keys are among the known ones, which are in ascending order."""
    if not len(known) or not len(keys):
        return np.zeros(len(keys), bool)
    at = np.minimum(places_in(known, keys), len(known) - 1)
    found: np.ndarray[Any, np.dtype[np.bool_]] = known[at] == keys
    return found
