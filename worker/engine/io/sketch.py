"""How many values differ and how many occur once, in memory that does not grow with the data.

Every value has a random-looking number (its hash). While there are few values all are counted. When there are
too many, only those whose number is below a limit are, and the limit is halved: what is left is a fair sample
of the *values*, each with its full count. Figures are exact until then, estimates after. What is left depends
on the values alone, not on the order in which they come.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa

from worker.engine.arrays import Longs
from worker.engine.tables.column import Mask
from worker.engine.tables.dense import string_parts

Hashes = np.ndarray[Any, np.dtype[np.uint64]]
Places = np.ndarray[Any, np.dtype[np.int64]]

Times = np.ndarray[Any, np.dtype[np.uint8]]

_TOP = 1 << 64
_FEW = 256
_KEY = np.frombuffer(b"0123456789123456", "<u8")


def hashes(texts: pa.Array) -> Hashes:
    """One number per text, equal for equal texts."""
    from worker.engine.kernels import sketches

    found: Hashes = np.empty(len(texts), np.uint64)
    data, offsets = string_parts(texts)
    sketches.hashes(data, offsets, _KEY, found)
    return found


def mixed(numbers: Hashes) -> Hashes:
    """Spread numbers evenly, so that sums of them make new numbers as good as these."""
    with np.errstate(over="ignore"):
        numbers = (numbers ^ (numbers >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        numbers = (numbers ^ (numbers >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return np.asarray(numbers ^ (numbers >> np.uint64(31)), np.uint64)


class _Bounded:
    """A table of numbers that grows to its capacity and then halves its limit."""

    def __init__(self, capacity: int) -> None:
        self._capacity = capacity
        self._halvings = self._rows = 0
        self._state: Hashes = np.zeros(4, np.uint64)
        self._table: Hashes = np.empty(0, np.uint64)
        self._renew(min(_FEW, capacity), 0)

    def _renew(self, room: int, held: int) -> None:
        """An empty table with room for so many, of which so many come back."""
        size = 1 << (2 * room - 1).bit_length()
        if len(self._table) == size:
            self._table.fill(0)
        else:
            self._table = np.zeros(size, np.uint64)
        self._state[:3] = self._limit, held, room

    @property
    def _limit(self) -> np.uint64:
        return np.uint64((_TOP >> self._halvings) - 1)

    def _next_room(self) -> int:
        """How large the next table is; where it may not be larger, fewer numbers are let in."""
        room = int(self._state[2])
        if room == self._capacity:
            self._halvings += 1
        return min(4 * room, self._capacity)

    @property
    def _stays(self) -> Mask:
        """Which places hold a number that is let in."""
        stays: Mask = (self._table != 0) & (self._table <= self._limit)
        return stays

    @property
    def is_exact(self) -> bool:
        """Whether every value was counted."""
        return self._halvings == 0

    @property
    def _ones(self) -> int:
        """How many of the values that are held occur once."""
        raise NotImplementedError

    @property
    def unique_share(self) -> float:
        """The share of rows whose value no other row has."""
        return min(float(self._ones << self._halvings) / self._rows, 1.0) if self._rows else 0.0

    @property
    def unique_error(self) -> float:
        """Half the width of a 95 % interval of the unique share, as a share of all rows.

        A value is kept with the same chance, whatever it is: the number of unique ones found is that of
        chance alone. None found leaves room for a few.
        """
        if self.is_exact or not self._rows:
            return 0.0
        chance = 0.5**self._halvings
        return float((1.96 * np.sqrt((1 - chance) * (self._ones + 0.96)) + 1.92) / (chance * self._rows))

    @property
    def _few(self) -> Longs:
        """Of the values that are held and occur in fewer than `FEW` rows, in how many."""
        raise NotImplementedError

    @property
    def few_share(self) -> float:
        """The share of rows whose value fewer than `FEW` rows have."""
        few = float(int(self._few.sum()) << self._halvings)
        return min(few / self._rows, 1.0) if self._rows else 0.0

    @property
    def few_error(self) -> float:
        """Half the width of a 95 % interval of that share, as above: each value stands for up to its rows."""
        if self.is_exact or not self._rows:
            return 0.0
        from worker.engine.kernels.sketches import FEW

        chance, few = 0.5**self._halvings, self._few
        spread = np.sqrt((1 - chance) * (np.square(few).sum() + 0.96 * (FEW - 1) ** 2))
        return float((1.96 * spread + 1.92 * (FEW - 1)) / (chance * self._rows))


class Sketch(_Bounded):
    """Counts of values by their hash."""

    def _renew(self, room: int, held: int) -> None:
        super()._renew(room, held)
        self._counts = np.zeros(len(self._table), np.uint32)

    def add(self, numbers: Hashes, counts: Longs) -> None:
        """Count values; the same one may come again."""
        from worker.engine.kernels import sketches

        self._count(partial(sketches.add, numbers, counts), counts)

    def add_sums(self, own: Hashes, columns: Longs, counts: Longs) -> None:
        """Count tuples by numbers that are sums: of what each has in some columns."""
        from worker.engine.kernels import sketches

        self._count(partial(sketches.add_sums, own, columns, counts), counts)

    def _count(self, add: Callable[[int, Hashes, Any, Hashes], int], counts: Longs) -> None:
        self._rows += int(counts.sum())
        start = 0
        while (start := add(start, self._table, self._counts, self._state)) < len(counts):
            self._make_room()

    def _make_room(self) -> None:
        from worker.engine.kernels import sketches

        room = self._next_room()
        held, counts = self._table[self._stays], self._counts[self._stays].astype(np.int64)
        self._renew(room, 0)
        sketches.add(held, counts, 0, self._table, self._counts, self._state)

    @property
    def _found(self) -> Longs:
        found: Longs = self._counts[self._table != 0].astype(np.int64)
        return found

    @property
    def _ones(self) -> int:
        return int(np.count_nonzero(self._found == 1))

    @property
    def _few(self) -> Longs:
        from worker.engine.kernels.sketches import FEW

        return self._found[self._found < FEW]

    @property
    def distinct(self) -> int:
        """How many values differ."""
        return int(self._state[1]) << self._halvings

    @property
    def all_differ(self) -> bool:
        """Whether no value was seen twice."""
        found = self._found
        return bool(len(found)) and int(found.max()) == 1

    def largest(self, number: int) -> list[int]:
        """The largest counts, in descending order."""
        found: list[int] = np.sort(self._found)[::-1][:number].tolist()
        return found


class Ones(_Bounded):
    """Which tuples occur few times: a number each, whose last bits say how often more it came.

    As long as no more than `exact` differ all are held; once there are more, a sample that is smaller.
    """

    def __init__(self, exact: int, sampled: int) -> None:
        super().__init__(exact)
        self._sampled = sampled
        self.began_unique = False
        """Whether none came again before there were too many: then hardly any ever will."""

    def add(self, numbers: Hashes, times: Times, rows: int) -> None:
        """Take in so many rows by their numbers; of each is said how often it comes."""
        from worker.engine.kernels import sketches

        self._rows += rows
        self._note(partial(sketches.note, numbers, times), len(numbers))

    def add_rows(self, base: Hashes, own: Hashes, more: Places, less: Places) -> None:
        """Take in rows by numbers that are sums: of a base, with more columns and without others."""
        from worker.engine.kernels import sketches

        self._rows += len(base)
        self._note(partial(sketches.note_rows, base, own, more, less), len(base))

    def _note(self, note: Callable[[int, Hashes, Hashes], int], size: int) -> None:
        """Note them from the first on, and where there is no room for one more, make some."""
        start = 0
        while (start := note(start, self._table, self._state)) < size:
            self._make_room()

    def _make_room(self) -> None:
        from worker.engine.kernels import sketches

        held: Hashes = np.empty(int(self._state[1]) + 1, np.uint64)
        held = held[: sketches.gathered(self._table, self._limit, held)]
        if self._state[2] == self._capacity:
            held = self._fewer(held)
        self._renew(min(4 * int(self._state[2]), self._capacity), len(held))
        sketches.moved(held, self._table)

    def _fewer(self, held: Hashes) -> Hashes:
        """What stays of them when fewer numbers are let in."""
        from worker.engine.kernels import sketches

        if self.is_exact:
            self.began_unique = not (held & sketches.TIMES).any()
            self._capacity = self._sampled
        self._halvings += 1
        stays = held[: sketches.gathered(held, self._limit, held)]
        return self._fewer(stays) if len(stays) > self._capacity else stays

    @property
    def _ones(self) -> int:
        return int(np.count_nonzero(self._sizes == 1))

    @property
    def _sizes(self) -> Longs:
        """How often each that is held occurs; those that occur more often occur `FEW` times."""
        from worker.engine.kernels.sketches import TIMES

        sizes: Longs = (self._table[self._table != 0] & TIMES).astype(np.int64) + 1
        return sizes

    @property
    def _few(self) -> Longs:
        from worker.engine.kernels.sketches import FEW

        sizes = self._sizes
        return sizes[sizes < FEW]
