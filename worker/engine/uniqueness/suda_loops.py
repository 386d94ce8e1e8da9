"""Loops that leave one key out of a table of combinations, and that weigh what was found unique."""

from __future__ import annotations

from typing import Any

import numpy as np

from worker.engine.kernels.compiled import compiled, inlined

Ids = np.ndarray[Any, np.dtype[np.int32]]
Words = np.ndarray[Any, np.dtype[np.uint32]]
Bits = np.ndarray[Any, np.dtype[np.uint64]]
Floats = np.ndarray[Any, np.dtype[np.float64]]

SHARED = -1
"""The owner of a combination that several rows, or persons, have."""
MIXER = np.uint64(0x9E3779B97F4A7C15)
ONE = np.uint64(1)
DE_BRUIJN = np.uint64(0x03F79D71B4CB0A89)
"""Its six bits from any place on are different: they tell which bit of a word is set."""
PLACES = np.array(
    sorted(range(64), key=lambda bit: 0x03F79D71B4CB0A89 << bit >> 58 & 63),
    np.int64,
)


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
def merged(
    words: Words,
    owners: Ids,
    masks: Words,
    table: Ids,
    shift: int,
    fewer: Words,
    theirs: Ids,
    places: Ids,
) -> int:
    """The combinations without the bits that are in no mask, each once, who has them, and which of them each
    became; how many there are. In `table` they are looked for.
    """
    number, last = 0, table.size - 1
    for i in range(words.shape[0]):
        for w in range(words.shape[1]):
            fewer[number, w] = words[i, w] & masks[w]
        place = _first_place(fewer, number, shift)
        while table[place] >= 0 and not _alike(fewer, number, fewer, table[place]):
            place = (place + 1) & last
        there = table[place]
        if there < 0:
            there = table[place] = number
            theirs[number] = owners[i]
            number += 1
        elif theirs[there] != owners[i]:
            theirs[there] = SHARED
        places[i] = there
    return number


@compiled
def mark(
    rows: Ids, own: Ids, places: Ids, owners: Ids, word: int, bit: int, bits: Bits, alone: Ids, theirs: Ids
) -> int:
    """Mark a set of keys for the rows that are alone by it, and keep these with their combinations; how many
    there are. `own` are the combinations that they had, which became those in `places`.
    """
    number = 0
    for i in range(rows.size):
        there = places[own[i]]
        if owners[there] != SHARED:
            bits[rows[i], word] |= ONE << np.uint64(bit)
            alone[number], theirs[number] = rows[i], there
            number += 1
    return number


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
