"""Sample uniqueness, recomputed: the share of rows that are alone in their class."""

from __future__ import annotations

from collections.abc import Mapping

from worker.engine.verification.finding import Finding, Params, WholeRelease, share, tally_of
from worker.engine.verification.grouping import Group
from worker.engine.verification.released import Released

SLUG = "sample-uniqueness"


def _uniques(tally: Mapping[int, int]) -> float:
    return tally.get(1, 0) / sum(size * many for size, many in tally.items())


class Check:
    """Few rows, or persons, are alone in their class."""

    def __init__(self, params: Params) -> None:
        self.slug = SLUG
        self.column: str | None = None
        self.required = share(params, "limit", 0.01)

    def find(self, group: Group, released: Released) -> Finding:
        """The sizes of these classes."""
        return WholeRelease.of(tally_of(group.sizes), _uniques, self.required)
