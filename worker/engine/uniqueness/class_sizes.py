"""How many classes of equal quasi-identifiers there are of each size, counted piece by piece."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from worker.engine.tables.classes import Classes, released_classes, suppressed_tuples
from worker.engine.tables.column import Mask
from worker.engine.tables.frequency import Counts
from worker.engine.tables.keys import Grouped, grouped, totals
from worker.engine.tables.long_table import LongTable, Tuples
from worker.engine.uniqueness.individual_risk import individual_risk


@dataclass(frozen=True)
class Sizes:
    """`values` are the sizes that occur, ascending, `numbers` how many classes have each."""

    values: Counts
    numbers: Counts
    rows: int
    suppressed_rows: int
    expected: float
    """The sum of the individual risks of all rows."""
    weighted: bool

    @property
    def classes(self) -> int:
        """How many classes there are."""
        return int(self.numbers.sum())

    @property
    def total(self) -> int:
        """How many rows, or persons, they hold."""
        return self.among(np.ones(len(self.values), bool))

    def among(self, chosen: Mask) -> int:
        """How many rows, or persons, the classes of some sizes hold."""
        return int((self.values * self.numbers)[chosen].sum())


def sizes_of(table: Tuples, names: Sequence[str]) -> Sizes:
    """The sizes of the classes of a release; suppressed rows form none, unless every row is one."""
    plain = table.persons is None and table.weights is None and table.names == tuple(names)
    if isinstance(table, LongTable) or plain:
        return _of_tuples(table)
    classes, suppressed = released_classes(table, names)
    gone = 0 if suppressed is None else int(suppressed.rows.sum())
    values, numbers = np.unique(classes.sizes, return_counts=True)
    return Sizes(
        values, numbers, int(classes.rows.sum()), gone, _expected(classes), table.weights is not None
    )


def _expected(classes: Classes) -> float:
    return float((individual_risk(classes.sizes, classes.weights) * classes.sizes).sum())


def _of_tuples(table: Tuples) -> Sizes:
    """Every tuple is a class."""
    values, numbers, gone = np.zeros(0, np.int64), np.zeros(0, np.int64), 0
    for piece in table.pieces():
        hidden, sizes = suppressed_tuples(piece, table.names), piece.counts
        if hidden.any():
            gone += int(sizes[hidden].sum())
            sizes = sizes[~hidden]
        found, times = _tallied(sizes)
        values, ids = np.unique(np.concatenate([values, found]), return_inverse=True)
        numbers = totals(ids.reshape(-1), np.concatenate([numbers, times]), len(values))
    if gone and not len(values):
        values, numbers, gone = np.array([gone]), np.ones(1, np.int64), 0
    rows = int((values * numbers).sum())
    expected = float((individual_risk(values, None) * values * numbers).sum())
    return Sizes(values, numbers, rows, gone, expected, False)


def _tallied(sizes: Counts) -> Grouped:
    """How often each size occurs; most of them are small, and of many keys most are 1."""
    more = sizes[sizes != 1]
    found = grouped(more, None, int(more.max(initial=0)) + 1)
    alone = len(sizes) - len(more)
    if not alone:
        return found
    return Grouped(np.append(1, found.keys), np.append(alone, found.counts))
