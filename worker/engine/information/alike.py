"""When a value of the original and a released one read alike to somebody who compares them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from worker.engine.hierarchies.released_level import labels_at_released_level
from worker.engine.information.bins import ORDERED, Bins
from worker.engine.tables.column import Codes
from worker.engine.tables.frequency import Domain
from worker.engine.tables.statistics import Statistics


@dataclass(frozen=True)
class Alike:
    """A reading for each value of the original and of the release; those with equal numbers read alike.

    `original` and `released` are the values that `before` and `after` are the readings of.
    """

    original: Domain
    released: Domain
    before: Codes
    after: Codes
    number: int

    def of_original(self, values: Domain) -> Codes:
        """The readings of some of the original's values."""
        return np.asarray(self.before[self.original.places_of(values)])

    def of_released(self, values: Domain) -> Codes:
        """The readings of some released values."""
        return np.asarray(self.after[self.released.places_of(values)])


def readings(before: Statistics, after: Statistics, name: str) -> Alike:
    """A column at the level of its hierarchy at which it is released; numbers and dates in ten bins of the
    original, a released interval by its middle; everything else by text."""
    table, domains = before.counts((name,)), (before.distinct(name), after.distinct(name))
    kind, spec = before.schema[name].kind, before.declaration(name).hierarchy
    labels = labels_at_released_level(*domains, spec)
    if labels is None and kind in ORDERED:
        bins, names = Bins.of(table, kind), dict[str, int]()
        was, became = (_in_bins(bins, domain, names) for domain in domains)
        return Alike(*domains, was, became, len(bins.edges) + 1 + len(names))
    old, new = labels or (domains[0].texts, domains[1].texts)
    numbers = {text: number for number, text in enumerate(dict.fromkeys([*old, *new]))}
    was, became = (np.array([numbers[text] for text in texts], np.int32) for texts in (old, new))
    return Alike(*domains, was, became, len(numbers))


def _in_bins(bins: Bins, domain: Domain, names: dict[str, int]) -> Codes:
    """The bin of each value; a text that is no number follows under a number of its own."""
    numbers = bins.line.middles(domain)
    found = bins.bins_of(numbers).astype(np.int32)
    for code in np.flatnonzero(np.isnan(numbers)).tolist():
        found[code] = len(bins.edges) + 1 + names.setdefault(domain.text(code), len(names))
    return found
