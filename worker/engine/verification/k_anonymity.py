"""k-anonymity, recomputed: the smallest class of released rows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from worker.engine.errors import EngineError
from worker.engine.verification.finding import Finding, number
from worker.engine.verification.grouping import Group
from worker.engine.verification.released import Released

SLUG = "k-anonymity"


class Check:
    """Every class holds at least k persons, or rows where persons are not known."""

    def __init__(self, params: Mapping[str, Any]) -> None:
        if params.get("missing", "own") != "own":
            raise EngineError(
                "not-verified",
                "k-anonymity is recomputed with missing values as values of their own.",
                "missing",
            )
        self.required = number(params, "k", 5)
        self.slug = SLUG
        self.column: str | None = None

    def find(self, group: Group, released: Released) -> Finding:
        """The smallest of these classes, and the rows in too small ones."""
        small = group.sizes < self.required
        return Finding(int(group.sizes.min()), int(group.rows[small].sum()))
