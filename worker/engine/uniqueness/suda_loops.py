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
MIXER = np.uint64(0x9E3779B97F4A7C15)
ONE = np.uint64(1)


@inlined
def _place(words: Words, row: int, exact: bool, shift: int) -> Any:
    """Where to look first: exactly where the key says, if it is short enough."""
    if exact:
        return words[row, 0]
    mixed = np.uint64(0)
    for w in range(words.shape[1]):
        mixed = (mixed ^ np.uint64(words[row, w])) * MIXER
    return np.int64(mixed >> np.uint64(shift))


@compiled
def without(words: Words, at: int, shift: int, width: int) -> Words:
    """The same combinations without the key in these bits of one word; those above move down."""
    fewer = words.copy()
    low = (1 << shift) - 1
    for i in range(words.shape[0]):
        fewer[i, at] = ((words[i, at] >> (shift + width)) << shift) | (words[i, at] & low)
    return fewer


@compiled
def merged(words: Words, owners: Ids, table: Ids, exact: bool, shift: int, places: Ids) -> int:
    """Equal combinations become one, in the order in which they come; `places` says which each becomes.

    Both arrays are written over from their beginnings, and `table` is a list of free places.
    """
    number, last = 0, table.size - 1
    for i in range(words.shape[0]):
        slot = _place(words, i, exact, shift)
        while True:
            there = table[slot]
            if there < 0:
                break
            same = True
            for w in range(words.shape[1]):
                same = same and words[there, w] == words[i, w]
            if same:
                break
            slot = (slot + 1) & last
        if there < 0:
            table[slot], there = number, number
            for w in range(words.shape[1]):
                words[number, w] = words[i, w]
            owners[number] = owners[i]
            number += 1
        elif owners[there] != owners[i]:
            owners[there] = SHARED
        places[i] = there
    return number


@compiled
def mark_unique(
    owners: Ids, places: Ids, rows: Ids, at: Ids, word: int, bit: int, bits: Bits, left: Ids, left_at: Ids
) -> int:
    """Of the rows that were unique with one key more, those that still are: marked, and told in `left`."""
    number = 0
    for i in range(rows.size):
        place = places[at[i]]
        if owners[place] != SHARED:
            bits[rows[i], word] |= ONE << np.uint64(bit)
            left[number], left_at[number] = rows[i], place
            number += 1
    return number


@inlined
def _ones(x: int) -> int:
    """How many bits are set."""
    number = 0
    while x:
        x &= x - 1
        number += 1
    return number


@compiled
def weighed(
    bits: Bits, weights: Floats, rows: Floats, scores: Floats, least: Ids, parts: Floats, sizes: Floats
) -> None:
    """The scores of rows from the sets of keys marked for them, and the least keys of any of their sets.

    `parts` adds up what sets with each key give, `sizes` how many sets of each size there are; both count
    each of the `rows` that are alike.
    """
    for i in range(bits.shape[0]):
        for word in range(bits.shape[1]):
            rest = bits[i, word]
            bit = 0
            while rest:
                if rest & ONE:
                    keys = word * 64 + bit
                    size = _ones(keys)
                    weight = weights[size]
                    scores[i] += weight
                    sizes[size] += rows[i]
                    if least[i] == 0 or size < least[i]:
                        least[i] = size
                    column = 0
                    while keys:
                        if keys & 1:
                            parts[column] += weight * rows[i]
                        keys >>= 1
                        column += 1
                rest >>= ONE
                bit += 1
