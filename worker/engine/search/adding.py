"""Kernels that count the keys of a long table, which are read piece by piece.

The groups lie all over memory, and most of the time is spent waiting for them. So keys are taken in batches,
and what a batch will touch is asked for before anything is compared: many waits become one.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from worker.engine.arrays import Longs
from worker.engine.kernels.compiled import compiled, lean
from worker.engine.search.coding import Coding
from worker.engine.search.grouping import FOLD, MULTIPLIER, climbed
from worker.engine.search.snapshots import Table

Ints = np.ndarray[Any, np.dtype[np.int32]]
Words = np.ndarray[Any, np.dtype[np.uint64]]

BATCH = 512
ONE = np.uint64(1)
LOW_HALF = np.uint64(0xFFFFFFFF)


class Batch(NamedTuple):
    """Some keys, generalized, with their rows and home slots."""

    keys: Words
    rows: Ints
    homes: Words


class Found(NamedTuple):
    """The groups met so far; `number[0]` of them. `number[1]` holds nothing that anybody reads."""

    number: Longs
    table: Table
    slots: Ints
    masks: Words
    batch: Batch


def room_for_found(words: int, most: int, bits: int) -> Found:
    """No groups yet, and room for so many."""
    return Found(
        np.zeros(2, np.int64),
        Table(np.empty((words, most), np.uint64), np.empty(most, np.int32)),
        np.empty(1 << bits, np.int32),
        np.zeros(words, np.uint64),
        Batch(np.empty((words, BATCH), np.uint64), np.empty(BATCH, np.int32), np.empty(BATCH, np.uint64)),
    )


@lean
def shift_of(slots: int) -> np.uint64:
    """How far a hash is shifted to become one of so many slots."""
    shift = np.uint64(64)
    while slots > 1:
        slots, shift = slots >> 1, shift - ONE
    return shift


@lean
def take_batch(keys: Words, rows: Ints, start: int, found: Found) -> int:
    """Mask and hash the next keys. Returns how many."""
    own, own_rows, homes = found.batch
    size = min(BATCH, rows.size - start)
    homes[:size] = np.uint64(0)
    for word in range(found.masks.size):
        mask = found.masks[word]
        for i in range(size):
            own[word, i] = keys[word, start + i] & mask
            mixed = (homes[i] ^ own[word, i]) * MULTIPLIER
            homes[i] = mixed ^ (mixed >> np.uint64(29))
    for i in range(size):
        homes[i] *= FOLD
        own_rows[i] = rows[start + i]
    return size


@lean
def keep_share(share: int, shares: int, size: int, batch: Batch) -> int:
    """Keep the keys that belong to a share of all groups. Returns how many."""
    kept = 0
    for i in range(size):
        batch.homes[kept], batch.rows[kept] = batch.homes[i], batch.rows[i]
        for word in range(batch.keys.shape[0]):
            batch.keys[word, kept] = batch.keys[word, i]
        kept += ((batch.homes[i] & LOW_HALF) * np.uint64(shares)) >> np.uint64(32) == np.uint64(share)
    return kept


@lean
def ask_ahead(size: int, shift: np.uint64, found: Found) -> None:
    """Touch what the batch will need, one independent read after the other."""
    touched, homes, rows = np.int64(0), found.batch.homes, found.table.rows
    for i in range(size):
        homes[i] >>= shift
        touched ^= np.int64(found.slots[homes[i]])
    for i in range(size):
        touched ^= np.int64(rows[max(found.slots[homes[i]], 0)])
    for word in range(found.masks.size):
        keys = found.table.keys[word]
        for i in range(size):
            touched ^= np.int64(keys[max(found.slots[homes[i]], 0)])
    found.number[1] = touched


@lean
def slot_of(i: int, found: Found) -> np.int64:
    """From its home slot on, the slot of a key of the batch, or the empty one where it belongs."""
    slot, last = np.int64(found.batch.homes[i]), found.slots.size - 1
    while found.slots[slot] >= 0:
        same, at = True, found.slots[slot]
        for word in range(found.masks.size):
            same = same and found.table.keys[word, at] == found.batch.keys[word, i]
        if same:
            break
        slot = np.int64((slot + 1) & last)
    return slot


@lean
def add_batch(size: int, found: Found) -> bool:
    """Count the keys of the batch. False when their groups do not fit."""
    count, rows = found.number[0], found.table.rows
    for i in range(size):
        slot = slot_of(i, found)
        if found.slots[slot] < 0:
            if count == rows.size:
                return False
            found.slots[slot] = np.int32(count)
            for word in range(found.masks.size):
                found.table.keys[word, count] = found.batch.keys[word, i]
            rows[count] = 0
            count += 1
        rows[found.slots[slot]] += found.batch.rows[i]
    found.number[0] = count
    return True


@compiled
def add_keys(
    coding: Coding, levels: Longs, tables: bool, given: Table, share: int, shares: int, found: Found
) -> bool:
    """Count the keys of a piece that belong to a share of all groups. False when they do not fit."""
    keys, shift = given.keys, shift_of(found.slots.size)
    if tables:
        keys = climbed(coding, levels, keys)
    for start in range(0, given.rows.size, BATCH):
        size = take_batch(keys, given.rows, start, found)
        if shares > 1:
            size = keep_share(share, shares, size, found.batch)
        ask_ahead(size, shift, found)
        if not add_batch(size, found):
            return False
    return True
