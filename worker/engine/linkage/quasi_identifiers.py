"""The columns by which rows are linked: what each was, what it became, and by which mechanism."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from worker.engine.contracts.channels import Channel
from worker.engine.contracts.traces import Trace
from worker.engine.errors import LimitExceeded
from worker.engine.linkage.costs import stars
from worker.engine.linkage.coverage import covers, paths_of
from worker.engine.tables.column import Codes, Mask
from worker.engine.tables.declaration import HierarchySpec
from worker.engine.tables.frequency import Counts, Domain, FrequencyTable
from worker.engine.tables.kinds import NUMERIC

MOST_LISTED = 1 << 25
TOO_MANY = "A column has too many values and labels to say which label holds which value. Measure without it."


@dataclass(frozen=True)
class Key:
    """One column, with how many rows have each value; `pairs` are what became of what."""

    was: Domain
    became: Domain
    were: Counts
    are: Counts
    pairs: FrequencyTable | None = None
    trace: Trace = Trace.PERTURBED
    channel: Channel | None = None
    hierarchy: HierarchySpec | None = None

    @property
    def is_numeric(self) -> bool:
        """Whether its values are numbers, and its readings numbers, missing or `*`."""
        return self.was.kind in NUMERIC and _numbers_only(self.was) and _numbers_only(self.became)

    @property
    def is_complete(self) -> bool:
        """Whether there is a number in every row of both sides."""
        return self.is_numeric and not any(np.isnan(one.numbers).any() for one in (self.was, self.became))

    def met_again(self) -> Codes:
        """For each reading the value that it equals, a number whatever its digits; -1 where there is none."""
        found = np.asarray(self.was.places_of(self.became))
        if not self.is_numeric:
            return found
        order = np.argsort(self.was.numbers, kind="stable")
        at = np.minimum(np.searchsorted(self.was.numbers[order], self.became.numbers), len(order) - 1)
        same = self.was.numbers[order[at]] == self.became.numbers if len(order) else np.zeros(0, bool)
        return np.where((found < 0) & same, order[at], found).astype(np.int32)

    @property
    def spread(self) -> float:
        """The standard deviation of the original numbers, with divisor n."""
        numbers, known = self.was.numbers, ~np.isnan(self.was.numbers)
        weights = self.were[known].astype(np.float64)
        if not weights.sum():
            return 0.0
        mean = np.average(numbers[known], weights=weights)
        return float(np.sqrt(np.average((numbers[known] - mean) ** 2, weights=weights)))

    def cover(self) -> Mask:
        """cover[value, label]: what each label may stand for, and was seen to stand for."""
        if len(self.was) * len(self.became) > MOST_LISTED:
            raise LimitExceeded("memory", TOO_MANY)
        paths = paths_of(self.hierarchy, self.was, self.was)
        cover = covers(self.became, self.was, paths).T.copy()
        if self.pairs is not None:
            was, became = (
                own.places_of(seen)[codes]
                for own, seen, codes in zip(
                    (self.was, self.became), self.pairs.domains, self.pairs.codes, strict=True
                )
            )
            seen = (was >= 0) & (became >= 0)
            cover[was[seen], became[seen]] = True
        return cover


def judged(pairs: FrequencyTable) -> Trace:
    """What was left of a column of which nobody says: a value that another row had is exchanged, a number
    that moved is perturbed, any other label is taken to hold what it stands for."""
    was, became = pairs.domains
    blank = stars(became)[pairs.codes[1]]
    places = was.places_of(became)[pairs.codes[1]]
    moved = (places != pairs.codes[0]) & ~blank
    if not moved.any():
        return Trace.COARSER if blank.any() else Trace.KEPT
    if (moved & (places >= 0) & ~became.missing[pairs.codes[1]]).any():
        return Trace.EXCHANGED
    numbers = (one.numbers[codes] for one, codes in zip(pairs.domains, pairs.codes, strict=True))
    if was.kind in NUMERIC and any((~np.isnan(old) & ~np.isnan(new) & moved).any() for old, new in [numbers]):
        return Trace.PERTURBED
    return Trace.COARSER


def _numbers_only(domain: Domain) -> bool:
    return not bool((np.isnan(domain.numbers) & ~domain.missing & ~stars(domain)).any())
