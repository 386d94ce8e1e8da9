"""Each class's distribution of a sensitive column beside that of the whole table, in whole numbers.

With f of the n in a class and F of the N in the table holding a value, p = f/n and q = F/N. Differences are
kept as N·f − n·F and divided once at the end, so that the order of summation never decides.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from worker.engine.tables.classes import Classes, Ids
from worker.engine.tables.column import Codes, Floats
from worker.engine.tables.frequency import Counts
from worker.engine.tables.keys import group

BLOCK_CELLS = 4_000_000


@dataclass(frozen=True)
class Comparison:
    """One entry per value that occurs in a class: its class, code, f and F; n per class, N in all."""

    ids: Ids
    codes: Codes
    inside: Counts
    whole: Counts
    sizes: Counts
    total: int
    overall: Counts

    @property
    def number(self) -> int:
        """How many classes there are."""
        return len(self.sizes)

    @property
    def scaled_inside(self) -> Counts:
        """N·f of each entry."""
        return self.inside * np.int64(self.total)

    @property
    def scaled_whole(self) -> Counts:
        """n·F of each entry."""
        return self.sizes[self.ids] * self.whole


def compared(classes: Classes, column: str) -> Comparison:
    """The classes against the table they belong to."""
    contents, overall = classes.contents(column), classes.overall(column)
    sizes = np.zeros(classes.number, np.int64)
    np.add.at(sizes, contents.ids, contents.counts)
    total = int(overall.sum())
    whole = overall[contents.codes]
    return Comparison(contents.ids, contents.codes, contents.counts, whole, sizes, total, overall)


def tree_distance(one: Comparison, levels: Sequence[Codes]) -> Floats:
    """Earth mover's distance over a tree of height h, two values costing (level where they meet) / h.

    `levels[l]` leads from values to their groups at level l, for every level below the root. With the values
    alone as levels it is half the sum of |p − q|, the distance in which all values are equally far apart.
    """
    apart = np.zeros(one.number)
    for groups in levels:
        apart += _apart(one, groups)
    return _divided(apart, 2.0 * len(levels) * one.sizes * one.total)


def _apart(one: Comparison, groups: Codes) -> Floats:
    """Σ |N·f − n·F| over the groups."""
    size = int(groups.max(initial=0)) + 1
    overall = np.zeros(size, np.int64)
    np.add.at(overall, groups, one.overall)
    pairs = group(one.ids * size + groups[one.codes])
    ids, inside = one.ids[pairs.first], pairs.sum(one.inside)
    whole = overall[groups[one.codes[pairs.first]]]
    differences: Any = np.abs(inside * np.int64(one.total) - one.sizes[ids] * whole)
    covered = np.zeros(one.number, np.int64)
    np.add.at(covered, ids, whole)
    apart = np.bincount(ids, weights=differences, minlength=one.number).astype(np.float64)
    return apart + one.sizes * (one.total - covered)


def places(one: Comparison, ranks: Codes) -> tuple[Ids, Counts]:
    """The place of each value among those that occur, and how often the value at each place occurs."""
    present = np.flatnonzero(one.overall)
    place = np.zeros(len(one.overall), np.int64)
    place[present[np.argsort(ranks[present], kind="stable")]] = np.arange(len(present))
    overall = np.zeros(len(present), np.int64)
    overall[place[present]] = one.overall[present]
    return place, overall


def ordered_distance(one: Comparison, ranks: Codes) -> Floats:
    """Σ |cumulative (p − q)| / (m − 1) over the m values that occur, by rank."""
    place, overall = places(one, ranks)
    if len(overall) < 2:
        return np.zeros(one.number)
    apart = np.zeros(one.number)
    step = max(1, BLOCK_CELLS // len(overall))
    starts = np.searchsorted(one.ids, np.arange(0, one.number + step, step))
    for block, first in enumerate(range(0, one.number, step)):
        last = min(first + step, one.number)
        flows = -one.sizes[first:last, None] * overall[None, :]
        entries = slice(starts[block], starts[block + 1])
        flows[one.ids[entries] - first, place[one.codes[entries]]] += one.scaled_inside[entries]
        apart[first:last] = np.abs(np.cumsum(flows, axis=1)).astype(np.float64).sum(axis=1)
    return _divided(apart, (len(overall) - 1.0) * one.sizes * one.total)


def _divided(apart: Floats, scale: Any) -> Floats:
    divided: Floats = np.divide(apart, scale, out=np.zeros_like(apart), where=scale > 0)
    return divided
