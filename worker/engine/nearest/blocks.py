"""Records in blocks of neighbours, so that whole blocks can be passed over."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from worker.engine.arrays import Longs
from worker.engine.nearest.cells import NUMBER, Cells
from worker.engine.tables.column import Floats

SIZE = 32
LOOKED_AT = 64
"""So many records say by which column a part is cut."""


@dataclass(frozen=True)
class Blocks:
    """Records in an order in which every `SIZE` of them are alike, with what each block holds."""

    records: Cells
    order: Longs
    boxes: tuple[Floats, Floats, Longs]

    @classmethod
    def of(cls, records: Cells) -> Blocks:
        """Cut in halves again and again, across the column in which they differ most."""
        order = _ordered(records)
        ordered = records.take(order)
        starts = np.arange(0, len(order), SIZE)
        is_number = ordered.codes == NUMBER
        lows = np.minimum.reduceat(np.where(is_number, ordered.numbers, np.inf), starts)
        highs = np.maximum.reduceat(np.where(is_number, ordered.numbers, -np.inf), starts)
        bits = np.left_shift(np.int64(1), ordered.codes.astype(np.int64) & 63)
        return cls(ordered, order, (lows, highs, np.bitwise_or.reduceat(bits, starts)))


def _ordered(records: Cells) -> Longs:
    order = np.arange(len(records), dtype=np.int64)
    open_parts = [(0, len(order))]
    while open_parts:
        start, end = open_parts.pop()
        if end - start <= SIZE:
            continue
        part = order[start:end]
        column = _widest(records.take(part[:: max(1, len(part) // LOOKED_AT)]))
        codes, numbers = records.codes[part, column], records.numbers[part, column]
        order[start:end] = part[np.lexsort((numbers, codes))]
        middle = start + max(1, (end - start) // (2 * SIZE)) * SIZE
        open_parts += [(start, middle), (middle, end)]
    return order


def _widest(some: Cells) -> int:
    """The column in which two of these records are farthest apart, roughly."""
    rows, width = some.codes.shape
    ordered = np.sort(some.codes.T, axis=1)
    fresh = np.ones(ordered.shape, bool)
    np.not_equal(ordered[:, 1:], ordered[:, :-1], out=fresh[:, 1:])
    starts = np.flatnonzero(fresh)
    lengths = np.diff(starts, append=fresh.size)
    equal = np.add.reduceat(lengths**2, np.searchsorted(starts, np.arange(width) * rows))
    return int((some.numbers.std(axis=0) - equal / rows**2).argmax())
