"""Rows that are alone with their values, in the original and in a release, matched by what they say."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from worker.engine.arrays import Longs
from worker.engine.nearest.cells import Scale
from worker.engine.tables.frequency import FrequencyTable
from worker.engine.tables.keys import pack, ranked, totals
from worker.engine.tables.statistics import Statistics
from worker.engine.tables.table import Field


@dataclass(frozen=True)
class Counted:
    """How often each combination of values stands in each of several tables: persons where a key tells."""

    counts: tuple[Longs, ...]

    @classmethod
    def of(cls, sides: Sequence[Statistics], fields: Sequence[Field], scales: Sequence[Scale]) -> Counted:
        """The same combinations for all; numbers and dates are the same where they mean the same."""
        tables = [side.counts([field.name for field in fields], persons=True) for side in sides]
        columns = [_same(tables, at, scale) for at, scale in enumerate(scales)]
        sizes = [int(codes.max(initial=-1)) + 1 for codes in columns]
        values, places = ranked(pack(columns, sizes, sum(map(len, tables))))
        ends = np.cumsum([len(table) for table in tables])[:-1]
        parts = zip(tables, np.split(places, ends), strict=True)
        return cls(tuple(totals(at, _times(table), len(values)) for table, at in parts))


def _times(table: FrequencyTable) -> Longs:
    """What each tuple counts for: a person has it once, however often."""
    return table.counts if table.persons is None else np.ones(len(table), np.int64)


def _same(tables: Sequence[FrequencyTable], at: int, scale: Scale) -> Longs:
    """One code for each value of a column, for the tuples of all tables one after the other."""
    known: dict[str | float, int] = {}
    found = [np.zeros(0, np.int64)]
    for table in tables:
        domain = table.domains[at]
        numbers = scale.numbers(domain.arrow, domain.missing).tolist()
        read = (domain.text(i) if number != number else number for i, number in enumerate(numbers))
        codes = np.array([known.setdefault(one, len(known)) for one in read], np.int64)
        found.append(codes[table.codes[at]])
    return np.concatenate(found)
