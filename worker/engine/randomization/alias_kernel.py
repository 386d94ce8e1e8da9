"""Exact draws for the rows of a chunk."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

from worker.engine.kernels.compiled import compiled
from worker.engine.randomization.alias import Alias, drawn_one
from worker.engine.randomness import Source
from worker.engine.tables.column import Codes
from worker.engine.tables.drawing import of_rows, words
from worker.engine.tables.frequency import Counts
from worker.engine.tables.table import Chunk


def drawn(
    alias: Alias, width: int, codes: Codes, rows_of: Codes, chunk: Chunk, source: Source, name: str
) -> tuple[Codes, Counts]:
    """A draw for each row of the chunk from row `rows_of[code]` of the alias table, and how often each of
    the `width` results was drawn for each stack of `width` rows of the table."""
    fresh: Codes = np.empty(len(codes), np.int32)
    stacks: Codes = np.arange(len(alias.ends), dtype=np.int32) // np.int32(width) * np.int32(width)
    counts: Counts = np.zeros((4, int(stacks[-1]) + width), np.int64)
    tables = (alias.below.ravel(), alias.other.ravel(), alias.ends, stacks)
    for block, where in chunk.blocks():
        bits = of_rows(chunk, block, where, partial(words, source.stream(name, block), alias.word))
        again: Codes = np.empty(len(bits), np.int32)
        shift = alias.word - alias.bits
        number = _draw(codes[where], rows_of, bits, *tables, shift, alias.bits, fresh[where], again, counts)
        for at in (where.start + again[:number]).tolist():
            row = int(rows_of[codes[at]])
            counts[0, stacks[row] + fresh[at]] -= 1
            fresh[at] = drawn_one(alias, row, _more(alias, source, name, int(chunk.row_ids[at])))
            counts[0, stacks[row] + fresh[at]] += 1
    return fresh, counts.sum(axis=0)


def _more(alias: Alias, source: Source, name: str, row_id: int) -> Iterator[int]:
    """Further words for one row."""
    generator = source.stream(f"{name}\x00again", row_id)
    while True:
        yield int(words(generator, alias.word, 1)[0])


@compiled
def _draw(
    codes: Codes,
    rows_of: Codes,
    bits: Any,
    below: Any,
    other: Codes,
    ends: Any,
    stacks: Codes,
    shift: int,
    width: int,
    fresh: Codes,
    again: Codes,
    counts: Counts,
) -> int:
    # without branches, on unsigned numbers: half of all branches here would be guessed wrongly
    right, up = np.uint64(shift), np.uint64(width)
    mask = (np.uint64(1) << right) - np.uint64(1)
    number = 0
    for i in range(len(codes)):
        row = np.uint64(np.uint32(rows_of[np.uint32(codes[i])]))
        word = np.uint64(bits[i])
        cell, rest = word >> right, word & mask
        at = (row << up) + cell
        found = np.int32(cell) if rest < below[at] else other[at]
        fresh[i] = found
        counts[i & 3, stacks[row] + found] += 1
        if rest >= ends[row]:
            again[number] = i
            number += 1
    return number
