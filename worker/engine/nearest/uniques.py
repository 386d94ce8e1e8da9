"""Rows that are alone with their values, in the original and in a release, matched by what they say."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

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
    domains = [table.domains[at] for table in tables]
    numbers = np.concatenate([scale.numbers(one.arrow, one.missing) for one in domains])
    told = ~np.isnan(numbers)
    values, places = ranked(numbers[told])
    texts = pa.concat_arrays([one.arrow.cast(pa.string()) for one in domains]).filter(pa.array(~told))
    codes = np.empty(len(numbers), np.int64)
    codes[told] = places
    codes[~told] = len(values) + texts.dictionary_encode().indices.to_numpy()
    parts = np.split(codes, np.cumsum([len(one) for one in domains])[:-1])
    return np.concatenate([part[table.codes[at]] for part, table in zip(parts, tables, strict=True)])
