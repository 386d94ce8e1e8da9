"""Rows of codes to packed keys and back. Equal keys of plain rows are added up while they are packed."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np

from worker.engine.arrays import Longs
from worker.engine.kernels.compiled import compiled
from worker.engine.search.coding import Keys
from worker.engine.search.grouping import MULTIPLIER, ONE, ONE_MORE
from worker.engine.search.snapshots import Table

Words = np.ndarray[Any, np.dtype[np.uint64]]
Codes = np.ndarray[Any, np.dtype[np.int32]]
Ints = np.ndarray[Any, np.dtype[np.int32]]
Slots = np.ndarray[Any, np.dtype[np.uint32]]

MANY = 300_000
"""Tables of more tuples than this may be plain rows, which are worth adding up."""
FEW = 200_000
"""Up to this many distinct keys are counted by hashing, more by sorting."""
TABLE_BITS = 19
MOST = 400_000
"""More would crowd the table."""
BLOCK = 131_072
"""Rows packed at a time, so that the keys being built stay in the cache."""


@compiled
def add_fields(
    out: Words, first: Codes, second: Codes, third: Codes, fields: Words, more: Words, most: Words
) -> None:
    """Write three columns into the keys of a block."""
    a, b, c = first.view(np.uint32), second.view(np.uint32), third.view(np.uint32)
    for i in range(out.size):
        out[i] |= fields[a[i]] | more[b[i]] | most[c[i]]


def _threes(keys: Keys) -> list[tuple[int, list[int]]]:
    """The columns of each word, three at a time; the last ones are repeated, which changes nothing."""
    found = []
    for word in range(keys.words):
        columns = [at for at, place in enumerate(keys.places) if place.word == word]
        for start in range(0, len(columns), 3):
            three = columns[start : start + 3]
            found.append((word, [*three, *[three[-1]] * (3 - len(three))]))
    return found


def pack_block(columns: Sequence[Codes], keys: Keys, start: int, out: Words) -> None:
    """The keys of the rows from `start` on, as many as `out` has room for."""
    end = start + out.shape[1]
    out[:] = 0
    for word, (a, b, c) in _threes(keys):
        add_fields(
            out[word],
            _ints(columns[a][start:end]),
            _ints(columns[b][start:end]),
            _ints(columns[c][start:end]),
            keys.fields[a],
            keys.fields[b],
            keys.fields[c],
        )


def _ints(codes: Codes) -> Codes:
    """The one type that the loops are compiled for; tables keep narrower ones."""
    return np.ascontiguousarray(codes, np.int32)


def pack(columns: Sequence[Codes], keys: Keys) -> Words:
    """One key per row, `keys.words` words each, word by word."""
    rows = len(columns[0]) if columns else 0
    packed = np.empty((keys.words, rows), np.uint64)
    for start in range(0, rows, BLOCK):
        pack_block(columns, keys, start, packed[:, start : start + BLOCK])
    return packed


def unpack(packed: Words, keys: Keys) -> list[Codes]:
    """A code of each column for every key: one that the generalized value covers."""
    codes = []
    for place in keys.places:
        mask = np.uint64((1 << place.ladder.width) - 1)
        codes.append(place.ladder.leaves[(packed[place.word] >> np.uint64(place.shift)) & mask])
    return codes


def keyed(columns: Sequence[Codes], counts: Longs, keys: Keys, merge: bool) -> Table:
    """The keys of a table. With `merge`, tuples that may be plain rows are added up by key."""
    if merge and keys.words == 1 and len(counts) > MANY and (counts == 1).all():
        return _counted(columns, keys) or _sorted(pack(columns, keys)[0])
    return Table(pack(columns, keys), np.ascontiguousarray(counts, np.int32))


class Count(NamedTuple):
    """Distinct keys of one word, each beside its rows, so that counting a row looks into one place."""

    table: Words
    """`table[slot]`: a key and its rows; no rows, no key."""
    slots: Slots
    number: Longs


@compiled
def count_block(block: Words, bits: int, counted: Count) -> bool:
    """Count a block of keys; False when there are too many distinct ones to go on like this."""
    shift, last, found = np.uint64(64 - bits), np.uint32((1 << bits) - 1), counted.number[0]
    table, slots = counted.table, counted.slots
    if found > FEW:
        return False
    for i in range(block.size):
        slots[i] = np.uint32((block[i] * MULTIPLIER) >> shift)
    for i in range(block.size):
        key, slot = block[i], slots[i]
        while table[slot, 1] != 0 and table[slot, 0] != key:
            slot = np.uint32((slot + ONE_MORE) & last)
        found += table[slot, 1] == 0
        table[slot, 0] = key
        table[slot, 1] += ONE
    counted.number[0] = found
    return True


@compiled
def collect(table: Words, keys: Words, rows: Ints) -> None:
    """The keys that were counted, end to end."""
    found = 0
    for slot in range(len(table)):
        if table[slot, 1]:
            keys[0, found], rows[found] = table[slot, 0], table[slot, 1]
            found += 1


@compiled
def absorb(counted: Count, other: Count, bits: int) -> None:
    """Add what another table counted."""
    shift, last = np.uint64(64 - bits), np.uint32((1 << bits) - 1)
    table = counted.table
    for at in range(len(other.table)):
        key, rows = other.table[at, 0], other.table[at, 1]
        if rows == 0:
            continue
        slot = np.uint32((key * MULTIPLIER) >> shift)
        while table[slot, 1] != 0 and table[slot, 0] != key:
            slot = np.uint32((slot + ONE_MORE) & last)
        counted.number[0] += table[slot, 1] == 0
        table[slot, 0] = key
        table[slot, 1] += rows


def _count(columns: Sequence[Codes], keys: Keys, start: int, end: int) -> Count | None:
    """Count rows while packing them; None if there are many distinct ones."""
    table = np.zeros((1 << TABLE_BITS, 2), np.uint64)
    counted = Count(table, np.empty(BLOCK, np.uint32), np.zeros(1, np.int64))
    block = np.empty((1, BLOCK), np.uint64)
    for at in range(start, end, BLOCK):
        part = block[:, : min(BLOCK, end - at)]
        pack_block(columns, keys, at, part)
        if not count_block(part[0], TABLE_BITS, counted):
            return None
    return counted


def _counted(columns: Sequence[Codes], keys: Keys) -> Table | None:
    """Few distinct keys: count each half of the rows, both at a time. None if they are many."""
    size = len(columns[0])
    with ThreadPoolExecutor(1) as beside:
        rest = beside.submit(_count, columns, keys, size // 2, size)
        counted, other = _count(columns, keys, 0, size // 2), rest.result()
    if counted is None or other is None or counted.number[0] + other.number[0] > MOST:
        return None
    absorb(counted, other, TABLE_BITS)
    number = int(counted.number[0])
    made = Table(np.empty((1, number), np.uint64), np.empty(number, np.int32))
    collect(counted.table, *made)
    return made


@compiled
def run_lengths(ordered: Words, counts: Ints) -> int:
    """Move the distinct values of a sorted array to its front and count each."""
    found = -1
    for i in range(ordered.size):
        if found < 0 or ordered[i] != ordered[found]:
            found += 1
            ordered[found] = ordered[i]
            counts[found] = 0
        counts[found] += 1
    return found + 1


def _sorted(packed: Words) -> Table:
    """Many distinct keys: sort and count runs."""
    packed.sort()
    counts = np.empty(len(packed), np.int32)
    found = run_lengths(packed, counts)
    return Table(packed[:found].reshape(1, -1), counts[:found])
