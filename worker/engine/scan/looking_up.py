"""Rows, or persons, that stand alone with all columns of a table."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from worker.engine.scan.refining import alone
from worker.engine.tables.classes import suppressed_tuples
from worker.engine.tables.column import Mask
from worker.engine.tables.frequency import FrequencyTable
from worker.engine.tables.keys import distinct, group
from worker.engine.tables.long_table import Tuples


@dataclass(frozen=True)
class Alone:
    """How many stand alone, of how many; suppressed rows are not among the rows."""

    alone: int
    everybody: int
    rows: int


def singled_out(tuples: Tuples) -> Alone:
    """Those alone in a class. Rows that are `*` in every column are no class, unless every row is one."""
    if isinstance(tuples, FrequencyTable) and tuples.persons is not None:
        return _persons(tuples)
    ones = rows = hidden_rows = 0
    for piece in tuples.pieces():
        hidden = suppressed_tuples(piece, tuples.names)
        ones += int(np.count_nonzero(piece.counts[~hidden] == 1))
        rows += int(piece.counts[~hidden].sum())
        hidden_rows += int(piece.counts[hidden].sum())
    if hidden_rows and not rows:
        ones, rows = int(hidden_rows == 1), hidden_rows
    return Alone(ones, rows, rows)


def _persons(table: FrequencyTable) -> Alone:
    hidden = suppressed_tuples(table, table.names)
    shown: Mask = np.ones(len(table), bool) if hidden.all() else ~hidden
    assert table.persons is not None
    persons, keys = table.persons[shown], table.keys(table.names)[shown]
    groups = group(keys)
    found = alone(persons, groups.ids, groups.first)
    return Alone(len(found), len(distinct(persons)), int(table.counts[shown].sum()))
