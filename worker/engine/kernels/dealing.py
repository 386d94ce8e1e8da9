"""Keys to distinct keys in ascending order and how often each occurs: dealt out digit by digit, like cards.

For some thousands of keys this takes a fifth of the time of sorting them by comparing.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from worker.engine.arrays import Longs
from worker.engine.kernels.compiled import inlined, lean

Words = np.ndarray[Any, np.dtype[np.uint64]]

DIGIT_BITS = 11
DIGITS = (1 << DIGIT_BITS) + 1
"""Room for where the words with each digit end."""


@lean
def counted(keys: Words, spare: Words, bits: int, ends: Longs, counts: Longs) -> int:
    """Each key of so many bits once, in its own place, and how often it occurred; how many there are."""
    words, others = keys, spare
    for shift in range(0, bits, DIGIT_BITS):
        begin(words, shift, ends)
        for i in range(words.size):
            digit = digit_of(words[i], shift)
            others[ends[digit]] = words[i]
            ends[digit] += 1
        words, others = others, words
    size, before = 0, words[0]
    for i in range(words.size):
        word = words[i]
        if i == 0 or word != before:
            keys[size], counts[size], before = word, 0, word
            size += 1
        counts[size - 1] += 1
    return size


@lean
def added_up(keys: Words, spare: Words, bits: int, ends: Longs, counts: Longs, spare_counts: Longs) -> int:
    """Each key once and the sum of its counts, in their own places; how many there are."""
    words, others = keys, spare
    own, next_own = counts, spare_counts
    for shift in range(0, bits, DIGIT_BITS):
        begin(words, shift, ends)
        for i in range(words.size):
            digit = digit_of(words[i], shift)
            others[ends[digit]], next_own[ends[digit]] = words[i], own[i]
            ends[digit] += 1
        words, others, own, next_own = others, words, next_own, own
    size, before, total = 0, words[0], 0
    for i in range(words.size):
        word, count = words[i], own[i]
        if i and word == before:
            total += count
        else:
            keys[size], before, total = word, word, count
            size += 1
        counts[size - 1] = total
    return size


@inlined
def digit_of(word: Any, shift: int) -> Any:
    """Some bits of a word."""
    return np.int64((word >> np.uint64(shift)) & np.uint64((1 << DIGIT_BITS) - 1))


@inlined
def begin(words: Words, shift: int, ends: Longs) -> None:
    """Where the first word with each digit goes."""
    for digit in range(ends.size):
        ends[digit] = 0
    for i in range(words.size):
        ends[digit_of(words[i], shift) + 1] += 1
    for digit in range(1 << DIGIT_BITS):
        ends[digit + 1] += ends[digit]
