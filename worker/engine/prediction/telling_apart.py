"""A model that tells released from original rows, and how well it does: not at all where they are alike."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from math import sqrt

import numpy as np

from worker.engine.prediction.design import Design, commonest, crossed, number_of
from worker.engine.tables.column import Codes, Floats, Mask
from worker.engine.tables.keys import distinct, ranked

WORDS = 20
"""Words of a column that are told apart by themselves; rarer ones count as one."""
PAIRED, FEWEST_PAIRED = 8, 2
"""Words of a column that are told apart beside those of another one, at most and at least."""
ROWS_PER_PAIR = 10
"""The fewer rows, the fewer words are paired: so many rows stand behind each coefficient."""
DIGITS = 9
"""Scores that differ less are one score."""


@dataclass(frozen=True)
class Interacting:
    """Every word, and pairs of the words of each two columns, as features."""

    design: Design
    coefficients: int
    """Those that do not follow from others, with the level."""

    @classmethod
    def of(cls, columns: Sequence[Codes], sizes: Sequence[int], ordered: Sequence[int]) -> Interacting:
        """Of words of columns; the first `ordered` ones of a column stand in order, and neighbours go
        together where they are too many."""
        words = [_few(codes, size, 0, WORDS) for codes, size in zip(columns, sizes, strict=True)]
        most = paired_words(len(columns), len(columns[0]))
        few = [
            _few(codes, size, line, most) for codes, size, line in zip(columns, sizes, ordered, strict=True)
        ]
        pairs = crossed(few, [number_of(one) for one in few])
        design = Design.of(
            [*words, *(pair.codes for pair in pairs)],
            [*map(number_of, words), *(pair.size for pair in pairs)],
        )
        free = 1 + sum(_occur(one) - 1 for one in words)
        for pair, (one, other) in zip(pairs, combinations(few, 2), strict=True):
            free += max(_occur(pair.codes) - _occur(one) - _occur(other) + 1, 0)
        return cls(design, free)


def paired_words(columns: int, rows: int) -> int:
    """How many words of each column are paired."""
    pairs = columns * (columns - 1) / 2
    return int(min(max(1 + sqrt(rows / (ROWS_PER_PAIR * pairs)), FEWEST_PAIRED), PAIRED))


def _few(codes: Codes, size: int, ordered: int, most: int) -> Codes:
    """The feature of each row's word."""
    if ordered > most - (size > ordered):
        room = most - (size > ordered)
        codes = np.where(codes < ordered, codes * room // ordered, codes - ordered + room).astype(np.int32)
        size += room - ordered
    return np.asarray(commonest(codes, size, most)[codes])


def _occur(codes: Codes) -> int:
    return len(distinct(codes))


def mean_square(chances: Floats, share: float) -> float:
    """pMSE: how far the chance of each row to be released lies from the share of released rows."""
    return float(np.square(chances - share).mean())


def specks(chances: Floats, released: Mask) -> float | None:
    """The Kolmogorov–Smirnov distance between the scores of released and of original rows; None where there
    are none of either."""
    if released.all() or not released.any():
        return None
    values, places = ranked(np.round(chances, DIGITS))
    before, after = (
        np.cumsum(np.bincount(places[rows], minlength=len(values))) for rows in (~released, released)
    )
    return float(np.abs(before / before[-1] - after / after[-1]).max())


def expected_of_alike(coefficients: int, share: float, rows: int) -> float:
    """The mean pMSE of rows drawn anew from the original's distribution: (k − 1)(1 − c)²c ÷ N."""
    return (coefficients - 1) * (1 - share) ** 2 * share / rows
