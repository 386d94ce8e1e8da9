"""δ-disclosure privacy."""

from __future__ import annotations

from typing import Annotated, Any, Self

import numpy as np
from pydantic import Field

from worker.engine.contracts.annotations import Columns
from worker.engine.contracts.goal import Goal, best_within, register
from worker.engine.disclosure.comparison import compared
from worker.engine.disclosure.forcing import dropped_by_shares
from worker.engine.tables.classes import Classes
from worker.engine.tables.column import Floats, Mask
from worker.engine.tables.frequency import Counts
from worker.engine.tables.kinds import Role


@register
class DeltaDisclosure(Goal):
    """No class makes a sensitive value much more or much less likely than the whole table does.

    For every value that occurs in a class, with share p there and q in the table, |log₂(p / q)| is below δ.
    Values that do not occur in a class are not judged – the original definition would demand that every
    value occurs in every class.

    q is taken over the whole table; when suppressed rows are left out, over the rows released. A missing
    value is a value of its own. pyCANON takes the natural logarithm: its δ is ours times ln 2.
    """

    slug = "delta-disclosure"
    title = "δ-disclosure privacy"
    references = ("Brickell & Shmatikov (2008), The cost of privacy",)

    column: Annotated[str, Columns(role=Role.SENSITIVE)] = Field(
        title="Sensitive column", description="The column whose values are protected."
    )
    delta: float = Field(
        1.0,
        gt=0,
        le=1_000,
        title="δ",
        description="A share may change by less than a factor of 2 to the power of δ.",
    )

    @classmethod
    def examples(cls) -> tuple[Self, ...]:
        return (cls(column="disease", delta=2),)

    @property
    def required(self) -> Any:
        return self.delta

    @property
    def relative(self) -> bool:
        return True

    def violating(self, classes: Classes) -> Mask:
        return np.asarray(self._largest(classes) >= self.delta)

    def least_dropped(self, classes: Classes) -> Counts:
        # No value may be too frequent in good classes together, of rows; too rare it may be.
        if classes.table.persons is not None:
            return np.zeros(classes.number, np.int64)
        one = compared(classes, self.column)
        return dropped_by_shares(one, one.whole / max(one.total, 1) * 2.0**self.delta)

    def achieved(self, classes: Classes) -> Any:
        return float(self._largest(classes).max()) if classes.number else None

    def reachable(self, classes: Classes, limit: int) -> Any:
        return best_within(self._largest(classes), classes.rows, limit, high=False)

    def describe(self) -> str:
        return (
            f"In every class the share of each value of {self.column} differs from that in the whole table "
            f"by less than a factor of 2^{self.delta:g}."
        )

    def _largest(self, classes: Classes) -> Floats:
        one = compared(classes, self.column)
        changes = np.abs(np.log2(one.scaled_inside / one.scaled_whole))
        largest = np.zeros(one.number)
        np.maximum.at(largest, one.ids, changes)
        return largest
