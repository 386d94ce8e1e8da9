"""Kernels that count equal keys: all the grouping the search does happens here.

A *source* is a span `low … high` of keys with their rows. Grouping it at a node masks each key and hashes it
into a table; the first key of a group is its representative.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from worker.engine.arrays import Longs
from worker.engine.kernels.compiled import compiled
from worker.engine.search.coding import Coding

Ints = np.ndarray[Any, np.dtype[np.int32]]
Words = np.ndarray[Any, np.dtype[np.uint64]]
Slots = np.ndarray[Any, np.dtype[np.uint32]]

MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)
FOLD = np.uint64(0xD6E8FEB86659FD93)
ONE = np.uint64(1)
ONE_MORE = np.uint32(1)
ROOMY = 18
"""Tables of up to so many bits are filled half as far as larger ones."""
MOST_BITS = 16
"""Rows are added up in at most so many bits of slots, where keys are not compared: they stay in the cache."""


class Groups(NamedTuple):
    """Room for the groups of one node; `number[0]` of them are in use.

    `of[i]` is the group of the source's i-th key, `keys[:, g]` the generalized key of group g.
    """

    number: Longs
    of: Ints
    keys: Words
    rows: Longs
    slots: Slots
    table: Ints
    masks: Words


def room_for_groups(words: int, size: int) -> Groups:
    """Empty room for the groups of at most `size` keys."""
    return Groups(
        number=np.zeros(1, np.int64),
        of=np.empty(size, np.int32),
        keys=np.empty((words, size), np.uint64),
        rows=np.empty(size, np.int64),
        slots=np.empty(size, np.uint32),
        table=np.empty(1 << max(table_bits(size), ROOMY), np.int32),
        masks=np.zeros(words, np.uint64),
    )


def table_bits(size: int) -> int:
    """The size of a hash table that `size` keys fill to at most three quarters."""
    return max(int(size + size // 3).bit_length(), 6)


@compiled
def set_masks(coding: Coding, levels: Longs, fine: bool, masks: Words) -> bool:
    """The mask of a node for each word; whether some column needs its table instead.

    With `fine` the columns that are never generalized keep groups apart.
    """
    for word in range(masks.size):
        masks[word] = coding.fine[word] if fine else np.uint64(0)
    tables = False
    for column in range(levels.size):
        level = levels[column]
        if coding.climb_at[column, level] >= 0:
            tables = True
        kept = coding.width[column] - coding.keep_from[column, level]
        if kept > 0:
            field = ((ONE << np.uint64(kept)) - ONE) << np.uint64(coding.keep_from[column, level])
            masks[coding.word[column]] |= field << np.uint64(coding.shift[column])
    return tables


@compiled
def climbed(coding: Coding, levels: Longs, keys: Words) -> Words:
    """Keys whose columns that no mask generalizes are generalized, one column after the other."""
    keys = keys.copy()
    for column in range(levels.size):
        at, shift = coding.climb_at[column, levels[column]], np.uint64(coding.shift[column])
        if at < 0 or levels[column] == 0:
            continue
        field = ((ONE << np.uint64(coding.width[column])) - ONE) << shift
        own = keys[coding.word[column]]
        for i in range(own.size):
            own[i] = (own[i] & ~field) | (coding.climbs[at + np.int64((own[i] & field) >> shift)] << shift)
    return keys


@compiled
def hash_keys(keys: Words, low: int, high: int, masks: Words, bits: int, slots: Slots) -> None:
    """The home slot of each masked key, vectorized."""
    shift = np.uint64(64 - bits)
    if masks.size == 1:
        mask, own = masks[0], keys[0, low:high]
        for i in range(own.size):
            slots[i] = np.uint32(((own[i] & mask) * MULTIPLIER) >> shift)
        return
    for i in range(high - low):
        mixed = np.uint64(0)
        for word in range(masks.size):
            mixed = (mixed ^ (keys[word, low + i] & masks[word])) * MULTIPLIER
            mixed ^= mixed >> np.uint64(29)
        slots[i] = np.uint32((mixed * FOLD) >> shift)


@compiled
def clear_table(table: Ints, size: int) -> int:
    """Empty as much of the table as `size` keys need to meet rarely; how many bits that is."""
    bits = 6
    while (1 << bits) * 3 < size * 4 or (bits < ROOMY and (1 << bits) * 3 < size * 8):
        bits += 1
    table[: 1 << bits] = -1
    return bits


@compiled
def group_narrow(keys: Words, low: int, high: int, rows: Ints, bits: int, groups: Groups) -> int:
    """Group keys of one word by linear probing from their home slots.

    A key is written behind the groups before it is compared: an empty slot then holds it like any other, and
    whether a group is new, which nobody can foresee, is nothing the processor has to guess. Positions are
    unsigned so that they are not taken for distances from the end.
    """
    count, last, mask = np.uint32(0), np.uint32((1 << bits) - 1), groups.masks[0]
    own, own_rows, slots, of = keys[0, low:high], rows[low:high], groups.slots, groups.of
    table, found_keys, found_rows = groups.table.view(np.uint32), groups.keys[0], groups.rows
    found_rows[: own.size] = 0
    for i in range(own.size):
        key, slot = own[i] & mask, slots[i]
        found_keys[count] = key
        found = min(table[slot], count)
        while found_keys[found] != key:
            slot = np.uint32((slot + ONE_MORE) & last)
            found = min(table[slot], count)
        table[slot] = found
        found_rows[found] += own_rows[i]
        of[i] = np.int32(found)
        count = np.uint32(count + np.uint32(found == count))
    return int(count)


@compiled
def same_key(keys: Words, i: int, masks: Words, groups: Groups, found: int) -> bool:
    """Whether a source key, masked, is the key of a group."""
    same = True
    for word in range(masks.size):
        same = same and keys[word, i] & masks[word] == groups.keys[word, found]
    return same


@compiled
def group_wide(keys: Words, low: int, high: int, rows: Ints, bits: int, groups: Groups) -> int:
    """Group keys of several words by linear probing from their home slots."""
    count, last = 0, np.uint32((1 << bits) - 1)
    for i in range(high - low):
        slot = groups.slots[i]
        found = groups.table[slot]
        while found >= 0 and not same_key(keys, low + i, groups.masks, groups, found):
            slot = (slot + np.uint32(1)) & last
            found = groups.table[slot]
        if found < 0:
            found = np.int32(count)
            groups.table[slot] = found
            for word in range(groups.masks.size):
                groups.keys[word, found] = keys[word, low + i] & groups.masks[word]
            groups.rows[found] = 0
            count += 1
        groups.rows[found] += rows[low + i]
        groups.of[i] = found
    return count


@compiled
def regroup(
    coding: Coding,
    levels: Longs,
    fine: bool,
    keys: Words,
    rows: Ints,
    low: int,
    high: int,
    groups: Groups,
) -> int:
    """Group a source at a node. Returns how many groups there are."""
    if set_masks(coding, levels, fine, groups.masks):
        keys, rows = climbed(coding, levels, keys[:, low:high]), rows[low:high]
        low, high = 0, rows.size
    bits = clear_table(groups.table, high - low)
    hash_keys(keys, low, high, groups.masks, bits, groups.slots)
    if groups.masks.size == 1:
        groups.number[0] = group_narrow(keys, low, high, rows, bits, groups)
    else:
        groups.number[0] = group_wide(keys, low, high, rows, bits, groups)
    return groups.number[0]


@compiled
def small_rows(
    coding: Coding,
    levels: Longs,
    keys: Words,
    rows: Ints,
    low: int,
    high: int,
    smallest: int,
    groups: Groups,
) -> int:
    """At least how many rows are in groups below `smallest`; groups that share a slot count as one.

    Keys are not compared, which takes half the time of grouping.
    """
    if set_masks(coding, levels, False, groups.masks):
        keys, rows = climbed(coding, levels, keys[:, low:high]), rows[low:high]
        low, high = 0, rows.size
    bits = 10
    while bits < MOST_BITS and (1 << bits) < high - low:
        bits += 1
    hash_keys(keys, low, high, groups.masks, bits, groups.slots)
    return count_small(rows, low, high, smallest, bits, groups)


@compiled
def count_small(rows: Ints, low: int, high: int, smallest: int, bits: int, groups: Groups) -> int:
    """The rows in slots that hold fewer than `smallest`."""
    table, slots, own = groups.table[: 1 << bits], groups.slots, rows[low:high]
    table[:] = 0
    for i in range(own.size):
        table[slots[i]] += np.int32(own[i])
    total, least = 0, np.int32(smallest)
    for slot in range(table.size):
        total += table[slot] if table[slot] < least else 0
    return total
