"""Searching a table that is longer than memory allows: its keys are read piece by piece.

A node is looked at by grouping all keys there, or somewhat below, which makes a snapshot; from then on it,
and what is more general, is counted from that. Snapshots too are kept outside memory. Where the groups of a
node do not fit, they are counted a share at a time, as long as it takes to see that too many rows would go.
Where that is likely, some shares are looked at before anything else is tried.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np

from worker.engine.arrays import Longs
from worker.engine.errors import LimitExceeded
from worker.engine.kernels.compiled import prepare
from worker.engine.search.adding import add_keys, room_for_found
from worker.engine.search.coding import Keys
from worker.engine.search.grouping import set_masks, table_bits
from worker.engine.search.packing import pack
from worker.engine.search.snapshots import SLOTS, Table
from worker.engine.search.state import State, Task
from worker.engine.tables.long_table import Arrays, LongTable, put_away, taken_out
from worker.engine.tables.scratch import Shelf
from worker.engine.wording import thousands

BYTES_PER_KEY = 16
FULL = 0.9
"""Shares are cut so that each fills its room to this part."""
SPARSE = 2
"""Too many rows probably go where classes hold on average fewer than so many times the rows they must."""
MOST_SHARES = 32
AT_ONCE = 1 << 19
"""Keys put away together: copies are made of them on the way."""
MOST_KEPT = 256
"""Snapshots outside memory."""


class Kept(NamedTuple):
    """A snapshot outside memory."""

    levels: Longs
    number: int
    pieces: list[Arrays]


class Base:
    """The keys of a long table, and room for `most` groups of them."""

    def __init__(self, table: LongTable, keys: Keys, most: int) -> None:
        self.most, self._coding, self.rows = most, keys.coding, table.rows
        self._shelf = Shelf(BYTES_PER_KEY * most)
        self._kept: list[Arrays] = []
        self.size = 0
        self._likely = most / 2
        self._snapshots: list[Kept] = []
        for piece in table.pieces():
            self._kept.append(
                put_away(self._shelf, [*pack(piece.codes, keys), piece.counts.astype(np.int32)])
            )
            self.size += len(piece)
        self._found = room_for_found(keys.words, most, table_bits(most))

    def prepare(self, levels: Longs) -> None:
        """Compile or load what counts keys, before the clock of a search begins."""
        found = self._found
        prepare(set_masks, self._coding, levels, False, found.masks)
        prepare(add_keys, self._coding, levels, False, found.table, 0, 1, found)

    def pieces(self) -> Iterator[Table]:
        """All keys with their rows."""
        return map(self._taken, self._kept)

    def _taken(self, kept: Arrays) -> Table:
        *words, rows = taken_out(self._shelf, kept)
        return Table(np.stack(words), rows.copy())  # loops are compiled for arrays that may be written

    def fetch(self, task: Task, state: State, levels: Longs, checkpoint: Callable[[], None]) -> int | None:
        """Make a snapshot from which these levels can be counted; None when it is there.

        Otherwise so many rows have to go there and everywhere below, which is more than may.
        """
        if (kept := self._kept_below(levels)) is not None:
            self._show(state, kept.levels, kept.number, map(self._taken, kept.pieces))
            return None
        if self._seems_sparse(task, levels) and (rows := self._hopeless(task, levels, checkpoint)):
            return rows
        finer = self._finer(task, state.shape.lowest, levels)
        for at in (finer, levels):
            if self._group(at, not task.sizes_only, 0, 1, checkpoint):
                self._snapshot(state, at)
                return None
            if at is levels or (finer == levels).all():
                break
            self._likely /= 2  # it was too much
        shares = self._shares(1) if task.smallest > 1 else 0
        if (rows := self._small_rows(task, levels, range(shares), shares, checkpoint)) > task.limit:
            return rows
        text = (
            f"The memory limit does not allow weighing releases of more than {thousands(self.most)} "
            "classes, each "
            "with its sensitive values. Allow more memory, or raise the lowest levels of some columns."
        )
        raise LimitExceeded("memory", text)

    def _seems_sparse(self, task: Task, levels: Longs) -> bool:
        expected = self._expected(_bits(task.costs.entropy, levels))
        return task.smallest > 1 and self.rows < SPARSE * task.smallest * expected

    def _hopeless(self, task: Task, levels: Longs, checkpoint: Callable[[], None]) -> int:
        """The rows that go, when the shares that hold twice as many as may go show that it is more."""
        shares = self._shares(min(self.rows // max(2 * task.limit, 1), MOST_SHARES))
        some = range(min(2 * task.limit * shares // self.rows + 1, shares))
        rows = self._small_rows(task, levels, some, shares, checkpoint)
        return rows if rows > task.limit else 0

    def _shares(self, least: int) -> int:
        """Into how many shares the groups are cut, so that each fits."""
        return max(int(self.size / (FULL * self.most)) + 1, least)

    def _finer(self, task: Task, lowest: Longs, levels: Longs) -> Longs:
        """How far below the levels the groups are still few: from there more nodes can be counted later."""
        entropy, found = task.costs.entropy, levels.copy()
        bits = _bits(entropy, levels)
        while True:
            steps = [
                (float(entropy[column, level - 1] - entropy[column, level]), column)
                for column, level in enumerate(found)
                if level > lowest[column]
            ]
            more, column = min(steps, default=(0.0, -1))
            if column < 0 or self._expected(bits + more) > self._likely:
                return found
            bits, found[column] = bits + more, found[column] - 1

    def _expected(self, bits: float) -> float:
        """How many values of so much entropy so many rows hold, about."""
        cells = 2.0 ** min(bits, 60.0)
        return cells * -math.expm1(-self.rows / cells)

    def _group(
        self, levels: Longs, fine: bool, share: int, shares: int, checkpoint: Callable[[], None]
    ) -> bool:
        """Count the groups of a share; False when they do not fit."""
        found = self._found
        found.number[0] = 0
        found.slots[:] = -1
        tables = set_masks(self._coding, levels, fine, found.masks)
        for piece in self.pieces():
            checkpoint()
            if not add_keys(self._coding, levels, tables, piece, share, shares, found):
                return False
        return True

    def _small_rows(
        self, task: Task, levels: Longs, some: range, shares: int, checkpoint: Callable[[], None]
    ) -> int:
        """The rows of some shares in too small classes; when they are too many, an estimate of all."""
        rows = 0
        for share in some:
            if not self._group(levels, False, share, shares, checkpoint):
                return 0
            sizes = self._found.table.rows[: int(self._found.number[0])]
            rows += int(sizes[sizes < task.smallest].sum(dtype=np.int64))
            if rows > task.limit:
                return rows * shares // (share + 1)
        return rows

    def _kept_below(self, levels: Longs) -> Kept | None:
        """The smallest snapshot from which these levels can be counted."""
        fitting = [kept for kept in self._snapshots if (kept.levels <= levels).all()]
        return min(fitting, key=lambda one: one.number, default=None)

    def _snapshot(self, state: State, levels: Longs) -> None:
        """Count from what was counted last, which is put away too."""
        number, (keys, rows) = int(self._found.number[0]), self._found.table
        self._show(state, levels, number, [Table(keys[:, :number], rows[:number])])
        if len(self._snapshots) < MOST_KEPT:
            cuts = (slice(start, min(start + AT_ONCE, number)) for start in range(0, number, AT_ONCE))
            pieces = [put_away(self._shelf, [*keys[:, cut], rows[cut]]) for cut in cuts]
            self._snapshots.append(Kept(levels, number, pieces))

    def _show(self, state: State, levels: Longs, number: int, pieces: Iterable[Table]) -> None:
        """Let the search count from a snapshot."""
        pool = state.pool
        if pool.state[0] == SLOTS or pool.state[1] + number > len(pool.table.rows):
            pool.state[:2] = 1, 0  # makes room: what is needed again is shown again
        at, slot = int(pool.state[1]), int(pool.state[0])
        pool.low[slot], pool.high[slot] = at, at + number
        for piece in pieces:
            to = slice(at, at + len(piece.rows))
            pool.table.keys[:, to], pool.table.rows[to] = piece.keys, piece.rows
            at = to.stop
        pool.levels[slot], pool.meet[slot], pool.uses[slot] = levels, 1 << 30, 0
        pool.state[:2] += 1, number


def _bits(entropy: np.ndarray[Any, np.dtype[np.float64]], levels: Longs) -> float:
    """The entropy of the columns at their levels, as if none knew of another."""
    return sum(float(entropy[column, level]) for column, level in enumerate(levels))
