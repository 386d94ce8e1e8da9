"""β-likeness, recomputed: how much more frequent a value is in a class than in the whole file."""

from __future__ import annotations

import numpy as np

from worker.engine.errors import EngineError
from worker.engine.verification.finding import Farthest, Finding, Params, column_of, number
from worker.engine.verification.grouping import Group
from worker.engine.verification.likelihood import shares, worst
from worker.engine.verification.released import Released

SLUG = "beta-likeness"


class Check:
    """Basic: the gain is at most β; enhanced: also at most −ln of the value's share."""

    def __init__(self, params: Params) -> None:
        self.slug = SLUG
        self.column: str | None = column_of(params)
        self.required = number(params, "beta", 1.0)
        self._variant = params.get("variant", "enhanced")
        if self._variant not in ("basic", "enhanced"):
            raise EngineError("not-verified", "This variant of β-likeness is not recomputed.", "variant")

    def find(self, group: Group, released: Released) -> Finding:
        """The largest gain, and the rows in classes where one is too large."""
        assert self.column is not None
        seen = shares(group, released, self.column)
        gain = (seen.inside - seen.outside) / seen.outside
        most = np.full(len(gain), np.inf)
        if self._variant == "enhanced":
            most = np.maximum(-np.log(seen.file[seen.values] / seen.total), 0.0)
        remark = HOPELESS if (gain > most).any() else ""
        most = np.minimum(most, float(self.required))
        over = worst(np.where(gain > most, 1.0, 0.0), seen.classes, group.number) > 0
        largest = worst(gain, seen.classes, group.number)
        return Farthest(float(largest.max()), int(group.rows[over].sum()), remark=remark)


HOPELESS = (
    "Whatever β is, this does not hold: in a class the gain of a value is above −ln of its share in the file."
)
