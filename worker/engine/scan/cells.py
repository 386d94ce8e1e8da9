"""Counting sets of columns with few values, many sets at once.

Rows are counted in a table with one axis for each of a few columns; every set of these columns is a sum over
the other axes, which costs next to nothing. So few tables are made that each set is in one of them.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import partial
from itertools import combinations

import numpy as np

from worker.engine.io.ahead import ahead
from worker.engine.scan.rows import FEW_VALUES, Rows
from worker.engine.scan.told_apart import Names, Tally, tallied
from worker.engine.tables.frequency import Counts

CELLS = 1 << 18
"""A set that could make no more combinations has a cell for each."""
SHARED_CELLS = 1 << 17
"""A table for more sets than one has no more: it stays near the processor."""


Block = tuple[Names, list[Names]]
"""A larger set of columns, and the sets that are found in it."""


def has_cells(rows: Rows, names: Names) -> bool:
    """Whether a set of columns is counted in cells."""
    return rows.places.keys() >= set(names) and rows.cells(names) <= CELLS


def blocks(sets: Iterable[Names], values: Mapping[str, int]) -> Iterator[Block]:
    """Larger sets of columns with those found in each: every set in one of them, large ones first."""
    open_sets = dict.fromkeys(sorted(sets, key=lambda names: (-len(names), names)))
    while open_sets:
        block = _grown(next(iter(open_sets)), open_sets, values)
        found = [names for names in _parts(block, max(map(len, open_sets))) if names in open_sets]
        for names in found:
            del open_sets[names]
        yield block, found


def _parts(block: Names, most: int) -> Iterator[Names]:
    """The sets in a block, large ones first."""
    for size in range(min(most, len(block)), 0, -1):
        yield from combinations(block, size)


def _grown(seed: Names, open_sets: Collection[Names], values: Mapping[str, int]) -> Names:
    """The set with more columns, each of which brings in most further sets, as long as there is room."""
    order = {name: at for at, name in enumerate(values)}
    block = seed
    while True:
        room = SHARED_CELLS // math.prod(values[name] for name in block)
        gains = {
            name: _gain(block, name, len(seed), open_sets, order)
            for name in values
            if name not in block and values[name] <= room
        }
        best = max(gains, key=lambda name: gains[name], default=None)
        if best is None or not gains[best]:
            return block
        block = _ordered((*block, best), order)


def _gain(block: Names, name: str, size: int, open_sets: Collection[Names], order: Mapping[str, int]) -> int:
    """How many open sets of the largest size a column would bring in."""
    return sum(_ordered((*part, name), order) in open_sets for part in combinations(block, size - 1))


def _ordered(names: Iterable[str], order: Mapping[str, int]) -> Names:
    return tuple(sorted(names, key=order.__getitem__))


def in_cells(rows: Rows, sets: Iterable[Names]) -> Iterator[tuple[Names, Tally]]:
    """Each set with its tally; several tables at once."""
    few = {name: rows.values[name] for name in rows.places}
    for found in ahead(partial(_block, rows), blocks(sets, few)):
        yield from found


class Cells:
    """The same of rows that come in parts, as far as there is room for tables of so many cells in all."""

    def __init__(self, values: Mapping[str, int], sets: Iterable[Names], most: int) -> None:
        self._values = values
        few = {name: size for name, size in values.items() if size <= FEW_VALUES}
        dense = (names for names in sets if few.keys() >= set(names) and _cells(values, names) <= CELLS)
        self._blocks = list(_roomy(values, blocks(dense, few), most))
        self._tables = [np.zeros(_cells(values, block), np.int64) for block, _ in self._blocks]
        self.sets = {names for _, found in self._blocks for names in found}
        """Those that are counted."""

    def add(self, rows: Rows) -> None:
        """Count one part."""
        for (block, _), table in zip(self._blocks, self._tables, strict=True):
            _count(rows, block, table)

    def tallies(self) -> Iterator[tuple[Names, Tally]]:
        """Each set with its tally."""
        for given, table in zip(self._blocks, self._tables, strict=True):
            yield from _tallies(self._values, given, table)


def _roomy(values: Mapping[str, int], found: Iterable[Block], most: int) -> Iterator[Block]:
    """As many as there is room for."""
    for block, sets in found:
        size = _cells(values, block)
        if size <= most:
            most -= size
            yield block, sets


def _block(rows: Rows, given: Block) -> list[tuple[Names, Tally]]:
    table = np.zeros(rows.cells(given[0]), np.int64)
    _count(rows, given[0], table)
    return _tallies(rows.values, given, table)


def _count(rows: Rows, names: Names, table: Counts) -> None:
    from worker.engine.scan.loops import count

    count(rows.codes, *rows.layout(names), rows.weights, table)


def _tallies(values: Mapping[str, int], given: Block, table: Counts) -> list[tuple[Names, Tally]]:
    block, sets = given
    known = {block: table.reshape([values[name] for name in block])}
    for names in sets:
        known[names] = _summed(known, names)
    return [(names, tallied(known[names].reshape(-1))) for names in sets]


def _cells(values: Mapping[str, int], names: Names) -> int:
    return math.prod(values[name] for name in names)


def _summed(known: Mapping[Names, Counts], names: Names) -> Counts:
    """The table of a set from the smallest one that holds it."""
    if names in known:
        return known[names]
    base = min((one for one in known if set(names) <= set(one)), key=lambda one: known[one].size)
    gone = tuple(at for at, name in enumerate(base) if name not in names)
    found: Counts = known[base].sum(axis=gone)
    return found
