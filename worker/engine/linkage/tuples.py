"""Original and released tuples by their costs, laid out for loops: a tree of the released ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from worker.engine.arrays import Longs
from worker.engine.linkage.costs import ANYTHING, NOTHING, Alike, Apart, Cost, Listed
from worker.engine.tables.column import Codes, Floats, Mask
from worker.engine.tables.frequency import FrequencyTable
from worker.engine.tables.keys import pack

if TYPE_CHECKING:
    from worker.engine.linkage.ranking_loops import Asked, Boxes, Own, Rule, Tree

BITS = 30
"""So many say which tuples are neighbours."""
CONSTANT = Alike(np.zeros(1, np.int32), np.zeros(1, np.int32), 0.0)
"""Stands in where every column holds numbers."""


@dataclass(frozen=True)
class Tuples:
    """Distinct tuples by the codes of their columns (tuples × columns), and how many rows have each."""

    codes: Codes
    counts: Longs

    @classmethod
    def of(cls, table: FrequencyTable) -> Tuples:
        """Those that were counted."""
        codes = np.column_stack(table.codes) if table.codes else np.zeros((len(table), 0))
        return cls(codes.astype(np.int32), table.counts)

    def __len__(self) -> int:
        return len(self.counts)


@dataclass(frozen=True)
class Layout:
    """The columns of categories, then those of numbers, and where each stood."""

    costs: tuple[Cost, ...]

    @cached_property
    def levels(self) -> tuple[int, ...]:
        """The columns of categories."""
        return tuple(i for i, one in enumerate(self.costs) if not isinstance(one, Apart))

    @cached_property
    def numbers(self) -> tuple[int, ...]:
        """The columns of numbers."""
        return tuple(i for i, one in enumerate(self.costs) if isinstance(one, Apart))

    @cached_property
    def branching(self) -> tuple[Listed | Alike, ...]:
        """What the levels of a tree cost; there is one at least."""
        found = (self.costs[i] for i in self.levels)
        return tuple(one for one in found if not isinstance(one, Apart)) or (CONSTANT,)

    @cached_property
    def measuring(self) -> tuple[Apart, ...]:
        """What numbers cost."""
        return tuple(one for one in self.costs if isinstance(one, Apart))

    def rule(self) -> Rule:
        """What is common to all tuples."""
        from worker.engine.linkage.ranking_loops import Rule

        listed = [one.costs.ravel() for one in self.branching if isinstance(one, Listed)]
        return Rule(
            np.concatenate([*listed, np.zeros(1)]),
            np.array([getattr(one, "miss", 0.0) for one in self.branching]),
            np.array([one.shape for one in self.measuring], np.int64),
            np.array([one.gone for one in self.measuring], np.float64),
        )

    def asked(self, codes: Codes) -> Asked:
        """Original tuples."""
        from worker.engine.linkage.ranking_loops import Asked

        lists = np.full((len(codes), len(self.branching)), -1, np.int64)
        values = np.zeros(lists.shape, np.int32)
        begins = 0
        for level, one in enumerate(self.branching):
            own = codes[:, self.levels[level]] if self.levels else np.zeros(len(codes), np.int32)
            if isinstance(one, Listed):
                lists[:, level] = begins + own * np.int64(one.costs.shape[1])
                begins += one.costs.size
            else:
                values[:, level] = one.was[own]
        parts = [
            _stacked([getattr(one, name)[codes[:, at]] for at, one in self._each], len(codes))
            for name in ("centres", "scales", "bases")
        ]
        return Asked(lists, values, self._least(codes), *parts)

    @property
    def _each(self) -> list[tuple[int, Apart]]:
        return list(zip(self.numbers, self.measuring, strict=True))

    def _least(self, codes: Codes) -> Floats:
        """What the levels from each one on and all numbers cost at least."""
        least = np.zeros((len(codes), len(self.branching) + 1))
        for at, one in self._each:
            least[:, -1] += np.minimum(one.bases[codes[:, at]], 0.0)
        for level in range(len(self.branching) - 1, -1, -1):
            least[:, level] = least[:, level + 1]
            one_level = self.branching[level]
            if isinstance(one_level, Listed):
                cheapest = one_level.costs.min(axis=1, initial=np.inf)
                least[:, level] += cheapest[codes[:, self.levels[level]]]
        return least

    def branches(self, codes: Codes) -> Codes:
        """The codes that released tuples have in the tree."""
        if not self.levels:
            return np.zeros((len(codes), 1), np.int32)
        made = [
            one.became[codes[:, at]] if isinstance(one, Alike) else codes[:, at]
            for at, one in zip(self.levels, self.branching, strict=True)
        ]
        return np.ascontiguousarray(np.column_stack(made).astype(np.int32))

    def places(self, codes: Codes) -> Floats:
        """Where released tuples stand among numbers."""
        return _stacked([one.places[codes[:, at]] for at, one in self._each], len(codes))

    def tree(self, released: Tuples, offsets: Floats) -> Tree:
        """The released tuples in the order of their branches; under each, neighbours by number together."""
        branches, places = self.branches(released.codes), self.places(released.codes)
        keys = [*(branches.T - min(ANYTHING, NOTHING)), self._neighbourhoods(released.codes)]
        sizes = [int(one.max(initial=0)) + 1 for one in keys]
        order = np.argsort(pack(keys, sizes, len(released)))
        counts, offsets = released.counts[order], offsets[order]
        return _planted(branches[order], places[order], counts, offsets, order)

    def _neighbourhoods(self, codes: Codes) -> Longs:
        """A number for each released tuple, near for near ones: the bits of its ranks by turns (Morton)."""
        found = np.zeros(len(codes), np.int64)
        width = len(self.numbers)
        for turn, (at, one) in enumerate(self._each):
            ranks = np.empty(len(one.places), np.int64)
            ranks[np.argsort(one.places)] = np.arange(len(ranks))
            own = (ranks * (1 << BITS // width) // max(len(ranks), 1))[codes[:, at]]
            for bit in range(BITS // width):
                found |= (own >> bit & 1) << (bit * width + turn)
        return found

    def own(self, codes: Codes, there: Mask, offsets: Floats) -> Own:
        """The released tuple of each target; whatever stands where there is none is not looked at."""
        from worker.engine.linkage.ranking_loops import Own

        return Own(self.branches(codes), self.places(codes), offsets, there)


def _stacked(columns: Sequence[Floats], rows: int) -> Floats:
    if not columns:
        return np.zeros((rows, 0))
    return np.ascontiguousarray(np.column_stack(columns).astype(np.float64))


def _planted(branches: Codes, places: Floats, counts: Longs, offsets: Floats, order: Longs) -> Tree:
    """Level by level: a node begins where any column up to its own changes."""
    from worker.engine.linkage.ranking_loops import Tree

    size, deep = len(branches), branches.shape[1] - 1
    changes = np.ones(size, bool)
    if size:
        changes[1:] = False
    starts = []
    for level in range(deep + 1):
        changes[1:] |= branches[1:, level] != branches[:-1, level]
        starts.append(np.flatnonzero(changes))
    sizes = [len(one) for one in starts]
    begins = np.cumsum([0, *sizes])
    first, last = [], []
    for level, own in enumerate(starts):
        below = starts[level + 1] if level < deep else None
        edges = np.append(own, size)
        cut = edges if below is None else begins[level + 1] + np.searchsorted(below, edges)
        first.append(cut[:-1])
        last.append(cut[1:])
    nodes = np.concatenate(starts)
    levels = np.repeat(np.arange(deep + 1), sizes)
    best = [np.minimum.reduceat(offsets, own) if size else np.zeros(0) for own in starts]
    codes = np.ascontiguousarray(branches[nodes, levels])
    return Tree(
        codes, levels, np.concatenate(first), np.concatenate(last), np.concatenate(best), sizes[0], deep,
        places, *_boxes(places, offsets), counts, offsets, order,
    )  # fmt: skip


def _boxes(places: Floats, offsets: Floats) -> tuple[Boxes, Boxes]:
    """Of few tuples each, and of many."""
    from worker.engine.linkage.ranking_loops import NARROW, WIDE, Boxes

    unknown = ~np.isfinite(places)
    lows, highs = np.where(unknown, -np.inf, places), np.where(unknown, np.inf, places)
    narrow = _reduced(Boxes(lows, highs, offsets), NARROW)
    return narrow, _reduced(narrow, WIDE // NARROW)


def _reduced(given: Boxes, number: int) -> Boxes:
    """So many in one."""
    starts = np.arange(0, len(given.best), number)
    if not len(starts):
        return given
    lows, best = (np.minimum.reduceat(one, starts, axis=0) for one in (given.lows, given.best))
    return given._replace(lows=lows, highs=np.maximum.reduceat(given.highs, starts, axis=0), best=best)
