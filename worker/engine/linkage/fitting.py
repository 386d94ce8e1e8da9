"""Which classes of a release fit people of whom some values are known.

Both sides are walked column by column, so that only beginnings that fit are followed: nobody is held against
every class.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from worker.engine.linkage.labels import Labels
from worker.engine.tables.classes import Ids
from worker.engine.tables.column import Mask
from worker.engine.tables.frequency import Counts, FrequencyTable
from worker.engine.tables.keys import among, distinct, group, places_in, totals

AT_ONCE = 1 << 21
"""So many pairs are looked at together."""


@dataclass(frozen=True)
class Fits:
    """Pairs, in ascending order: somebody's place in one table, and a class of another that fits."""

    people: Ids
    classes: Ids
    known: int
    number: int
    """How many tuples of people there are, and how many classes."""

    def held(self, sizes: Counts) -> Counts:
        """The rows, or persons, of all classes that fit each."""
        held: Counts = totals(self.people, sizes[self.classes], self.known)
        return held

    def fitting(self, people: Counts) -> Counts:
        """How many people fit each class."""
        fitting: Counts = totals(self.classes, people[self.people], self.number)
        return fitting

    def without(self, classes: Mask) -> Fits:
        """The same without some classes."""
        stay = ~classes[self.classes]
        return Fits(self.people[stay], self.classes[stay], self.known, self.number)

    def smallest(self, sizes: Counts) -> Ids:
        """The class that fits each, the smallest of several; -1 where none does."""
        order = np.lexsort((self.classes, sizes[self.classes], self.people))
        people, at = np.unique(self.people[order], return_index=True)
        found = np.full(self.known, -1, np.int64)
        found[people] = self.classes[order][at]
        return found

    def hold(self, people: Ids, classes: Ids) -> Mask:
        """Whether each of these pairs fits."""
        return among(people * self.number + classes, self._keys)

    @cached_property
    def _keys(self) -> Ids:
        return self.people * self.number + self.classes


def fits(people: FrequencyTable, classes: FrequencyTable, labels: Sequence[Labels]) -> Fits:
    """All pairs that fit; `labels` are those of each column, in the order of both tables."""
    known, coded = _Walk.over(people), _Walk.over(classes)
    at = here, there = np.zeros(1, np.int64), np.zeros(1, np.int64)
    for step, label, one in zip(known, coded, labels, strict=True):
        found = [_stepped(step, label, one, *some) for some in _portions(step, one, *at)]
        here, there = (np.concatenate(side) for side in zip(*found, strict=True))
        at = here, there
    order = np.lexsort((there, here))
    return Fits(here[order], there[order], len(people), len(classes))


@dataclass(frozen=True)
class _Walk:
    """One column of a table as steps from a beginning to a longer one; those of a beginning lie together."""

    starts: Ids
    codes: Ids
    keys: Ids
    size: int

    @classmethod
    def over(cls, table: FrequencyTable) -> Iterator[_Walk]:
        """The columns in their order; after the last one the beginnings are the tuples themselves."""
        ends, number = np.zeros(len(table), np.int64), 1
        for domain, codes in zip(table.domains, table.codes, strict=True):
            size = max(len(domain), 1)
            keys = ends * size + codes
            groups = group(keys)
            first = keys[groups.first]
            yield cls(np.searchsorted(first, np.arange(number + 1) * size), first % size, first, size)
            ends, number = groups.ids.astype(np.int64), groups.number


def _portions(step: _Walk, labels: Labels, here: Ids, there: Ids) -> Iterator[tuple[Ids, Ids]]:
    """The pairs so far, so many at a time as may be looked at together."""
    weight = np.append(0, np.cumsum(np.diff(labels.starts)[step.codes]))
    reach = np.cumsum(weight[step.starts[here + 1]] - weight[step.starts[here]])
    cuts = np.searchsorted(reach, np.arange(AT_ONCE, int(reach[-1]) if len(reach) else 0, AT_ONCE))
    cuts = distinct(np.concatenate([[0], cuts, [len(here)]]))
    for start, end in itertools.pairwise(cuts):
        yield here[start:end], there[start:end]
    if len(cuts) == 1:
        yield here, there


def _stepped(step: _Walk, coded: _Walk, labels: Labels, here: Ids, there: Ids) -> tuple[Ids, Ids]:
    """One column further: every next value of the people, with every label that covers it and comes next."""
    pair, onward = _spread(step.starts[here], step.starts[here + 1])
    values = step.codes[onward]
    again, label = _spread(labels.starts[values], labels.starts[values + 1])
    keys = there[pair[again]] * coded.size + labels.labels[label]
    there_is = among(keys, coded.keys)
    return onward[again[there_is]], places_in(coded.keys, keys[there_is])


def _spread(starts: Ids, ends: Ids) -> tuple[Ids, Ids]:
    """Every number of every range, with the range that it is from."""
    lengths = ends - starts
    which = np.repeat(np.arange(len(starts)), lengths)
    before = np.cumsum(lengths) - lengths
    return which, np.arange(len(which)) - before[which] + starts[which]
