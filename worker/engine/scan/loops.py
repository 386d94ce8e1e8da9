"""Loops that count rows in the cells of a table with one axis for each of some columns."""

from __future__ import annotations

from typing import Any

import numpy as np

from worker.engine.arrays import Longs
from worker.engine.kernels.compiled import compiled, inlined

Codes = np.ndarray[Any, np.dtype[np.int16]]
Places = np.ndarray[Any, np.dtype[np.int32]]

AT_ONCE = 2048
BITS = 32


@inlined
def place(codes: Codes, columns: Longs, steps: Longs, start: int, size: int, places: Places) -> None:
    """The cells of some rows, worked out together, column after column."""
    places[:] = 0
    for k in range(columns.size):
        step, column = np.int32(steps[k]), columns[k]
        for i in range(size):
            places[i] += np.int32(codes[column, start + i]) * step


@compiled
def count(codes: Codes, columns: Longs, steps: Longs, counts: Longs, cells: Longs) -> None:
    """Add up the counts in the cells: codes lie column by column, `steps` is what a code moves by. Without
    counts each row is one."""
    rows, places = codes.shape[1], np.empty(AT_ONCE, np.int32)
    for start in range(0, rows, AT_ONCE):
        size = min(AT_ONCE, rows - start)
        place(codes, columns, steps, start, size, places)
        if counts.size:
            for i in range(size):
                cells[np.uint32(places[i])] += counts[start + i]
        else:
            for i in range(size):
                cells[np.uint32(places[i])] += 1


@compiled
def count_runs(
    runs: Places, codes: Codes, columns: Longs, steps: Longs, counts: Longs, cells: Longs
) -> tuple[int, int, int]:
    """Classes, classes of one row and squared sizes, where rows of one run share classes with no others.

    Runs lie together and ascend. A cell holds the run that last counted in it above its count, so that
    whatever an earlier run left is less than nothing of this one; all begin as nothing.
    """
    rows, places = codes.shape[1], np.empty(AT_ONCE, np.int32)
    classes, ones, squares, more = 0, 0, 0, 1
    for start in range(0, rows, AT_ONCE):
        size = min(AT_ONCE, rows - start)
        place(codes, columns, steps, start, size, places)
        for i in range(size):
            if counts.size:
                more = counts[start + i]
            base = np.int64(runs[start + i] + 1) << BITS
            known = max(cells[np.uint32(places[i])] - base, 0)
            classes += known == 0
            ones += (known == 0) * (more == 1) - (known == 1)
            squares += more * (2 * known + more)
            cells[np.uint32(places[i])] = base + known + more
    return classes, ones, squares
