"""δ-presence, recomputed: which share of the people who fit a class is in the release."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from worker.engine.verification.finding import Facts, Finding, Params, Range, share
from worker.engine.verification.grouping import Group
from worker.engine.verification.presence import People
from worker.engine.verification.released import Released

SLUG = "delta-presence"


class Check:
    """The share lies between two limits in every class; who fits none is remarked on."""

    def __init__(self, params: Params) -> None:
        self.slug = SLUG
        self.column: str | None = None
        self._lower, self._upper = share(params, "lower", 0.0), share(params, "upper", 0.5)
        self.required = [self._lower, self._upper]
        self._params = params

    def told(self, facts: Facts) -> None:
        """Where the population is."""
        self._people = People(self._params, facts)

    def find(self, group: Group, released: Released) -> Finding:
        """The smallest and largest share, and the rows in classes outside the limits."""
        people = self._people.fitting(group, released)
        shares = group.sizes / np.where(people > 0, people, 0.5)
        outside = (shares > self._upper) | (shares < self._lower)
        return Range([float(shares.min()), float(shares.max())], int(group.rows[outside].sum()))

    def concluded(self, finding: Finding) -> Finding:
        """Remarks on people who fit no released row, suppressed ones included."""
        return finding if not self._lower or self._people.all_seen else replace(finding, remark=_REMARK)


_REMARK = "Some people of the population file fit no released row: it is told that they are absent."
