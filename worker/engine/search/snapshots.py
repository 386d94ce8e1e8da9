"""Groups kept from earlier nodes, so that a node is counted from the smallest finer grouping known.

Slot 0 is the table itself; the others lie end to end in one pool. When a slot has been used a few times, a
new one is made at the levels that all those uses had in common.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from worker.engine.arrays import Longs
from worker.engine.kernels.compiled import compiled
from worker.engine.search.coding import Coding
from worker.engine.search.grouping import Groups, regroup

Ints = np.ndarray[Any, np.dtype[np.int32]]
Words = np.ndarray[Any, np.dtype[np.uint64]]

SLOTS = 256
PATIENCE = 4
"""A slot is used this often before a coarser one is made from it."""
WORTHWHILE = 0.7
"""A new slot is kept if it is at most this part of its source."""
PATIENT, SMALLEST = 2, 3
"""Places in `Pool.state`."""
SMALL = 1000
"""Slots of fewer keys need no coarser ones."""


class Table(NamedTuple):
    """Distinct keys, word by word, with the rows of each."""

    keys: Words
    rows: Ints


class Pool(NamedTuple):
    """The snapshots. `state`: slots and keys in use; uses before coarsening; the least size worth it."""

    table: Table
    state: Longs
    low: Longs
    high: Longs
    levels: Longs
    meet: Longs
    uses: Longs


def new_pool(words: int, size: int, room: int, columns: int, patience: int = PATIENCE) -> Pool:
    """Room for snapshots of a table of some size."""
    low, high = np.zeros(SLOTS, np.int64), np.zeros(SLOTS, np.int64)
    high[0] = size
    return Pool(
        Table(np.empty((words, room), np.uint64), np.empty(room, np.int32)),
        np.array([1, 0, patience, SMALL], np.int64),
        low,
        high,
        np.zeros((SLOTS, columns), np.int64),
        np.full((SLOTS, columns), 1 << 30, np.int64),
        np.zeros(SLOTS, np.int64),
    )


@compiled
def best_slot(pool: Pool, levels: Longs) -> int:
    """The smallest snapshot that is nowhere above the levels."""
    best = 0
    for slot in range(1, pool.state[0]):
        if pool.high[slot] - pool.low[slot] >= pool.high[best] - pool.low[best]:
            continue
        fits = True
        for column in range(levels.size):
            if pool.levels[slot, column] > levels[column]:
                fits = False
                break
        if fits:
            best = slot
    return best


@compiled
def group_slot(
    coding: Coding, base: Table, pool: Pool, slot: int, levels: Longs, fine: bool, groups: Groups
) -> int:
    """Group a snapshot at some levels."""
    table = base if slot == 0 else pool.table
    return regroup(coding, levels, fine, table.keys, table.rows, pool.low[slot], pool.high[slot], groups)


@compiled
def keep_groups(pool: Pool, levels: Longs, groups: Groups) -> bool:
    """Keep the present grouping as a new snapshot, if there is room."""
    fresh, at, count = pool.state[0], pool.state[1], groups.number[0]
    if fresh == SLOTS or at + count > pool.table.rows.size:
        return False
    for word in range(groups.masks.size):
        pool.table.keys[word, at : at + count] = groups.keys[word, :count]
    pool.table.rows[at : at + count] = groups.rows[:count]
    pool.low[fresh], pool.high[fresh] = at, at + count
    pool.levels[fresh, :] = levels
    pool.meet[fresh, :] = 1 << 30
    pool.uses[fresh] = 0
    pool.state[0] += 1
    pool.state[1] += count
    return True


@compiled
def note_use(pool: Pool, slot: int, levels: Longs) -> bool:
    """Count a use of a slot; whether it is time for a coarser one."""
    if pool.high[slot] - pool.low[slot] < pool.state[SMALLEST]:
        return False
    pool.uses[slot] += 1
    for column in range(levels.size):
        pool.meet[slot, column] = min(pool.meet[slot, column], levels[column])
    return pool.uses[slot] >= pool.state[PATIENT] and pool.state[0] < SLOTS


@compiled
def coarsen(coding: Coding, base: Table, pool: Pool, slot: int, groups: Groups) -> int:
    """Make a snapshot at what a slot's uses had in common. Returns the keys that were read."""
    levels = pool.meet[slot].copy()
    pool.meet[slot, :] = 1 << 30
    pool.uses[slot] = 0
    if (levels == pool.levels[slot]).all():
        return 0
    size = pool.high[slot] - pool.low[slot]
    if group_slot(coding, base, pool, slot, levels, True, groups) <= WORTHWHILE * size:
        keep_groups(pool, levels, groups)
    else:
        pool.uses[slot] = -2 * pool.state[PATIENT]
    return size
