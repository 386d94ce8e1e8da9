"""Counting sets of columns with many values: what a part of a set tells apart need not be looked at again.

A combination that is alone in its class stays so whatever column is added; only the others are grouped anew.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from worker.engine.scan.rows import Rows
from worker.engine.scan.told_apart import NOTHING, Names, Tally, squared, tallied
from worker.engine.tables.classes import Ids
from worker.engine.tables.column import Codes
from worker.engine.tables.frequency import Counts
from worker.engine.tables.keys import Keys, distinct, group, grouped, pack


@dataclass(frozen=True)
class Rest:
    """Combinations that are still together with others, and the tally of all that are not."""

    at: Ids
    told: Tally


class Refining:
    """Sets of one table, each from a part of it that leaves little open."""

    def __init__(self, rows: Rows) -> None:
        self._rows = rows
        self._rests: dict[Names, Rest] = {(): Rest(np.arange(len(rows.counts)), NOTHING)}

    def tallies(self, sets: Collection[Names]) -> Iterator[tuple[Names, Tally]]:
        """Each set with its tally, after the parts that several of them have."""
        shared = Counter(self._coarsest(names) for names in sets if len(names) > 1)
        beginnings = {part for part, times in shared.items() if times > 1}
        inner = {part for names in sets for part in one_less(names)}
        for names in sorted({*beginnings, *sets}, key=lambda names: (len(names), names)):
            if names in beginnings or names in inner:
                self._refine(names)
        for names in sets:
            yield names, self._tally(names)

    def _coarsest(self, names: Names) -> Names:
        """The part that leaves least open, most likely: without the column of fewest values."""
        least = min(names, key=self._rows.values.__getitem__)
        return tuple(name for name in names if name != least)

    def _nearest(self, names: Names) -> Rest:
        known = [self._rests[part] for part in one_less(names) if part in self._rests]
        return min(known, key=lambda rest: len(rest.at), default=self._rests[()])

    def _keys(self, names: Names, rest: Rest) -> tuple[Keys, Counts]:
        codes = [self._rows.columns[name][rest.at] for name in names]
        return pack(codes, [self._rows.values[name] for name in names], len(rest.at)), self._rows.counts[
            rest.at
        ]

    def _tally(self, names: Names) -> Tally:
        rest = self._nearest(names)
        if names in self._rests:
            rest = self._rests[names]
        keys, counts = self._keys(names, rest)
        plain = not self._rows.weights.size
        sizes = grouped(keys, None if plain else counts, self._rows.cells(names)).counts
        return rest.told.plus(tallied(sizes))

    def _refine(self, names: Names) -> None:
        rest = self._nearest(names)
        keys, counts = self._keys(names, rest)
        ids = group(keys).ids if len(keys) else keys
        together = (np.bincount(ids) > 1)[ids]
        alone = counts[~together]
        told = Tally(len(alone), int(np.count_nonzero(alone == 1)), squared(alone))
        self._rests[names] = Rest(rest.at[together], rest.told.plus(told))


def one_less(names: Names) -> Iterator[Names]:
    """The parts of a set that lack one column."""
    return (tuple(name for name in names if name != other) for other in names)


def of_persons(rows: Rows, persons: Codes, sets: Iterable[Names]) -> Iterator[tuple[Names, Tally]]:
    """The same where equal rows of a person count once: the ones are persons who stand alone in a class."""
    for names in sets:
        codes = [rows.columns[name] for name in names]
        groups = group(pack(codes, [rows.values[name] for name in names], len(persons)))
        ones = len(alone(persons, groups.ids, groups.first))
        yield names, Tally(groups.number, ones, squared(np.bincount(groups.ids)))


def alone(persons: Codes, ids: Ids, first: Ids) -> Codes:
    """The persons of classes that hold nobody else."""
    shared = np.zeros(len(first), bool)
    shared[ids[persons != persons[first[ids]]]] = True
    return distinct(persons[~shared[ids]])
