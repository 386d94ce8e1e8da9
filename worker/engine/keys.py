"""Several columns of codes as one integer per row, so that grouping is sorting integers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

Codes = np.ndarray[Any, np.dtype[Any]]
Keys = np.ndarray[Any, np.dtype[np.int64]]

LIMIT = 2**62
"""A packed key stays below this; wider tuples are ranked first and packed again, so nothing overflows."""


@dataclass
class Packer:
    """Gives equal keys to equal tuples, and the same keys again to tuples it was fitted on."""

    sizes: tuple[int, ...]
    _ranks: dict[int, Keys] = field(default_factory=dict)

    def fit(self, columns: Sequence[Codes], rows: int) -> Keys:
        """Keys of the tuples to remember."""
        return self._pack(columns, rows, learning=True)

    def apply(self, columns: Sequence[Codes], rows: int) -> Keys:
        """Keys of tuples that occurred among the fitted ones."""
        return self._pack(columns, rows, learning=False)

    def _pack(self, columns: Sequence[Codes], rows: int, learning: bool) -> Keys:
        keys = np.zeros(rows, np.int64)
        span = 1
        for position, (codes, size) in enumerate(zip(columns, self.sizes, strict=True)):
            size = max(size, 1)
            if span * size >= LIMIT:
                if learning:
                    self._ranks[position] = np.unique(keys)
                keys = np.searchsorted(self._ranks[position], keys).astype(np.int64)
                span = len(self._ranks[position])
            keys *= size
            keys += codes
            span *= size
        return keys


def pack(columns: Sequence[Codes], sizes: Sequence[int], rows: int) -> Keys:
    """Keys to use once."""
    return Packer(tuple(sizes)).fit(columns, rows)


@dataclass(frozen=True)
class Groups:
    """Rows sorted into groups of equal keys: the group of each row, its first row, its total."""

    ids: np.ndarray[Any, np.dtype[np.intp]]
    first: np.ndarray[Any, np.dtype[np.intp]]

    @property
    def number(self) -> int:
        """How many groups there are."""
        return len(self.first)

    def sum(self, values: np.ndarray[Any, Any]) -> Any:
        """The total of the values in each group; integers stay exact."""
        total = np.zeros(self.number, values.dtype)
        np.add.at(total, self.ids, values)
        return total


def group(keys: Keys) -> Groups:
    """Group rows by key, in ascending order of keys."""
    _, first, ids = np.unique(keys, return_index=True, return_inverse=True)
    return Groups(ids.reshape(-1), first)
