"""Loops that leave one key out of a table of combinations, and that weigh what was found unique."""

from __future__ import annotations

from typing import Any

import numpy as np

from worker.engine.kernels.compiled import compiled, inlined

Ids = np.ndarray[Any, np.dtype[np.int32]]
Words = np.ndarray[Any, np.dtype[np.int64]]
Bits = np.ndarray[Any, np.dtype[np.uint64]]
Floats = np.ndarray[Any, np.dtype[np.float64]]

SHARED = -1
"""The owner of a combination that several rows, or persons, have."""
NOBODY = -2
"""The owner of a place that holds no combination."""
MIXER = np.uint64(0x9E3779B97F4A7C15)
ONE = np.uint64(1)
DE_BRUIJN = np.uint64(0x03F79D71B4CB0A89)
"""Its six bits from any place on are different: they tell which bit of a word is set."""
PLACES = np.array(
    sorted(range(64), key=lambda bit: 0x03F79D71B4CB0A89 << bit >> 58 & 63),
    np.int64,
)


@compiled
def without(words: Words, at: int, shift: int, width: int) -> Words:
    """The same combinations without the key in these bits of one word; those above move down."""
    fewer = words.copy()
    low = (1 << shift) - 1
    for i in range(words.shape[0]):
        fewer[i, at] = ((words[i, at] >> (shift + width)) << shift) | (words[i, at] & low)
    return fewer


@compiled
def laid_out(words: Words, owners: Ids, table: Ids) -> int:
    """Who has each combination, at the place that its one word says; returns how many there are."""
    number = 0
    for i in range(words.shape[0]):
        place = words[i, 0]
        if table[place] == NOBODY:
            table[place] = owners[i]
            number += 1
        elif table[place] != owners[i]:
            table[place] = SHARED
    return number


@compiled
def read_off(table: Ids, words: Words, owners: Ids) -> None:
    """The combinations of a table in which each has its place, and who has them."""
    number = 0
    for place in range(table.size):
        if table[place] != NOBODY:
            words[number, 0], owners[number] = place, table[place]
            number += 1


@inlined
def _first_place(words: Words, row: int, shift: int) -> Any:
    """Where to look for a combination first."""
    mixed = np.uint64(0)
    for w in range(words.shape[1]):
        mixed = (mixed ^ np.uint64(words[row, w])) * MIXER
    return np.int64(mixed >> np.uint64(shift))


@inlined
def _alike(words: Words, row: int, others: Words, other: int) -> bool:
    same = True
    for w in range(words.shape[1]):
        same = same and words[row, w] == others[other, w]
    return same


@compiled
def merged(words: Words, owners: Ids, table: Ids, shift: int) -> int:
    """Equal combinations become one, at the beginning of both arrays; `table` says where each stands."""
    number, last = 0, table.size - 1
    for i in range(words.shape[0]):
        place = _first_place(words, i, shift)
        while table[place] >= 0 and not _alike(words, i, words, table[place]):
            place = (place + 1) & last
        there = table[place]
        if there < 0:
            table[place] = number
            for w in range(words.shape[1]):
                words[number, w] = words[i, w]
            owners[number] = owners[i]
            number += 1
        elif owners[there] != owners[i]:
            owners[there] = SHARED
    return number


@compiled
def looked_up(own: Words, words: Words, owners: Ids, table: Ids, shift: int, found: Ids) -> None:
    """Who has the combination of each row."""
    last = table.size - 1
    for i in range(own.shape[0]):
        place = _first_place(own, i, shift)
        while not _alike(own, i, words, table[place]):
            place = (place + 1) & last
        found[i] = owners[table[place]]


@compiled
def mark(found: Ids, rows: Ids, word: int, bit: int, bits: Bits) -> None:
    """Mark a set of keys for the rows that are alone by it."""
    for i in range(rows.size):
        if found[i] != SHARED:
            bits[rows[i], word] |= ONE << np.uint64(bit)


@compiled
def weighed(bits: Bits, weights: Floats, sizes: Ids, rows: Floats, scores: Floats, least: Ids) -> Floats:
    """The scores of rows from the sets of keys marked for them, and the fewest keys of any of their sets.

    Each set has a weight and a size. Returns how often each is marked, every row as often as there are `rows`
    like it.
    """
    often = np.zeros(weights.size)
    for i in range(bits.shape[0]):
        for word in range(bits.shape[1]):
            rest = bits[i, word]
            while rest:
                lowest = rest & (~rest + ONE)
                keys = word * 64 + PLACES[np.int64((lowest * DE_BRUIJN) >> np.uint64(58))]
                scores[i] += weights[keys]
                often[keys] += rows[i]
                if least[i] == 0 or sizes[keys] < least[i]:
                    least[i] = sizes[keys]
                rest ^= lowest
    return often
