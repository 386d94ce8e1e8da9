"""One column's hierarchy as integer codes: to which value each code climbs at each level.

Level 0 keeps the values, the last level is the most general. A ladder must be a tree: two codes that meet
at one level stay together on every level above, which is what makes searching it provable.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import Any

import numpy as np

from worker.engine.errors import EngineError
from worker.engine.hierarchies.hierarchy import Levels

Codes = np.ndarray[Any, np.dtype[np.int32]]
Floats = np.ndarray[Any, np.dtype[np.float64]]
Words = np.ndarray[Any, np.dtype[np.uint64]]

MASK_BITS = 20
"""Up to this many bits a column is coded by its path, so that generalizing it is one `and`."""


@dataclass(frozen=True, eq=False)
class Ladder:
    """`maps[level][code]` is the value of `code` at that level, numbered from 0.

    `covers[level][code]` is the number of rows of the hierarchy that share that value and `height` the number
    of its rows; both follow from `maps` unless the hierarchy knows more values than there are codes.
    """

    maps: tuple[Codes, ...]
    covers: tuple[Floats, ...]
    rows: float
    name: str = ""

    @classmethod
    def of_levels(cls, levels: Levels) -> Ladder:
        """From a hierarchy laid over the values that occur."""
        covers = [
            np.rint(shares * levels.size).take(codes)
            for shares, codes in zip(levels.shares, levels.from_values, strict=True)
        ]
        ladder = cls(tuple(levels.from_values), tuple(covers), float(levels.size), levels.name)
        ladder._demand_tree()
        return ladder

    @classmethod
    def of_codes(cls, size: int, name: str) -> Ladder:
        """A column that is never generalized: its codes, with one level."""
        return cls((np.arange(size, dtype=np.int32),), (np.ones(size),), float(max(size, 1)), name)

    def _demand_tree(self) -> None:
        for level in range(len(self.maps) - 1):
            lower, upper = self.maps[level], self.maps[level + 1]
            parents = np.zeros(int(lower.max(initial=-1)) + 1, np.int32)
            parents[lower] = upper
            if not (parents.take(lower) == upper).all():
                raise EngineError(
                    "hierarchy-not-a-tree",
                    f"In the hierarchy of column {self.name!r} a label of level {level} has two different "
                    f"labels at level {level + 1}. Give each of them its own name, or one label above.",
                    param=f"columns.{self.name}.hierarchy",
                )

    @property
    def size(self) -> int:
        """How many codes the column has."""
        return len(self.maps[0])

    @property
    def levels(self) -> int:
        """How many levels there are, the original values included."""
        return len(self.maps)

    @property
    def height(self) -> int:
        """The highest level."""
        return len(self.maps) - 1

    @cached_property
    def digits(self) -> tuple[tuple[Codes, int], ...]:
        """Per level: the number of each code's value among the values under one parent, and its bits."""
        found = []
        for level in range(self.levels):
            values = self.maps[level]
            parents = self.maps[level + 1] if level < self.height else np.zeros(self.size, np.int32)
            found.append(_siblings(values, parents))
        return tuple(found)

    @property
    def path_bits(self) -> int:
        """How many bits the path from the top to a value takes."""
        return sum(bits for _, bits in self.digits)

    @cached_property
    def is_masked(self) -> bool:
        """Whether a code is written as its path, so that generalizing it clears its low bits."""
        return self.path_bits <= max(MASK_BITS, _bits(self.size))

    @cached_property
    def width(self) -> int:
        """How many bits the column takes in a packed key."""
        return self.path_bits if self.is_masked else _bits(self.size)

    @cached_property
    def fields(self) -> Words:
        """What is written into a packed key for each code."""
        if not self.is_masked:
            return np.argsort(np.lexsort(self.maps), kind="stable").astype(np.uint64)
        start, path = 0, np.zeros(self.size, np.uint64)
        for digit, bits in self.digits:
            path |= digit.astype(np.uint64) << np.uint64(start)
            start += bits
        return path

    @cached_property
    def first_bits(self) -> tuple[int, ...]:
        """Per level: the lowest bit of the field that is kept there."""
        return tuple(accumulate((bits for _, bits in self.digits[:-1]), initial=0))

    @cached_property
    def leaves(self) -> Codes:
        """For each content of a generalized field, a code that it covers."""
        table = np.zeros(1 << self.width if self.is_masked else max(self.size, 1), np.int32)
        table[self.fields] = np.arange(self.size, dtype=np.int32)
        return table

    @cached_property
    def climbs(self) -> Words:
        """`climbs[level, field]`: the field after generalizing, where no mask does it."""
        order = np.lexsort(self.maps)
        table = np.zeros((self.levels, max(self.size, 1)), np.uint64)
        for level, values in enumerate(self.maps):
            _, first, group = np.unique(values[order], return_index=True, return_inverse=True)
            table[level, : self.size] = first[group.reshape(-1)]
        return table


def _siblings(values: Codes, parents: Codes) -> tuple[Codes, int]:
    """Each value's number among its siblings, in the order of the values, and the bits it takes."""
    if not len(values):
        return values, 0
    parent_of = np.zeros(int(values.max()) + 1, np.int64)
    present = np.zeros(len(parent_of), bool)
    present[values] = True
    if parents.min() == parents.max():
        places = np.cumsum(present, dtype=np.int32) - 1
        return places.take(values), _bits(int(places[-1]) + 1)
    parent_of[values] = parents
    known = np.flatnonzero(present)
    order = known[np.argsort(parent_of[known], kind="stable")]
    ranks = np.arange(len(order)) - np.searchsorted(parent_of[order], parent_of[order])
    number = np.zeros(len(parent_of), np.int32)
    number[order] = ranks
    return number[values], _bits(int(ranks.max()) + 1)


def _bits(count: int) -> int:
    """How many bits tell `count` things apart."""
    return max(count - 1, 0).bit_length()
