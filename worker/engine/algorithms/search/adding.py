"""Kernels that count the keys of a long table, which are read piece by piece."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from worker.engine.algorithms.compiled import compiled, inlined
from worker.engine.algorithms.search.coding import Coding
from worker.engine.algorithms.search.grouping import FOLD, MULTIPLIER, climb
from worker.engine.algorithms.search.snapshots import Table

Longs = np.ndarray[Any, np.dtype[np.int64]]
Ints = np.ndarray[Any, np.dtype[np.int32]]
Words = np.ndarray[Any, np.dtype[np.uint64]]


class Found(NamedTuple):
    """The groups met so far; `number[0]` of them."""

    number: Longs
    table: Table
    slots: Ints
    masks: Words
    own: Words


@compiled
def own_key(coding: Coding, levels: Longs, tables: bool, keys: Words, i: int, found: Found) -> np.uint64:
    """Generalize a key into `found.own`, and hash it."""
    mixed = np.uint64(0)
    for word in range(found.own.size):
        key = keys[word, i] & found.masks[word]
        if tables:
            key = climb(coding, levels, key, word)
        found.own[word] = key
        mixed = (mixed ^ key) * MULTIPLIER
        mixed ^= mixed >> np.uint64(29)
    return mixed * FOLD


@compiled
def own_slot(found: Found, slot: np.int64) -> np.int64:
    """From its home slot on, the slot of the key in `found.own`, or the empty one where it belongs."""
    last, keys, own = found.slots.size - 1, found.table.keys, found.own
    while found.slots[slot] >= 0:
        same, at = True, found.slots[slot]
        for word in range(own.size):
            same = same and keys[word, at] == own[word]
        if same:
            break
        slot = np.int64((slot + 1) & last)
    return slot


@inlined
def share_of(mixed: np.uint64, shares: int) -> np.int64:
    """Which share of all groups a hashed key belongs to."""
    return np.int64((mixed >> np.uint64(16)) % np.uint64(shares))


@compiled
def shift_of(slots: int) -> np.uint64:
    """How far a hash is shifted to become one of so many slots."""
    shift = np.uint64(64)
    while slots > 1:
        slots, shift = slots >> 1, shift - np.uint64(1)
    return shift


@compiled
def add_narrow(own: Words, own_rows: Ints, share: int, shares: int, shift: np.uint64, found: Found) -> bool:
    """The same for keys of one word that a mask alone generalizes."""
    count, last, mask = found.number[0], np.uint32(found.slots.size - 1), found.masks[0]
    slots, keys, rows = found.slots, found.table.keys[0], found.table.rows
    for i in range(own.size):
        key = own[i] & mask
        mixed = key * MULTIPLIER
        mixed = (mixed ^ (mixed >> np.uint64(29))) * FOLD
        if shares > 1 and share_of(mixed, shares) != share:
            continue
        slot = np.uint32(mixed >> shift)
        at = slots[slot]
        while at >= 0 and keys[at] != key:
            slot = np.uint32((slot + np.uint32(1)) & last)
            at = slots[slot]
        if at < 0:
            if count == rows.size:
                return False
            at = np.int32(count)
            slots[slot], keys[at], rows[at] = at, key, 0
            count += 1
        rows[at] += own_rows[i]
    found.number[0] = count
    return True


@compiled
def add_keys(
    coding: Coding, levels: Longs, tables: bool, given: Table, share: int, shares: int, found: Found
) -> bool:
    """Count the keys of a piece that belong to a share of all groups. False when they do not fit."""
    shift = shift_of(found.slots.size)
    if found.own.size == 1 and not tables:
        return add_narrow(given.keys[0], given.rows, share, shares, shift, found)
    count, rows = found.number[0], found.table.rows
    for i in range(given.rows.size):
        mixed = own_key(coding, levels, tables, given.keys, i, found)
        if shares > 1 and share_of(mixed, shares) != share:
            continue
        slot = own_slot(found, np.int64(mixed >> shift))
        if found.slots[slot] < 0:
            if count == rows.size:
                return False
            found.slots[slot] = np.int32(count)
            found.table.keys[:, count] = found.own
            rows[count] = 0
            count += 1
        rows[found.slots[slot]] += given.rows[i]
    found.number[0] = count
    return True
