"""The draws of a coupling for the rows of a chunk: each cell's words come from its own key and row number."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from worker.engine.kernels.compiled import compiled
from worker.engine.randomization.coupling import MOMENTS, Coupling, drawn_one
from worker.engine.tables.column import Codes
from worker.engine.tables.drawing import Words
from worker.engine.tables.frequency import Counts
from worker.engine.tables.table import Chunk

ON_A_THRESHOLD, FORGOTTEN = -1, -2


def drawn(
    coupling: Coupling, keys: Words, codes: Codes, rows_of: Codes, chunk: Chunk
) -> tuple[Codes, Counts]:
    """A draw for each row of the chunk from row `rows_of[code]` of the coupling, and how often each category
    was drawn for each stack, stack after stack."""
    fresh: Codes = np.empty(len(codes), np.int32)
    ids, first, after = chunk.row_ids, coupling.at_first, coupling.forgotten
    lists = (first.first, first.below, first.split, first.cells)
    others = (after.first, after.below, after.split, after.cells, coupling.list_of, coupling.kept)
    _draw(codes, rows_of, ids, keys, lists, others, fresh)
    for at in np.flatnonzero(fresh == ON_A_THRESHOLD).tolist():
        row = int(rows_of[codes[at]])
        fresh[at] = drawn_one(coupling.row(row), partial(cell_word, keys[row], int(ids[at])))
    width = len(coupling.names)
    stacks = rows_of[codes] // width
    return fresh, np.bincount(stacks * width + fresh, minlength=len(coupling.kept)).astype(np.int64)


def cell_word(key: Words, row_id: int, number: int) -> int:
    """The n-th word of a cell."""
    return int(_word(key[0], key[1], np.uint64(row_id << 16 | number)))


@compiled
def _word(low: Any, high: Any, message: Any) -> Any:
    """SipHash-2-4 of eight bytes (Aumasson & Bernstein 2012)."""
    a = low ^ np.uint64(0x736F6D6570736575)
    b = high ^ np.uint64(0x646F72616E646F6D)
    c = low ^ np.uint64(0x6C7967656E657261)
    d = high ^ np.uint64(0x7465646279746573)
    for turn in range(8):
        if turn == 0:
            d ^= message
        elif turn == 2:
            a ^= message
            d ^= np.uint64(8 << 56)
        elif turn == 4:
            a ^= np.uint64(8 << 56)
            c ^= np.uint64(0xFF)
        a += b
        b = (b << np.uint64(13) | b >> np.uint64(51)) ^ a
        a = a << np.uint64(32) | a >> np.uint64(32)
        c += d
        d = (d << np.uint64(16) | d >> np.uint64(48)) ^ c
        a += d
        d = (d << np.uint64(21) | d >> np.uint64(43)) ^ a
        c += b
        b = (b << np.uint64(17) | b >> np.uint64(47)) ^ c
        c = c << np.uint64(32) | c >> np.uint64(32)
    return a ^ b ^ c ^ d


@compiled
def _place(word: Any, number: int, first: Codes, below: Words, split: Any, cells: Codes) -> int:
    """The cell that a word stands for in a list."""
    end = first[number + 1]
    at = first[number] + np.searchsorted(below[first[number] : end], word)
    if at < end and below[at] == word:
        if split[at]:
            return ON_A_THRESHOLD
        at += 1
    return cells[at] if at < end else FORGOTTEN


@compiled
def _draw(codes: Codes, rows_of: Codes, ids: Any, keys: Words, lists: Any, others: Any, fresh: Codes) -> None:
    first, below, split, cells = lists
    after, after_below, after_split, after_cells, list_of, kept = others
    for i in range(len(codes)):
        row = rows_of[codes[i]]
        low, high, message = keys[row, 0], keys[row, 1], np.uint64(ids[i]) << np.uint64(16)
        word = _word(low, high, message)
        found = _place(word, row, first, below, split, cells)
        if found == FORGOTTEN:
            moment, left = 1, (np.float64(word) + 0.5) / 2.0**64
            if kept[row] <= 0.0:
                moment = MOMENTS
            while moment < MOMENTS:
                left *= (np.float64(_word(low, high, message + np.uint64(2 * moment))) + 0.5) / 2.0**64
                if left < kept[row]:
                    break
                moment += 1
            word = _word(low, high, message + np.uint64(2 * moment - 1))
            found = _place(word, list_of[row], after, after_below, after_split, after_cells)
        fresh[i] = found
