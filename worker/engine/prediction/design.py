"""Rows of words as features of a model: each word, and each pair of words of two columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from worker.engine.arrays import Longs
from worker.engine.tables.column import Codes

NONE = -1
"""A word that is no feature."""


def commonest(codes: Codes, size: int, most: int) -> Codes:
    """The feature of each word: one for each of the commonest, a tie to the first, and one for all others."""
    rows = np.bincount(codes, minlength=size)
    occur = int((rows > 0).sum())
    kept = np.sort(np.argsort(-rows, kind="stable")[: occur if occur <= most else most - 1])
    places = np.full(size, len(kept) if occur > most else NONE, np.int32)
    places[kept] = np.arange(len(kept))
    return places


def number_of(places: Codes) -> int:
    """How many features there are."""
    return int(places.max(initial=NONE)) + 1


@dataclass(frozen=True)
class Pair:
    """Every pair of words of two columns as one column."""

    codes: Codes
    size: int


def crossed(columns: Sequence[Codes], sizes: Sequence[int]) -> list[Pair]:
    """Each two columns."""
    found = []
    for one, other in combinations(range(len(columns)), 2):
        known = (columns[one] >= 0) & (columns[other] >= 0)
        codes = np.where(known, columns[one] * sizes[other] + columns[other], NONE)
        found.append(Pair(codes, sizes[one] * sizes[other]))
    return found


@dataclass(frozen=True)
class Design:
    """Rows as a model sees them: a line of features for each row, none of them twice; `size` is how many
    features there are."""

    words: Codes
    size: int

    @classmethod
    def of(cls, columns: Sequence[Codes], sizes: Sequence[int]) -> Design:
        """The words of all columns, those of each after those of the one before."""
        starts = np.append(0, np.cumsum(sizes)).astype(np.int32)
        lines = [
            np.where(codes >= 0, codes + start, NONE).astype(np.int32)
            for codes, start in zip(columns, starts[:-1], strict=True)
        ]
        return cls(np.ascontiguousarray(np.stack(lines, axis=1)), int(starts[-1]))

    def rows_of_words(self) -> Longs:
        """How many rows hold each feature."""
        return np.bincount(self.words[self.words >= 0], minlength=self.size)
