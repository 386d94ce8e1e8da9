"""Three attackers who know the original quasi-identifiers of a person, and pick a released row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from worker.engine.arrays import Longs
from worker.engine.linkage.costs import Cost, stars
from worker.engine.linkage.distances import gower, nearest_standings, points
from worker.engine.linkage.likelihoods import highest_belief, mean_likelihoods
from worker.engine.linkage.mechanisms import likelihood
from worker.engine.linkage.quasi_identifiers import Key
from worker.engine.linkage.tuples import Layout, Tuples
from worker.engine.randomness import Source
from worker.engine.tables.column import Codes, Floats, Mask
from worker.engine.tables.keys import pack
from worker.engine.tables.table import Rows

NORMAL = 1.959963984540054
"""Of a normal distribution 95 % lie within so many deviations."""


@dataclass(frozen=True)
class Standings:
    """For each target the rows that its attacker prefers to its own, and those as good, its own included."""

    before: Longs
    level: Longs

    def among(self, first: int) -> Floats:
        """The probability that its own row is among so many picked first; ties are divided."""
        left = np.clip(first - self.before, 0, None)
        return np.minimum(np.divide(left, self.level, out=np.zeros(len(left)), where=self.level > 0), 1.0)


@dataclass(frozen=True)
class Release:
    """Targets by the codes of what they were and what became of them, among all original and released rows.

    `rows` are their numbers in the input. Those whose row is not `there` were left out or suppressed.
    """

    keys: tuple[Key, ...]
    originals: Tuples
    released: Tuples
    targets: Codes
    became: Codes
    there: Mask
    source: Source
    most: int
    rows: Rows

    @classmethod
    def of(
        cls, keys: tuple[Key, ...], originals: Tuples, released: Tuples, targets: Codes, became: Codes,
        source: Source, most: int, rows: Rows,
    ) -> Release:  # fmt: skip
        """Suppressed rows, `*` in every column, are nobody's to be picked."""
        shown = ~_hidden(keys, released.codes)
        there = (became >= 0).all(axis=1) & ~_hidden(keys, np.maximum(became, 0))
        left = Tuples(released.codes[shown], released.counts[shown])
        return cls(keys, originals, left, targets, became, there, source, most, rows)

    def standings(self) -> tuple[Standings, Standings, Standings]:
        """Of all three."""
        return self.nearest(), self.informed(), self.informed_of_others()

    def nearest(self) -> Standings:
        """By distance: numbers alone in deviations of the original, mixed columns by Gower."""
        if not all(key.is_complete for key in self.keys) or not len(self.released):
            return self._standings(gower(self.keys), np.zeros(len(self.released)))
        here = points(self.keys, self.targets, False)
        released, own = (points(self.keys, one, True) for one in (self.released.codes, self._own))
        found = nearest_standings(released, self.released.counts, here, own, self.there, self.most)
        return Standings(found[:, 0], found[:, 1])

    def informed(self) -> Standings:
        """By the likelihood under the mechanism."""
        return self._standings(self.costs, np.zeros(len(self.released)))

    def informed_of_others(self) -> Standings:
        """By the likelihood over how likely the row is anyway."""
        with np.errstate(divide="ignore"):
            offsets = np.log(self.mean)
        return self._standings(self.costs, np.where(self.mean > 0, offsets, np.inf))

    def highest_belief(self) -> float | None:
        """The highest posterior that the last of them has for one row."""
        return highest_belief(self.costs, self.targets, self.released, self.mean)

    @cached_property
    def costs(self) -> tuple[Cost, ...]:
        """−ln of the likelihoods."""
        return tuple(likelihood(key) for key in self.keys)

    @cached_property
    def mean(self) -> Floats:
        """How likely each released tuple is, whomever it comes from."""
        return mean_likelihoods(self.costs, self.originals, self.released, self.source)

    @cached_property
    def _own(self) -> Codes:
        """What became of each target; any tuple where there is none."""
        return np.where(self.there[:, None], self.became, 0).astype(np.int32)

    @cached_property
    def _places(self) -> Longs:
        """Where the tuple of each target stands among the released ones."""
        sizes = [len(key.became) for key in self.keys]
        both = np.concatenate([self.released.codes, self._own])
        packed = pack(list(both.T), sizes, len(both))
        known, mine = np.split(packed, [len(self.released)])
        order = np.argsort(known, kind="stable")
        at = np.searchsorted(known[order], mine)
        return np.asarray(order[np.minimum(at, len(order) - 1)], np.int64)

    def _standings(self, costs: Sequence[Cost], offsets: Floats) -> Standings:
        if not len(self.released) or not self.there.any():
            return Standings(np.full(len(self.targets), self.most), np.zeros(len(self.targets), np.int64))
        from worker.engine.linkage.ranking_loops import Room, own_costs, standings

        layout = Layout(tuple(costs))
        rule, asked = layout.rule(), layout.asked(self.targets)
        own = layout.own(self._own, self.there, offsets[self._places])
        tree, mine = layout.tree(self.released, offsets), np.full(len(self.targets), np.inf)
        own_costs(rule, asked, own, mine)
        found = np.full((len(self.targets), 2), self.most)
        standings(rule, asked, tree, own, mine, self.most, Room.of(tree), found)
        return Standings(found[:, 0], found[:, 1])


def _hidden(keys: Sequence[Key], codes: Codes) -> Mask:
    marked = [stars(key.became)[codes[:, at]] for at, key in enumerate(keys) if len(key.became)]
    return np.logical_and.reduce(marked) if marked else np.zeros(len(codes), bool)


def wilson(share: float, number: int) -> tuple[float, float]:
    """The interval of Wilson, 95 %, for a share found in so many."""
    if not number:
        return 0.0, 1.0
    spread = NORMAL**2 / number
    centre = (share + spread / 2) / (1 + spread)
    half = NORMAL * np.sqrt(share * (1 - share) / number + spread / number / 4) / (1 + spread)
    return max(float(centre - half), 0.0), min(float(centre + half), 1.0)
