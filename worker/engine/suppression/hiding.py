"""Hide as few cells as possible until every row agrees with k rows, where a hidden cell agrees with anything.

Of a row that is too rare, the cheapest set of cells is hidden that makes it agree with enough others. Of all
such rows those come first whose hiding helps other rare rows most, because a hidden cell makes others agree
with the row too. In the end every cell that need not be hidden any more is shown again.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from worker.engine.arrays import Longs
from worker.engine.kernels.compiled import compiled
from worker.engine.tables.column import Codes, Floats, Mask
from worker.engine.tables.frequency import Counts

"""Sets of columns as bits, one per tuple."""
_Table = np.ndarray[tuple[int, int], np.dtype[np.int32]]

MOST_WORK = 5_000_000_000
"""Comparisons of cells; a table that would take more is left to a simpler way."""
TURNS = 4
"""A row is looked at so many times, on average."""


def is_feasible(rare: int, tuples: int, columns: int) -> bool:
    """Whether so many rare tuples can be compared with all others in a reasonable time."""
    return TURNS * rare * (tuples * columns + (columns << columns)) <= MOST_WORK


def hidden_cells(
    columns: Sequence[Codes],
    wild: Sequence[Mask],
    counts: Counts,
    agreeing: Counts,
    k: int,
    weights: Sequence[float],
    progress: Callable[[float], None],
) -> list[Mask]:
    """For each column, the tuples whose cell is hidden.

    `wild` marks cells that agree with anything already, `agreeing` is the number of rows that each tuple
    agrees with, `weights` what it costs to hide a cell of each column. A tuple of which nothing is left to
    show is suppressed: it agrees with nobody any more.
    """
    table = np.ascontiguousarray(np.column_stack(columns).astype(np.int32))
    shown_wild = sum((one.astype(np.int64) << at for at, one in enumerate(wild)), np.int64(0))
    work = _Work(table, np.asarray(shown_wild, np.int64), counts.astype(np.int64), agreeing, k, weights)
    work.run(progress)
    work.restore()
    return [(work.hidden >> at & 1 == 1) & (work.gone | ~one) for at, one in enumerate(wild)]


class _Work:
    def __init__(
        self, table: _Table, wild: Longs, counts: Counts, agreeing: Counts, k: int, weights: Sequence[float]
    ) -> None:
        self._table, self._wild, self._counts = table, wild, counts
        self._k = k
        self.hidden = wild.copy()
        self._agreeing = agreeing.astype(np.int64).copy()
        self.gone = np.zeros(len(table), bool)
        self._weights = np.asarray(weights, np.float64)
        sets = np.arange(1 << len(weights))[:, None] >> np.arange(len(weights)) & 1
        self._cost: Floats = np.asarray(sets @ self._weights, np.float64)

    def run(self, progress: Callable[[float], None]) -> None:
        """Hide until no tuple is rare. Scores only fall when others are helped, but for few: look again."""
        heap = [(-np.inf, i) for i in np.flatnonzero(self._rare()).tolist()]
        first, done = max(len(heap), 1), 0
        while heap:
            stale, i = heapq.heappop(heap)
            if self.gone[i] or self._agreeing[i] >= self._k:
                continue
            score, cells = self._best(i)
            if heap and -score > heap[0][0] and -score > stale:
                heapq.heappush(heap, (-score, i))
                continue
            for other in self._hide(i, cells):
                heapq.heappush(heap, (-np.inf, other))
            done += 1
            progress(min(done / first, 1.0) * 0.9)

    def restore(self) -> None:
        """Show again what need not be hidden, the cells that cost most first."""
        costs = self._counts[:, None] * self._weights
        bits = self.hidden[:, None] >> np.arange(len(self._weights)) & 1
        bits &= ~(self._wild[:, None] >> np.arange(len(self._weights))) & 1
        bits[self.gone] = 0
        tuples, columns = np.nonzero(bits)
        order = np.argsort(-costs[tuples, columns], kind="stable")
        _restore(
            self._table, self.hidden, self.gone, self._counts, self._agreeing, self._k,
            tuples[order], columns[order],
        )  # fmt: skip

    def _rare(self) -> Mask:
        return (self._agreeing < self._k) & ~self.gone

    def _best(self, i: int) -> tuple[float, int]:
        score, cells = _cheapest(
            self._table, self.hidden, self.gone, self._counts, self._agreeing, self._k, i, self._cost
        )
        return float(score), int(cells)

    def _hide(self, i: int, cells: int) -> list[int]:
        """Hide these cells of a tuple; tuples that became rare because it is gone."""
        everything = (1 << len(self._weights)) - 1
        cells = cells or everything & ~int(self.hidden[i])
        _hide(self._table, self.hidden, self.gone, self._counts, self._agreeing, i, cells)
        if self.hidden[i] != everything:
            return []
        before = self._rare()
        _forget(self.gone, self._counts, self._agreeing, i)
        self.gone[i] = True
        return np.flatnonzero(self._rare() & ~before).tolist()


@compiled
def _difference(table: _Table, hidden: Longs, i: int, j: int) -> Any:
    """The columns in which two tuples both show a value, and not the same."""
    bits = 0
    for column in range(table.shape[1]):
        if table[i, column] != table[j, column]:
            bits |= 1 << column
    return np.int64(bits) & ~(hidden[i] | hidden[j])


@compiled
def _summed(values: Any, columns: int) -> None:
    """Of every set, the sum over its subsets."""
    for column in range(columns):
        for cells in range(1 << columns):
            if cells >> column & 1:
                values[cells] += values[cells ^ (1 << column)]


@compiled
def _cheapest(
    table: _Table,
    hidden: Longs,
    gone: Mask,
    counts: Counts,
    agreeing: Counts,
    k: int,
    i: int,
    cost: Floats,
) -> tuple[float, int]:
    """The cheapest set of cells that helps a tuple, of equals the one that helps others most; and its gain
    in rows that are missing somewhere, for its cost. No set: 0."""
    columns = table.shape[1]
    there = np.zeros(1 << columns, np.int64)
    gained = np.zeros(1 << columns)
    for j in range(len(table)):
        if gone[j]:
            continue
        cells = _difference(table, hidden, i, j)
        there[cells] += counts[j]
        if cells != 0 and agreeing[j] < k:
            gained[cells] += min(k - agreeing[j], counts[i]) * counts[j]
    _summed(there, columns)
    _summed(gained, columns)
    least, most, chosen = np.inf, -1.0, 0
    for cells in range(1, len(there)):
        if cells & hidden[i] or there[cells] < k or (cells | hidden[i]) == len(there) - 1:
            continue
        if cost[cells] < least or (cost[cells] == least and gained[cells] > most):
            least, most, chosen = cost[cells], gained[cells], cells
    if chosen == 0:
        return 0.0, 0
    return ((k - agreeing[i]) * counts[i] + most) / (least * counts[i]), chosen


@compiled
def _hide(
    table: _Table, hidden: Longs, gone: Mask, counts: Counts, agreeing: Counts, i: int, cells: int
) -> None:
    for j in range(len(table)):
        between = _difference(table, hidden, i, j)
        if between != 0 and not between & ~cells and not gone[j]:
            agreeing[i] += counts[j]
            agreeing[j] += counts[i]
    hidden[i] |= cells


@compiled
def _forget(gone: Mask, counts: Counts, agreeing: Counts, i: int) -> None:
    """A tuple that shows nothing agrees with all; now it leaves them."""
    for j in range(len(gone)):
        if j != i and not gone[j]:
            agreeing[j] -= counts[i]


@compiled
def _restore(
    table: _Table,
    hidden: Longs,
    gone: Mask,
    counts: Counts,
    agreeing: Counts,
    k: int,
    tuples: Any,
    columns: Any,
) -> None:
    lost = np.empty(len(table), np.int64)
    for at in range(len(tuples)):
        i, bit = tuples[at], np.int64(1) << columns[at]
        number, rows, may = 0, 0, True
        for j in range(len(table)):
            if gone[j] or hidden[j] & bit or table[i, columns[at]] == table[j, columns[at]]:
                continue
            if _difference(table, hidden, i, j) == 0:
                lost[number] = j
                number += 1
                rows += counts[j]
                may = may and agreeing[j] - counts[i] >= k
        if not may or agreeing[i] - rows < k:
            continue
        hidden[i] &= ~bit
        agreeing[i] -= rows
        for one in range(number):
            agreeing[lost[one]] -= counts[i]
