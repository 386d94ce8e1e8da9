"""How many values differ and how many occur once, in memory that does not grow with the data.

Every value has a random-looking number (its hash). While there are few values all are counted. When there are
too many, only those whose number is below a limit are, and the limit is halved: what is left is a fair sample
of the *values*, each with its full count. Figures are exact until then, estimates after.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

Hashes = np.ndarray[Any, np.dtype[np.uint64]]
Counts = np.ndarray[Any, np.dtype[np.int64]]

_TOP = 1 << 64


def hashes(texts: pa.Array) -> Hashes:
    """One number per text, equal for equal texts."""
    values = np.asarray(texts.to_numpy(zero_copy_only=False), dtype=object)
    numbers: Hashes = pd.util.hash_array(values, categorize=False)
    return mixed(numbers)


def mixed(numbers: Hashes) -> Hashes:
    """Spread numbers evenly, so that sums of them make new numbers as good as these."""
    with np.errstate(over="ignore"):
        numbers = (numbers ^ (numbers >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        numbers = (numbers ^ (numbers >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return np.asarray(numbers ^ (numbers >> np.uint64(31)), np.uint64)


class Sketch:
    """Counts of values by their hash."""

    def __init__(self, capacity: int) -> None:
        self._capacity = capacity
        self._halvings = 0
        self._hashes: Hashes = np.empty(0, np.uint64)
        self._counts: Counts = np.empty(0, np.int64)

    def add(self, numbers: Hashes, counts: Counts | None = None) -> None:
        """Count values; the same one may come again."""
        counts = np.ones(len(numbers), np.int64) if counts is None else counts
        if self._halvings:
            kept = numbers <= self._limit
            numbers, counts = numbers[kept], counts[kept]
        numbers, counts = np.concatenate([self._hashes, numbers]), np.concatenate([self._counts, counts])
        self._hashes, inverse = np.unique(numbers, return_inverse=True)
        self._counts = np.zeros(len(self._hashes), np.int64)
        np.add.at(self._counts, inverse.reshape(-1), counts)
        while len(self._hashes) > self._capacity:
            self._halve()

    @property
    def _limit(self) -> np.uint64:
        return np.uint64((_TOP >> self._halvings) - 1)

    def _halve(self) -> None:
        self._halvings += 1
        kept = self._hashes <= self._limit
        self._hashes, self._counts = self._hashes[kept], self._counts[kept]

    @property
    def is_exact(self) -> bool:
        """Whether every value was counted."""
        return self._halvings == 0

    @property
    def distinct(self) -> int:
        """How many values differ."""
        return len(self._hashes) << self._halvings

    @property
    def unique_share(self) -> float:
        """The share of rows whose value no other row has."""
        rows = int(self._counts.sum())
        return float(np.count_nonzero(self._counts == 1) / rows) if rows else 0.0

    @property
    def all_differ(self) -> bool:
        """Whether no value was seen twice."""
        return bool(len(self._counts)) and int(self._counts.max()) == 1

    def largest(self, number: int) -> list[int]:
        """The largest counts, in descending order."""
        found: list[int] = np.sort(self._counts)[::-1][:number].tolist()
        return found
