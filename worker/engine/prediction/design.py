"""Rows of words as features of a model: each word, and each pair of words of two columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from worker.engine.tables.column import Codes

Sparse = Any
"""A matrix of scipy, which is loaded only where a model is trained."""
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


def one_hot(columns: Sequence[Codes], sizes: Sequence[int]) -> Sparse:
    """A line for each row, with 1 at the word of each column."""
    from scipy import sparse

    rows = len(columns[0]) if columns else 0
    starts = np.append(0, np.cumsum(sizes)).astype(np.int64)
    at = np.stack(columns, axis=1).astype(np.int64) if columns else np.zeros((rows, 0), np.int64)
    known = at >= 0
    ends = np.append(0, np.cumsum(known.sum(axis=1)))
    places = (at + starts[:-1])[known]
    return sparse.csr_matrix((np.ones(len(places)), places, ends), shape=(rows, int(starts[-1])))
