"""Exact draws for the rows of a chunk."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np

from worker.engine.algorithms.alias import Alias, drawn_one
from worker.engine.algorithms.compiled import compiled
from worker.engine.algorithms.drawing import Words, of_rows, words
from worker.engine.column import Codes
from worker.engine.randomness import Source
from worker.engine.table import Chunk


def drawn(alias: Alias, codes: Codes, rows_of: Codes, chunk: Chunk, source: Source, name: str) -> Codes:
    """A draw for each row of the chunk from row `rows_of[code]` of the alias table."""
    fresh: Codes = np.empty(len(codes), np.int32)
    below, other = alias.below.ravel(), alias.other.ravel()
    for block, where in chunk.blocks():
        generator = source.stream(name, block)
        bits = of_rows(chunk, block, where, partial(words, generator))
        rows = rows_of[codes[where]]
        again: Codes = np.empty(len(rows), np.int32)
        number = _draw(rows, bits, below, other, alias.ends, alias.bits, fresh[where], again)
        for at in again[:number].tolist():
            row_id = int(chunk.row_ids[where.start + at])
            fresh[where.start + at] = drawn_one(alias, int(rows[at]), _more(source, name, row_id))
    return fresh


def _more(source: Source, name: str, row_id: int) -> Iterator[int]:
    """Further words for one row."""
    generator = source.stream(f"{name}\x00again", row_id)
    while True:
        yield int(words(generator, 1)[0])


@compiled
def _draw(
    rows: Codes,
    bits: Words,
    below: Words,
    other: Codes,
    ends: Words,
    width: int,
    fresh: Codes,
    again: Codes,
) -> int:
    # without branches, on unsigned numbers: half of all branches here would be guessed wrongly
    shift = np.uint64(64 - width)
    mask = (np.uint64(1) << shift) - np.uint64(1)
    step = np.uint64(width)
    number = 0
    for i in range(len(rows)):
        row = np.uint64(np.uint32(rows[i]))
        cell = bits[i] >> shift
        rest = bits[i] & mask
        at = (row << step) + cell
        fresh[i] = np.int32(cell) if rest < below[at] else other[at]
        if rest >= ends[row]:
            again[number] = i
            number += 1
    return number
