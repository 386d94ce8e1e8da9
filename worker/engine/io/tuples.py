"""How many rows differ from all others in a set of columns: counted in cells, or by numbers.

As long as the columns of a set have few values, each tuple that they can make has a cell, and nothing has to
be looked up. When there are too many, the tuples met so far get their numbers, as all rows from then on do.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from worker.engine.arrays import Longs
from worker.engine.io.sketch import Hashes, Ones, Places, mixed

CELLS = 1 << 17
"""Sets that can have no more tuples are counted in cells."""
MOST_COLUMNS = 16
"""And have no more columns: what has a cell is an array of so many dimensions."""
FEW_VALUES = 1 << 11
EXACT, SAMPLED = 1 << 16, 1 << 14
"""By numbers all tuples are held up to the one, and once there are more a sample of up to the other."""
_TOO_MANY = 1 << 40

Codes = np.ndarray[Any, np.dtype[np.int32]]
Cells = np.ndarray[Any, np.dtype[np.uint8]]
Names = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Coded:
    """One column of a batch: each row's code, and a number for each code."""

    codes: Codes
    numbers: Hashes


class Domain:
    """The values of a column by their numbers, in the order in which they came, as long as they are few."""

    def __init__(self, place: int) -> None:
        self._column = np.uint64(1 + place)
        self._places: dict[int, int] = {}
        self._is_open = True

    @property
    def numbers(self) -> Hashes:
        """What each value adds to the number of a tuple."""
        return self.mixed(np.fromiter(self._places, np.uint64, len(self._places)))

    def mixed(self, numbers: Hashes) -> Hashes:
        """The same for any values: those of two columns are never alike."""
        return mixed(numbers + self._column)

    def codes(self, column: Coded) -> tuple[Codes, int]:
        """Each row's value by its place here, and how many places there are; none that counts in a batch of
        many values."""
        self._is_open = self._is_open and len(column.numbers) <= FEW_VALUES
        if self._is_open:
            places = [self._places.setdefault(one, len(self._places)) for one in column.numbers.tolist()]
            self._is_open = len(self._places) <= FEW_VALUES
        if not self._is_open:
            return column.codes, _TOO_MANY
        return np.array(places, np.int32)[column.codes], len(self._places)


class Rows:
    """A batch: places and numbers of its values, column by column."""

    def __init__(self, columns: Sequence[Coded], domains: Sequence[Domain]) -> None:
        from worker.engine.kernels import sketches

        self._domains = domains
        coded = [domain.codes(column) for column, domain in zip(columns, domains, strict=True)]
        self.codes: Codes = np.stack([codes for codes, _ in coded])
        self._sizes = [size for _, size in coded]
        self._own: Hashes = np.empty(self.codes.shape, np.uint64)
        for own, column, domain in zip(self._own, columns, domains, strict=True):
            sketches.spread(column.codes, domain.mixed(column.numbers), own)
        self._sums: dict[Names, Hashes] = {}

    def __len__(self) -> int:
        return int(self.codes.shape[1])

    def sizes(self, columns: Places) -> tuple[int, ...]:
        """How many values these columns have had."""
        return tuple(self._sizes[column] for column in columns.tolist())

    def numbers(self, columns: Places, sizes: Sequence[int]) -> Hashes:
        """What so many first values of these columns add to the number of a tuple, column by column."""
        each = zip(columns.tolist(), sizes, strict=True)
        return np.concatenate([self._domains[column].numbers[:size] for column, size in each])

    def note(self, way: Way, ones: Ones) -> None:
        """Take in every row by its number."""
        ones.add_rows(self._sum(way.base, way.base_columns), self._own, way.more, way.less)

    def _sum(self, names: Names, columns: Places) -> Hashes:
        if names not in self._sums:
            self._sums[names] = self._own[columns].sum(axis=0, dtype=np.uint64)
        return self._sums[names]


@dataclass(frozen=True, slots=True)
class Way:
    """How the numbers of a set come about: from a sum that is known, and the columns it differs in."""

    columns: Places
    base: Names
    base_columns: Places
    more: Places
    less: Places


class Tuples:
    """Counts one set."""

    def __init__(self, way: Way) -> None:
        self._way = way
        self._rows = 0
        self._sizes: tuple[int, ...] = (0,) * len(way.columns)
        self._cells: Cells = np.empty(0, np.uint8)
        self._ones: Ones | None = None
        self._came_again = False

    def see(self, rows: Rows) -> None:
        """Take in a batch."""
        sizes = rows.sizes(self._way.columns)
        few = len(sizes) <= MOST_COLUMNS and math.prod(sizes) <= CELLS
        if few and self._ones is None:
            self._tally(rows, sizes)
        else:
            self._ones = self._ones or self._numbered(rows)
            rows.note(self._way, self._ones)

    def _tally(self, rows: Rows, sizes: tuple[int, ...]) -> None:
        from worker.engine.kernels import sketches

        if sizes != self._sizes:
            wider = np.zeros(sizes, np.uint8)
            wider[tuple(map(slice, self._sizes))] = self._cells.reshape(self._sizes)
            self._cells, self._sizes = wider.reshape(-1), sizes
        sketches.tally(rows.codes, self._way.columns, self._lengths, self._cells)
        self._rows += len(rows)

    @property
    def _lengths(self) -> Longs:
        return np.array(self._sizes, np.int64)

    def _numbered(self, rows: Rows) -> Ones:
        """The tuples that have a cell so far, by their numbers."""
        from worker.engine.kernels import sketches

        ones = Ones(EXACT, SAMPLED)
        if self._rows:
            numbers, times = np.empty(len(self._cells), np.uint64), np.empty(len(self._cells), np.uint8)
            own = rows.numbers(self._way.columns, self._sizes)
            found = sketches.of_cells(self._cells, self._lengths, own, numbers, times)
            ones.add(numbers[:found], times[:found], self._rows)
            self._came_again = bool((times[:found] > 1).any())
            self._cells = np.empty(0, np.uint8)
        return ones

    @property
    def began_unique(self) -> bool:
        """Whether all rows differed until they were too many to hold them all: then nearly all will."""
        return self._ones is not None and self._ones.began_unique and not self._came_again

    @property
    def is_exact(self) -> bool:
        """Whether every tuple was counted."""
        return self._ones is None or self._ones.is_exact

    @property
    def unique_share(self) -> float:
        """The share of rows whose tuple no other row has."""
        if self._ones is not None:
            return self._ones.unique_share
        return int(np.count_nonzero(self._cells == 1)) / self._rows if self._rows else 0.0

    @property
    def unique_error(self) -> float:
        """Half the width of a 95 % interval of that share."""
        return self._ones.unique_error if self._ones is not None else 0.0

    @property
    def few_share(self) -> float:
        """The share of rows whose tuple fewer than `FEW` rows have."""
        from worker.engine.kernels.sketches import FEW

        if self._ones is not None:
            return self._ones.few_share
        return int(self._cells[self._cells < FEW].sum()) / self._rows if self._rows else 0.0

    @property
    def few_error(self) -> float:
        """Half the width of a 95 % interval of that share."""
        return self._ones.few_error if self._ones is not None else 0.0
