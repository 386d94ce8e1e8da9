"""Rows in order: by one key first, by further keys only where that leaves rows alike."""

from __future__ import annotations

from typing import Any

import numpy as np

from worker.engine.kernels.compiled import compiled

Words = np.ndarray[Any, np.dtype[np.int64]]
Rows = np.ndarray[Any, np.dtype[np.int64]]
Mask = np.ndarray[Any, np.dtype[np.bool_]]

DIGIT_BITS = 11
SHORT = 24
"""Runs up to this length are put in order by insertion."""


@compiled
def sort_rows(keys: Words, rows: Rows, fresh: Mask) -> None:
    """All rows by one key, alike rows as they stood; `fresh` marks those that differ from the one before."""
    size = keys.size
    low, high = keys[0], keys[0]
    for i in range(size):
        low, high = min(low, keys[i]), max(high, keys[i])
    span = np.uint64(high) - np.uint64(low)
    words, spare = np.empty(size, np.uint64), np.empty(size, np.uint64)
    others = np.empty(size, np.int64)
    for i in range(size):
        words[i], rows[i] = np.uint64(keys[i]) - np.uint64(low), i
    shift = np.uint64(0)
    while shift < np.uint64(64) and span >> shift > np.uint64(0):
        by_digit(words, rows, spare, others, shift)
        words, spare = spare, words
        rows[:] = others
        shift += np.uint64(DIGIT_BITS)
    fresh[0] = True
    for i in range(1, size):
        fresh[i] = words[i] != words[i - 1]


@compiled
def by_digit(words: Any, rows: Rows, to_words: Any, to_rows: Rows, shift: Any) -> None:
    """Deal rows out by some bits of their words, those with equal bits as they stood."""
    mask = np.uint64((1 << DIGIT_BITS) - 1)
    ends = np.zeros((1 << DIGIT_BITS) + 1, np.int64)
    for i in range(words.size):
        ends[np.int64((words[i] >> shift) & mask) + 1] += 1
    for digit in range(1 << DIGIT_BITS):
        ends[digit + 1] += ends[digit]
    for i in range(words.size):
        own = np.int64((words[i] >> shift) & mask)
        to_words[ends[own]], to_rows[ends[own]] = words[i], rows[i]
        ends[own] += 1


@compiled
def settle(keys: Words, rows: Rows, fresh: Mask) -> None:
    """Each run of rows that were alike so far by one more key; `fresh` marks more of them afterwards."""
    first = 0
    while first < rows.size:
        end = first + 1
        while end < rows.size and not fresh[end]:
            end += 1
        if end - first <= SHORT:
            insert(keys, rows, first, end)
        else:
            order = np.argsort(keys[first:end], kind="mergesort")
            keys[first:end], rows[first:end] = keys[first:end][order], rows[first:end][order]
        for i in range(first + 1, end):
            fresh[i] = keys[i] != keys[i - 1]
        first = end


@compiled
def insert(keys: Words, rows: Rows, first: int, end: int) -> None:
    """A short run in order, alike rows as they stood."""
    for i in range(first + 1, end):
        key, row, at = keys[i], rows[i], i
        while at > first and keys[at - 1] > key:
            keys[at], rows[at] = keys[at - 1], rows[at - 1]
            at -= 1
        keys[at], rows[at] = key, row
