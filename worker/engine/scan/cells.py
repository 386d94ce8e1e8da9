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
from worker.engine.scan.rows import Rows
from worker.engine.scan.told_apart import Names, Tally, tallied
from worker.engine.tables.frequency import Counts

CELLS = 1 << 18
"""A set that could make no more combinations has a cell for each."""
SHARED_CELLS = 1 << 17
"""A table for more sets than one has no more: it stays near the processor."""


def has_cells(rows: Rows, names: Names) -> bool:
    """Whether a set of columns is counted in cells."""
    return rows.places.keys() >= set(names) and rows.cells(names) <= CELLS


def blocks(sets: Iterable[Names], values: Mapping[str, int]) -> Iterator[tuple[Names, list[Names]]]:
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


def _block(rows: Rows, given: tuple[Names, list[Names]]) -> list[tuple[Names, Tally]]:
    block, sets = given
    known = {block: _table(rows, block)}
    for names in sets:
        known[names] = _summed(known, names)
    return [(names, tallied(known[names].reshape(-1))) for names in sets]


def _table(rows: Rows, names: Names) -> Counts:
    from worker.engine.scan.loops import count

    cells = np.zeros(rows.cells(names), np.int64)
    count(rows.codes, *rows.layout(names), rows.weights, cells)
    return cells.reshape([rows.values[name] for name in names])


def _summed(known: Mapping[Names, Counts], names: Names) -> Counts:
    """The table of a set from the smallest one that holds it."""
    if names in known:
        return known[names]
    base = min((one for one in known if set(names) <= set(one)), key=lambda one: known[one].size)
    gone = tuple(at for at, name in enumerate(base) if name not in names)
    found: Counts = known[base].sum(axis=gone)
    return found
