"""Classes with the risk of their rows, in the sample and in the population."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from worker.engine.tables.classes import Classes, released_classes
from worker.engine.tables.column import Floats, Mask
from worker.engine.tables.frequency import Counts, FrequencyTable
from worker.engine.tables.long_table import LongTable, Tuples
from worker.engine.uniqueness.class_sizes import sizes_of
from worker.engine.uniqueness.individual_risk import individual_risk
from worker.engine.uniqueness.unknown_cells import weighed_matches


@dataclass(frozen=True)
class Rated:
    """`sizes` rows or persons are in a class, of which there are `times`; `matching` agree with it in the
    sample and `population` in the population; each of its rows has this `risk`."""

    sizes: Counts
    times: Counts
    matching: Floats
    population: Floats
    risks: Floats
    rows: int
    suppressed_rows: int

    @property
    def members(self) -> Counts:
        """Rows, or persons, of each class, however often there is one like it."""
        return self.sizes * self.times

    @property
    def total(self) -> int:
        """How many rows, or persons, there are in classes."""
        return int(self.members.sum())

    @property
    def expected(self) -> float:
        """How many of them are expected to be matched."""
        return float((self.risks * self.members).sum())

    def share(self, chosen: Mask) -> float | None:
        """Which part of the rows, or persons, is in some of the classes."""
        return int(self.members[chosen].sum()) / self.total if self.total else None

    def mean(self, values: Floats) -> float | None:
        """The mean of a figure over the rows, or persons."""
        return float((values * self.members).sum()) / self.total if self.total else None


def rated(table: Tuples, names: Sequence[str], alpha: float | None = None) -> Rated:
    """The classes of a release by some columns; suppressed rows form none.

    With `alpha` a cell without a value may stand for any, and a match that needs this counts so much.
    """
    plain = table.persons is None and table.weights is None and table.names == tuple(names)
    if alpha is None and (isinstance(table, LongTable) or plain):
        found = sizes_of(table, names)
        sizes = found.values.astype(np.float64)
        risks = individual_risk(found.values, None)
        return Rated(found.values, found.numbers, sizes, sizes, risks, found.rows, found.suppressed_rows)
    whole = table.whole() if isinstance(table, LongTable) else table
    classes, suppressed = released_classes(whole, names)
    matching, weights = matched(classes, names, alpha)
    return Rated(
        classes.sizes,
        np.ones(classes.number, np.int64),
        matching,
        np.maximum(matching, matching if weights is None else weights),
        individual_risk(matching, weights) if classes.number else np.zeros(0),
        int(classes.rows.sum()),
        0 if suppressed is None else int(suppressed.rows.sum()),
    )


def matched(classes: Classes, names: Sequence[str], alpha: float | None) -> tuple[Floats, Floats | None]:
    """For each class how many agree with it in the sample, and by their weights in the population."""
    if alpha is None:
        return classes.sizes.astype(np.float64), classes.weights
    if classes.weights is None:
        return weighed_matches(classes, names, alpha, classes.sizes), None
    found = (weighed_matches(classes, names, alpha, one) for one in (classes.sizes, classes.weights))
    sizes, weights = found
    return sizes, weights


def risks_of(
    table: FrequencyTable, names: Sequence[str], alpha: float | None = None
) -> tuple[Classes, Floats]:
    """The classes themselves, each with the risk of its rows."""
    classes, _ = released_classes(table, names)
    if not classes.number:
        return classes, np.zeros(0)
    return classes, individual_risk(*matched(classes, names, alpha))
