"""The lattice of full-domain generalizations: one level per column, one number per node.

Node numbers are mixed-radix: the last column changes fastest, so a node has a larger number than every node
below it, and numbers are in the lexicographic order of levels.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod

import numpy as np

from worker.engine.arrays import Longs
from worker.engine.errors import EngineError
from worker.engine.search.marking import Shape
from worker.engine.wording import thousands

Node = tuple[int, ...]

LARGEST = 1 << 22
"""Lattices of up to this many nodes are searched to the end."""


@dataclass(frozen=True)
class Lattice:
    """Levels `lowest[c] … highest[c]` of each column, both included."""

    lowest: Node
    highest: Node

    @classmethod
    def of_bounds(cls, bounds: Sequence[tuple[int, int]]) -> Lattice:
        """From the lowest and highest level of each column."""
        return cls(tuple(low for low, _ in bounds), tuple(high for _, high in bounds))

    @cached_property
    def counts(self) -> Node:
        """How many levels each column may take."""
        return tuple(high - low + 1 for low, high in zip(self.lowest, self.highest, strict=True))

    @cached_property
    def size(self) -> int:
        """How many nodes there are, exactly, however many."""
        return prod(self.counts)

    @property
    def is_searchable(self) -> bool:
        """Whether every node can be kept in mind."""
        return self.size <= LARGEST

    @cached_property
    def strides(self) -> Node:
        """By how much the number grows when a column climbs one level."""
        return tuple(prod(self.counts[column + 1 :]) for column in range(len(self.counts)))

    def levels(self, node: int) -> Node:
        """A node's levels from its number."""
        return tuple(
            low + node // stride % count
            for low, stride, count in zip(self.lowest, self.strides, self.counts, strict=True)
        )

    def nodes(self, numbers: Longs) -> list[Node]:
        """The levels of many nodes."""
        steps = np.asarray(numbers)[:, np.newaxis] // np.array(self.strides) % np.array(self.counts)
        return [tuple(levels) for levels in (steps + np.array(self.lowest)).tolist()]

    def shape(self) -> Shape:
        """The same for loops over nodes."""
        return Shape(
            np.array(self.counts, np.int64),
            np.array(self.lowest, np.int64),
            np.array(self.strides, np.int64),
            1.0 / np.array(self.strides, np.float64),
            np.empty(self.size, np.int64),
            np.empty(self.size),
        )

    def too_large(self) -> EngineError:
        """The refusal that names the size instead of overflowing."""
        return EngineError(
            "lattice-too-large",
            f"These hierarchies span {thousands(self.size)} combinations of levels; up to "
            f"{thousands(LARGEST)} can be "
            "searched to the end. Use fewer quasi-identifiers, bound the levels of some columns, or set a "
            "time limit to "
            "get the best answer found by then.",
            param="levels",
        )
