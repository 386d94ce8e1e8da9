"""One side of a comparison: every pair of columns, and the spread of the numbers together."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

import numpy as np

from worker.engine.association.coefficients import correlation_ratio, cramers_v, rank_correlation
from worker.engine.reporting import Reporter
from worker.engine.tables.column import SUPPRESSED, Codes, Floats, Mask
from worker.engine.tables.frequency import Domain
from worker.engine.tables.statistics import Statistics
from worker.engine.tables.summaries import Spread
from worker.engine.tables.table import BLOCK

Pair = tuple[str, str]
Reading = Callable[[Domain], Floats]
"""The number that each value of a column stands for; NaN where it is none."""
Associations = dict[Pair, float | None]
BYTES_PER_CELL = 4
BYTES_PER_ROW = 64
"""What a pair takes while it is looked at."""


@dataclass(frozen=True)
class Held:
    """A column in codes, and the number of each code where it is of numbers."""

    codes: Codes
    size: int
    numbers: Floats | None

    def known(self) -> Mask | None:
        """Which rows count; None where all do."""
        if self.numbers is None:
            return None
        return np.asarray(~np.isnan(self.numbers)[self.codes])

    @cached_property
    def places(self) -> Codes:
        """Where each code stands in the order of the numbers; equal numbers stand together."""
        assert self.numbers is not None
        return np.unique(self.numbers, return_inverse=True)[1].reshape(-1).astype(np.int32)


@dataclass(frozen=True)
class Together:
    """The columns of one side without its suppressed rows."""

    columns: dict[str, Held]
    rows: int
    suppressed: int

    def associations(self, reporter: Reporter) -> Associations:
        """How strongly each pair hangs together, over the rows in which both are known."""
        found: Associations = {}
        for pair in combinations(self.columns, 2):
            reporter.checkpoint()
            found[pair] = _association(*(self.columns[name] for name in pair))
        return found

    def spread(self, names: Sequence[str], units: Floats) -> Floats | None:
        """The eigenvalues of the covariance of columns of numbers, each in a unit of its own."""
        held = [self.columns[name] for name in names]
        spread = Spread(len(names))
        for start in range(0, self.rows, BLOCK):
            at = slice(start, start + BLOCK)
            spread.add(np.stack([one.numbers[one.codes[at]] for one in held if one.numbers is not None]))
        found = spread.result()
        if found.rows < 2:
            return None
        return np.asarray(np.linalg.eigvalsh(found.matrix / np.outer(units, units)))

    def deviations(self, names: Sequence[str]) -> Floats:
        """The standard deviation of each column of numbers."""
        return np.array([_deviation(self.columns[name]) for name in names])


def together(side: Statistics, names: Sequence[str], numbers: Mapping[str, Reading]) -> Together:
    """The named columns of one side, some of them read as numbers.

    Rows with `*` in every quasi-identifier are left out and counted: a handful of them would make a perfect
    association.
    """
    held = {name: side.column(name) for name in names}
    domains = {name: side.distinct(name) for name in names}
    keys = [name for name in side.quasi_identifiers if name in held]
    rows = side.rows()
    hidden = np.full(rows, bool(keys))
    for name in keys:
        hidden &= held[name].codes == domains[name].find(SUPPRESSED)
    stay = ~hidden if hidden.any() else slice(None)
    found = {
        name: Held(
            held[name].codes[stay],
            max(len(domains[name]), 1),
            numbers[name](domains[name]) if name in numbers else None,
        )
        for name in names
    }
    suppressed = int(hidden.sum())
    return Together(found, rows - suppressed, suppressed)


def _association(one: Held, other: Held) -> float | None:
    masks = [known for known in (one.known(), other.known()) if known is not None]
    rows = np.logical_and.reduce(masks) if masks else slice(None)
    first, second = one.codes[rows], other.codes[rows]
    if one.numbers is not None and other.numbers is not None:
        return rank_correlation(one.places[first], other.places[second])
    if one.numbers is not None:
        return correlation_ratio(second, one.numbers[first], other.size)
    if other.numbers is not None:
        return correlation_ratio(first, other.numbers[second], one.size)
    return cramers_v(first, second, (one.size, other.size))


def _deviation(held: Held) -> float:
    assert held.numbers is not None
    numbers = held.numbers[held.codes]
    known = numbers[~np.isnan(numbers)]
    return float(known.std(ddof=1)) if len(known) > 1 else 0.0
