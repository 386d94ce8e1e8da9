"""Correct attribution: how often the released rows with somebody's keys hold the person's own value."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from worker.engine.attributes.gaps import mean_of
from worker.engine.tables.column import Codes, Floats, Mask
from worker.engine.tables.frequency import Counts, FrequencyTable
from worker.engine.tables.keys import Keys, among, group, pack, places_in, ranked, totals


@dataclass(frozen=True)
class Cells:
    """Rows counted by a number for their keys and one for their value, which other sides share."""

    keys: Keys
    values: Codes
    rows: Counts

    @property
    def total(self) -> int:
        """How many rows there are."""
        return int(self.rows.sum())

    def shares(self, number: int) -> Floats:
        """The share of each of so many values."""
        return np.asarray(totals(self.values, self.rows, number) / max(self.total, 1))


Side = tuple[FrequencyTable, Sequence[Codes]]
"""A table of the keys and, last, the value, with the reading of every value of each column."""


def cells_of(sides: Sequence[Side], sizes: Sequence[int]) -> list[Cells]:
    """Several tables in numbers that they share; there are `sizes` readings of each column."""
    columns = [
        np.concatenate([readings[at][table.codes[at]] for table, readings in sides])
        for at in range(len(sizes))
    ]
    keys = pack(columns[:-1], sizes[:-1], len(columns[-1]))
    ends = np.cumsum([len(table) for table, _ in sides])[:-1]
    parts = zip(np.split(keys, ends), np.split(columns[-1], ends), sides, strict=True)
    return [Cells(mine, values, table.counts) for mine, values, (table, _) in parts]


@dataclass(frozen=True)
class Attributed:
    """For each cell of originals: the share of the released rows with its keys that hold its value (0 where
    none has its keys), whether there is any, and whether all of them have one value."""

    rows: Counts
    share: Floats
    matched: Mask
    certain: Mask

    @property
    def mean(self) -> float | None:
        """CAP over all rows."""
        return mean_of(self.share, self.rows)

    @property
    def mean_of_matched(self) -> float | None:
        """CAP over the rows whose keys are in the release."""
        return mean_of(self.share[self.matched], self.rows[self.matched])

    @property
    def matched_share(self) -> float | None:
        """The share of rows whose keys are in the release."""
        return mean_of(self.matched, self.rows)

    @property
    def targeted(self) -> float | None:
        """Right among the rows whose keys have one value in the release."""
        return mean_of(self.share[self.certain] == 1, self.rows[self.certain])


def attributed(original: Cells, released: Cells) -> Attributed:
    """What the release attributes to the originals."""
    known = _Released(released)
    at, matched = known.places(original.keys)
    right = np.where(matched, known.holding(at, original.values), 0)
    share = right / np.maximum(np.where(matched, known.rows[at], 1), 1)
    return Attributed(original.rows, share, matched, matched & (known.values[at] == 1))


class _Released:
    """How many released rows have each keys, and how many of them each value."""

    def __init__(self, cells: Cells) -> None:
        self._keys, ids = ranked(cells.keys)
        self._span = int(cells.values.max(initial=0)) + 2
        pairs = group(ids * self._span + cells.values)
        self._pairs = (ids * self._span + cells.values)[pairs.first]
        self._held = pairs.sum(cells.rows)
        self.rows = np.append(totals(ids, cells.rows, len(self._keys)), 0)
        self.values = np.append(np.bincount(ids[pairs.first], minlength=len(self._keys)), 0)

    def places(self, keys: Keys) -> tuple[Keys, Mask]:
        """Where keys stand, and which of them do; those that do not stand last."""
        found = among(keys, self._keys)
        return np.where(found, places_in(self._keys, keys), len(self._keys)), found

    def holding(self, at: Keys, values: Codes) -> Counts:
        """How many rows of the keys at a place hold a value."""
        wanted = at * self._span + np.minimum(values, self._span - 1)
        found = among(wanted, self._pairs)
        held: Counts = np.zeros(len(wanted), np.int64)
        held[found] = self._held[places_in(self._pairs, wanted[found])]
        return held
