"""Regions of a table that all satisfy the goals, as small as greedy cuts make them (LeFevre et al. 2006).

The widest column is cut first. A cut stands when every part satisfies every goal by itself. What the goals
say of the release as a whole is asked at the end: where they are not met, the last cuts are taken back.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from worker.engine.arrays import Longs
from worker.engine.contracts.goal import Goal
from worker.engine.mondrian.axes import Axis, laid_out
from worker.engine.mondrian.cutting import Axes, Open, Room, Rows, propose
from worker.engine.tables.classes import Classes
from worker.engine.tables.column import Codes, Mask
from worker.engine.tables.frequency import FrequencyTable
from worker.engine.tables.keys import distinct

Labelled = Callable[["Leaves"], tuple[Classes, Classes | None]]
"""The classes as they would be released, with what would count as suppressed rows."""


class Leaves:
    """Regions that cover all rows: the spans they take in the present order of the rows."""

    def __init__(self, number: Codes, starts: Longs, nodes: Longs) -> None:
        order = np.argsort(starts)
        self.starts, self.nodes = starts[order], nodes[order]
        self.order = number
        sizes = np.diff(np.append(self.starts, len(number)))
        self.of: Codes = np.empty(len(number), np.int32)
        self.of[number] = np.repeat(np.arange(len(self.starts), dtype=np.int32), sizes)

    def __len__(self) -> int:
        return len(self.starts)


class Regions:
    """All rows as one region, which is cut again and again."""

    def __init__(
        self, table: FrequencyTable, axes: Sequence[Axis], goals: Sequence[Goal], relaxed: bool
    ) -> None:
        """The first columns of the table are those of the axes."""
        size = len(table)
        self._table, self._relaxed = table, relaxed
        self._height = [axis.height for axis in axes]
        sizes = [one for goal in goals if (one := goal.least_size) is not None]
        self._smallest = max(sizes, default=1)
        by_rows = table.persons is None
        self._judged = tuple(goal for goal in goals if goal.least_size is None or not by_rows)
        codes = [axis.codes[column] for axis, column in zip(axes, table.codes, strict=False)]
        self._rows = Rows(
            np.array(codes, np.int32).reshape(len(axes), size).T.copy(),
            np.arange(size, dtype=np.int32),
            table.counts.astype(np.int64),
        )
        self._axes = Axes(*laid_out(axes))
        most = max(4 * size + 65, *(len(axis.domain) + 1 for axis in axes))
        self._room = _room(self._rows, most)
        self._start, self._end, self._parent = [np.array([0])], [np.array([size])], [np.array([-1])]
        self._nodes = 1

    def cut(self, progress: Callable[[float], None]) -> Leaves:
        """Cut until nothing can be cut any more."""
        size = len(self._table)
        if not size:
            return self._leaves(np.zeros(0, np.int64))
        levels = np.array([self._height], np.int64)
        regions = Open(np.array([0]), np.array([size]), levels, np.zeros(1, np.int64))
        nodes, finished, done = np.zeros(1, np.int64), [], 0
        while len(regions.start):
            ends, cut = np.empty(size, np.int64), np.zeros(len(regions.start), np.int64)
            parts = propose(
                self._rows, self._axes, regions, self._smallest, self._relaxed, self._room, ends, cut
            )
            uncut = parts == 0
            finished.append(nodes[uncut])
            done += int((regions.end - regions.start)[uncut].sum())
            progress(done / size)
            regions, nodes = self._opened(regions, nodes, parts, ends, cut)
        return self._leaves(np.concatenate(finished))

    def _opened(
        self, regions: Open, nodes: Longs, parts: Longs, ends: Longs, cut: Longs
    ) -> tuple[Open, Longs]:
        """The parts of the cuts that stand, and the regions whose cut was refused."""
        owner = np.repeat(np.arange(len(parts)), parts)
        ends = ends[: len(owner)]
        first = np.append(True, np.diff(owner) != 0)[: len(owner)]
        starts = np.where(first, regions.start[owner], np.append(0, ends[:-1])[: len(owner)])
        refused = np.zeros(len(parts), bool)
        refused[owner[self._bad(starts, ends)]] = True
        stands = ~refused[owner]
        owner, starts, ends = owner[stands], starts[stands], ends[stands]
        levels = regions.levels[owner]
        trees = self._axes.is_tree[cut[owner]] == 1
        levels[np.flatnonzero(trees), cut[owner][trees]] -= 1
        made = self._remember(starts, ends, nodes[owner])
        again = np.flatnonzero(refused)
        joined = Open(
            np.concatenate([regions.start[again], starts]),
            np.concatenate([regions.end[again], ends]),
            np.concatenate([regions.levels[again], levels]),
            np.concatenate([regions.tried[again], np.zeros(len(starts), np.int64)]),
        )
        return joined, np.concatenate([nodes[again], made])

    def _bad(self, starts: Longs, ends: Longs) -> Mask:
        """Which of these spans violate a goal by themselves."""
        bad = np.zeros(len(starts), bool)
        if self._judged and len(starts):
            ids = np.full(len(self._table), -1, np.int64)
            lengths = ends - starts
            within = np.arange(lengths.sum()) - np.repeat(np.cumsum(lengths) - lengths, lengths)
            ids[self._rows.number[np.repeat(starts, lengths) + within]] = np.repeat(
                np.arange(len(starts)), lengths
            )
            classes = Classes(self._table, ids, len(starts))
            for goal in self._judged:
                bad |= goal.violating(classes)
        return bad

    def _remember(self, starts: Longs, ends: Longs, parents: Longs) -> Longs:
        self._start.append(starts)
        self._end.append(ends)
        self._parent.append(parents)
        self._nodes += len(starts)
        return np.arange(self._nodes - len(starts), self._nodes)

    def _leaves(self, nodes: Longs) -> Leaves:
        return Leaves(self._rows.number.copy(), np.concatenate(self._start)[nodes], nodes)

    def uncut(self) -> Leaves:
        """All rows as one region."""
        return self._leaves(np.zeros(1, np.int64))

    def mend(self, leaves: Leaves, goals: Sequence[Goal], labelled: Labelled) -> Leaves | None:
        """Take cuts back until the release satisfies the goals. None when even one region does not."""
        if len(leaves) > 1 and all(goal.least_size is not None for goal in goals):
            return leaves  # whatever falls together under one label only grows
        while True:
            bad = unsatisfied(leaves, goals, *labelled(leaves))
            if not bad.any():
                return leaves
            if len(leaves) == 1:
                return None
            leaves = self._joined(leaves, bad)

    def _joined(self, leaves: Leaves, bad: Mask) -> Leaves:
        """The regions that these leaves were cut from, in place of all that lies within them."""
        start, end, parent = (np.concatenate(one) for one in (self._start, self._end, self._parent))
        again = distinct(parent[leaves.nodes[bad]])
        again = again[again >= 0]
        # widest first: of regions within one another only the outermost counts
        again = again[np.argsort(start[again] - end[again], kind="stable")]
        covered = np.zeros(len(self._table) + 1, np.int64)
        outer = []
        for node in again.tolist():
            if not covered[start[node]]:
                covered[start[node] : end[node]] = 1
                outer.append(node)
        kept = leaves.nodes[covered[start[leaves.nodes]] == 0]
        return self._leaves(np.concatenate([kept, np.array(outer, np.int64)]))


def _room(rows: Rows, most: int) -> Room:
    size = len(rows.number)
    return Room(
        np.empty(size, np.int32),
        np.zeros(size + 1, np.int64),
        np.zeros(size + 1, np.int64),
        np.zeros(most, np.int64),
        Rows(np.empty_like(rows.codes), np.empty_like(rows.number), np.empty_like(rows.weight)),
    )


def unsatisfied(leaves: Leaves, goals: Sequence[Goal], classes: Classes, suppressed: Classes | None) -> Mask:
    """Which leaves belong to a class that cannot stay as it is."""
    bad = np.zeros(len(leaves), bool)
    for goal in goals:
        _mark(bad, leaves, classes, goal.violating(classes) | ~goal.spared(classes))
        if suppressed is not None:  # they stay, so they have to meet the goals as a set
            wrong = goal.violating(suppressed) | (not goal.met(suppressed))
            _mark(bad, leaves, suppressed, wrong)
    return bad


def _mark(bad: Mask, leaves: Leaves, classes: Classes, wrong: Mask) -> None:
    rows = np.flatnonzero(classes.ids >= 0)
    bad[leaves.of[rows[wrong[classes.ids[rows]]]]] = True
