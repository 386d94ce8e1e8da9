"""k-map, recomputed: how many people of the population file fit each class of released rows."""

from __future__ import annotations

from worker.engine.verification.finding import Facts, Finding, Params, number
from worker.engine.verification.grouping import Group
from worker.engine.verification.presence import People
from worker.engine.verification.released import Released

SLUG = "k-map"


class Check:
    """Every class fits at least k people."""

    def __init__(self, params: Params) -> None:
        self.slug = SLUG
        self.column: str | None = None
        self.required = number(params, "k", 5)
        self._params = params

    def told(self, facts: Facts) -> None:
        """Where the population is."""
        self._people = People(self._params, facts)

    def find(self, group: Group, released: Released) -> Finding:
        """The fewest people, and the rows in classes that fit too few."""
        people = self._people.fitting(group, released)
        return Finding(int(people.min()), int(group.rows[people < self.required].sum()))
