"""Exact draws from rows of integer weights, one random word per row of data.

Walker's alias method with thresholds that are whole numbers of equally likely words: the matrix that
is implemented is the matrix that was asked for, to the last bit. A word in the remainder that cannot
be shared out equally is drawn again.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import gcd

import numpy as np

from worker.engine.tables.column import Codes
from worker.engine.tables.drawing import Words

MOST_WEIGHT = 1 << 44
"""A row's total weight stays below this, so that a word of 64 bits is rarely drawn again."""
RARELY = 18
"""Short words, which are cheaper, are used where they are drawn again less than once in 2¹⁸ rows."""


@dataclass(frozen=True)
class Alias:
    """For row r and cell c of 2^bits cells: the rest of a word below `below[r, c]` gives c, or else
    `other[r, c]`. The cell is the first `bits` bits of a word of 32 or 64 bits.
    """

    word: int
    bits: int
    below: Words
    other: Codes
    ends: Words

    @classmethod
    def of_weights(cls, rows: Sequence[Sequence[int]]) -> Alias:
        """From one list of integer weights per row; each list has the same length and a total above 0."""
        width = len(rows[0])
        bits = max(1, (width - 1).bit_length())
        reduced = [[weight // max(1, gcd(*row)) for weight in row] for row in rows]
        short = 1 << (32 - bits)
        word = 32 if all(short % sum(row) << RARELY <= short for row in reduced) else 64
        built = [_row(row + [0] * ((1 << bits) - width), 1 << (word - bits)) for row in reduced]
        return cls(
            word,
            bits,
            np.array([below for below, _, _ in built], dtype=np.uint64),
            np.array([other for _, other, _ in built], dtype=np.int32),
            np.array([end for _, _, end in built], dtype=np.uint64),
        )

    def matrix(self, width: int) -> list[list[Fraction]]:
        """The probabilities that are implemented, by counting all words."""
        rows = []
        for below, other, end in zip(
            self.below.tolist(), self.other.tolist(), self.ends.tolist(), strict=True
        ):
            words = [0] * len(below)
            for cell, (limit, instead) in enumerate(zip(below, other, strict=True)):
                words[cell] += limit
                words[instead] += end - limit
            rows.append([Fraction(count, end * len(below)) for count in words[:width]])
        return rows


def _row(weights: list[int], span: int) -> tuple[list[int], list[int], int]:
    """Thresholds, aliases and the end of the usable words of one row (Vose's construction, in integers)."""
    total, cells = sum(weights), len(weights)
    if not 0 < total <= MOST_WEIGHT:
        raise ValueError("a row of weights needs a total between 1 and the most that can be shared out")
    left = [weight * cells for weight in weights]
    limit, other = [total] * cells, list(range(cells))
    small = [cell for cell in range(cells) if left[cell] < total]
    large = [cell for cell in range(cells) if left[cell] > total]
    while small:
        poor, rich = small.pop(), large[-1]
        limit[poor], other[poor] = left[poor], rich
        left[rich] -= total - left[poor]
        if left[rich] <= total:
            large.pop()
            if left[rich] < total:
                small.append(rich)
    share = span // total
    return [share * one for one in limit], other, share * total


def drawn_one(alias: Alias, row: int, words: Iterator[int]) -> int:
    """One draw in plain integers, taking words until one can be used."""
    below, other, end = alias.below[row].tolist(), alias.other[row].tolist(), int(alias.ends[row])
    span = 1 << (alias.word - alias.bits)
    for word in words:
        cell, rest = divmod(word, span)
        if rest < end:
            return int(cell if rest < below[cell] else other[cell])
    raise ValueError("no words left")
