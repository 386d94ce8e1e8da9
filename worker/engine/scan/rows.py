"""The rows of a table by the codes of its columns with few values, lying column by column."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from worker.engine.arrays import Longs
from worker.engine.scan.told_apart import Names
from worker.engine.tables.classes import Ids
from worker.engine.tables.column import Codes
from worker.engine.tables.frequency import Counts
from worker.engine.tables.keys import ordered

FEW_VALUES = 1 << 15
"""Codes of a column with no more values take two bytes."""


@dataclass(frozen=True)
class Rows:
    """All columns by name, how many values each has, and how many rows each combination stands for."""

    columns: Mapping[str, Codes]
    values: Mapping[str, int]
    counts: Counts

    @cached_property
    def places(self) -> dict[str, int]:
        """Where the columns with few values lie."""
        few = (name for name, size in self.values.items() if size <= FEW_VALUES)
        return {name: place for place, name in enumerate(few)}

    @cached_property
    def codes(self) -> np.ndarray[tuple[int, int], np.dtype[np.int16]]:
        """Their codes."""
        codes = np.empty((len(self.places), len(self.counts)), np.int16)
        for name, place in self.places.items():
            codes[place] = self.columns[name]
        return codes

    def shared(self, name: str) -> Ids:
        """The combinations of which another one has the same value in a column."""
        codes = self.columns[name]
        return np.flatnonzero(np.bincount(codes, minlength=self.values[name])[codes] > 1)

    def laid(self, names: Iterable[str], by: str, at: Ids) -> Rows:
        """Some columns of some rows in the order of the values of one of them."""
        order = at[ordered(self.columns[by][at])]
        columns = {name: self._narrow(name)[order] for name in names}
        values = {name: self.values[name] for name in columns}
        counts = self.counts[order] if self.weights.size else self.counts[: len(order)]
        return Rows(columns, values, counts)

    def _narrow(self, name: str) -> Codes:
        return self.codes[self.places[name]] if name in self.places else self.columns[name]

    @cached_property
    def weights(self) -> Counts:
        """The counts; nothing where each combination is one row."""
        return self.counts if (self.counts != 1).any() else np.zeros(0, np.int64)

    def cells(self, names: Sequence[str]) -> int:
        """How many combinations of some columns there can be."""
        return math.prod(self.values[name] for name in names)

    def layout(self, names: Names) -> tuple[Longs, Longs]:
        """Where columns lie, and by how many cells a code of each moves in a table with an axis for each."""
        steps = [self.cells(names[at + 1 :]) for at in range(len(names))]
        return np.array([self.places[name] for name in names], np.int64), np.array(steps, np.int64)
