"""δ-disclosure, recomputed: by how many doublings a value's share in a class differs from the file's."""

from __future__ import annotations

import numpy as np

from worker.engine.verification.finding import Farthest, Finding, Params, column_of, number
from worker.engine.verification.grouping import Group
from worker.engine.verification.likelihood import shares, worst
from worker.engine.verification.released import Released

SLUG = "delta-disclosure"


class Check:
    """|log₂(p / q)| is below δ for every value that a class holds."""

    def __init__(self, params: Params) -> None:
        self.slug = SLUG
        self.column: str | None = column_of(params)
        self.required = number(params, "delta", 1.0)

    def find(self, group: Group, released: Released) -> Finding:
        """The largest change, and the rows in classes where one is too large."""
        assert self.column is not None
        seen = shares(group, released, self.column)
        doublings = worst(np.abs(np.log2(seen.inside / seen.outside)), seen.classes, group.number)
        return Farthest(float(doublings.max()), int(group.rows[doublings >= self.required].sum()))
