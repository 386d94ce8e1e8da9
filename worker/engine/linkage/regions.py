"""Sets of people whom two releases count both: what one counts more than the other has come or gone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from worker.engine.linkage.releases import NOWHERE, Known
from worker.engine.tables.classes import Ids, suppressed_tuples
from worker.engine.tables.column import Mask
from worker.engine.tables.frequency import Counts, FrequencyTable
from worker.engine.tables.keys import group, pack, totals
from worker.engine.tables.statistics import Statistics


@dataclass(frozen=True)
class Side:
    """A release by the columns that both have: its classes, and in which region each is."""

    statistics: Statistics
    table: FrequencyTable
    regions: Ids

    def counts(self, number: int) -> Counts:
        """The rows of each region; suppressed rows are in none."""
        shown = self.regions != NOWHERE
        found: Counts = totals(self.regions[shown], self.table.counts[shown], number)
        return found

    def values(self, column: str) -> tuple[FrequencyTable, Ids]:
        """The values of a further column, and the region of each tuple with it."""
        table = self.statistics.counts((*self.table.names, column))
        return table, self.regions[group(table.keys(self.table.names)).ids]


@dataclass(frozen=True)
class Regions:
    """The smallest sets of people that are unions of classes of either release. `more` is how many rows the
    first one counts more in each, `rows` the larger of both counts."""

    sides: tuple[Side, Side]
    more: Counts
    rows: Counts

    def small(self, k: int) -> Mask:
        """The regions in which fewer than k more came than left, or left than came."""
        found: Mask = (self.more != 0) & (np.abs(self.more) < k)
        return found

    def exposed(self, k: int) -> int:
        """The people in these differences."""
        return int(np.abs(self.more)[self.small(k)].sum())

    def certain(self, k: int, column: str) -> int:
        """Those of them who have all one value: the only one of which there are more, or fewer."""
        differs, values = self._differing(column)
        number = len(self.more)
        alone = np.bincount(differs[values != 0], minlength=number) == 1
        return int(np.abs(self.more)[self.small(k) & alone].sum())

    def _differing(self, column: str) -> tuple[Ids, Counts]:
        """By how many each value differs in a region, value by value."""
        (here, at), (there, other) = (side.values(column) for side in self.sides)
        texts = {text: code for code, text in enumerate({*here.domains[-1].texts, *there.domains[-1].texts})}
        regions, values = np.append(at, other), np.append(_coded(here, texts), _coded(there, texts))
        shown = regions != NOWHERE
        sizes = [max(len(self.more), 1), max(len(texts), 1)]
        pairs = group(pack([regions[shown], values[shown]], sizes, int(shown.sum())))
        return regions[shown][pairs.first], pairs.sum(np.append(here.counts, -there.counts)[shown])


def regions_of(known: Known, here: Statistics, there: Statistics) -> Regions:
    """The regions of two releases, by the columns in which the data are `known`."""
    names = known.table.names
    tables = here.counts(names), there.counts(names)
    number, found = _components(known, *tables)
    sides = (
        Side(here, tables[0], found[: len(tables[0])]),
        Side(there, tables[1], found[len(tables[0]) :]),
    )
    counts = [side.counts(number) for side in sides]
    return Regions(sides, counts[0] - counts[1], np.maximum(*counts))


def _components(known: Known, here: FrequencyTable, there: FrequencyTable) -> tuple[int, Ids]:
    """The region of each class of the one release, then of the other: classes that may hold the same people
    are in one."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    hidden = np.append(suppressed_tuples(here, here.names), suppressed_tuples(there, there.names))
    total = len(here) + len(there)
    edges = np.concatenate(_overlaps(known, here, there), axis=1)
    edges = edges[:, ~hidden[edges].any(axis=0)]
    joined = coo_array((np.ones(edges.shape[1], bool), (edges[0], edges[1])), shape=(total, total))
    _, found = connected_components(joined, directed=False)
    shown, regions = np.unique(found[~hidden], return_inverse=True)
    places = np.full(total, NOWHERE, np.int64)
    places[~hidden] = regions.reshape(-1)
    return len(shown), places


def _overlaps(known: Known, here: FrequencyTable, there: FrequencyTable) -> Sequence[Ids]:
    """Pairs of classes that hold people of the data both, or of which one covers the other's labels."""
    at = len(here)
    first, second = known.fits(here), known.fits(there)
    met_here, met_there = first.smallest(here.counts), second.smallest(there.counts)
    back, onto = known.fits(here, there), known.fits(there, here)
    return (
        np.stack([first.classes, met_here[first.people]]),
        np.stack([second.classes, met_there[second.people]]) + at,
        _both(met_here, met_there, at),
        np.stack([back.classes, back.people + at]),
        np.stack([onto.people, onto.classes + at]),
    )


def _both(here: Ids, there: Ids, at: int) -> Ids:
    met = (here != NOWHERE) & (there != NOWHERE)
    return np.stack([here[met], there[met] + at])


def _coded(table: FrequencyTable, texts: dict[str, int]) -> Ids:
    codes = np.array([texts[text] for text in table.domains[-1].texts], np.int64)
    return codes[table.codes[-1]]
