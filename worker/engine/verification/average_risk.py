"""Average risk, recomputed: classes divided by rows."""

from __future__ import annotations

from collections.abc import Mapping

from worker.engine.verification.finding import Finding, Params, WholeRelease, number, tally_of
from worker.engine.verification.grouping import Group
from worker.engine.verification.released import Released

SLUG = "average-risk"


def _average(tally: Mapping[int, int]) -> float:
    return sum(tally.values()) / sum(size * many for size, many in tally.items())


class Check:
    """There are few classes for the number of rows, or persons."""

    def __init__(self, params: Params) -> None:
        self.slug = SLUG
        self.column: str | None = None
        self.required = number(params, "limit", 0.05)

    def find(self, group: Group, released: Released) -> Finding:
        """The sizes of these classes."""
        return WholeRelease.of(tally_of(group.sizes), _average, self.required)
