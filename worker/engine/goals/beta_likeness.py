"""β-likeness, basic and enhanced."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self

import numpy as np
from pydantic import Field

from worker.engine.contracts.annotations import Columns
from worker.engine.contracts.goal import Goal, best_within, register
from worker.engine.disclosure.comparison import Comparison, compared
from worker.engine.disclosure.forcing import dropped_by_shares
from worker.engine.tables.classes import Classes
from worker.engine.tables.column import Floats, Mask
from worker.engine.tables.frequency import Counts
from worker.engine.tables.kinds import Role


@register
class BetaLikeness(Goal):
    """No sensitive value is much more frequent in a class than in the whole table.

    For every value whose share p in the class exceeds its share q in the table, the gain (p − q) / q is at
    most β. Unlike t-closeness it looks at each value by itself, so rare values are protected too; a value
    that becomes rarer in a class is no violation. *enhanced*: the gain is at most min(β, −ln q), which also
    limits what can be learned about frequent values.

    q is taken over the whole table; when suppressed rows are left out, over the rows released. A missing
    value is a value of its own. pyCANON reports the same gains, the largest over all classes.
    """

    slug = "beta-likeness"
    title = "β-likeness"
    references = ("Cao & Karras (2012), Publishing microdata with a robust privacy guarantee",)

    column: Annotated[str, Columns(role=Role.SENSITIVE)] = Field(
        title="Sensitive column", description="The column whose values are protected."
    )
    beta: float = Field(
        1.0, gt=0, le=1_000_000, title="β", description="The largest relative gain allowed: 1 is a doubling."
    )
    variant: Literal["basic", "enhanced"] = Field(
        "enhanced", title="Variant", description="enhanced also limits the gain of frequent values."
    )

    @classmethod
    def examples(cls) -> tuple[Self, ...]:
        return (cls(column="disease", beta=2), cls(column="disease", beta=2, variant="basic"))

    @property
    def required(self) -> Any:
        return self.beta

    @property
    def relative(self) -> bool:
        return True

    def violating(self, classes: Classes) -> Mask:
        one = compared(classes, self.column)
        bad = np.zeros(one.number, bool)
        bad[one.ids[_gains(one) > self._allowed(one)]] = True
        return bad

    def least_dropped(self, classes: Classes) -> Counts:
        # Shares of good classes together are no higher than their bound – of rows; persons may be in both.
        if classes.table.persons is not None:
            return np.zeros(classes.number, np.int64)
        one = compared(classes, self.column)
        return dropped_by_shares(one, one.whole / max(one.total, 1) * (1 + self._allowed(one)))

    def achieved(self, classes: Classes) -> Any:
        return float(self._largest(classes).max()) if classes.number else None

    def remark(self, classes: Classes) -> str:
        return NO_BETA if self._hopeless(classes).any() else ""

    def reachable(self, classes: Classes, limit: int) -> Any:
        figures = np.where(self._hopeless(classes), np.inf, self._largest(classes))
        return best_within(figures, classes.rows, limit, high=False)

    def describe(self) -> str:
        limit = f"min({self.beta:g}, −ln of its share)" if self.variant == "enhanced" else f"{self.beta:g}"
        return f"In every class the relative gain of each value of {self.column} is at most {limit}."

    def _allowed(self, one: Comparison) -> Floats:
        """The largest gain of each entry's value."""
        return np.minimum(self._cap(one), self.beta)

    def _cap(self, one: Comparison) -> Floats:
        """The gain of each entry's value that is allowed whatever β is."""
        if self.variant == "basic":
            return np.full(len(one.ids), np.inf)
        return np.asarray(np.maximum(-np.log(one.whole / max(one.total, 1)), 0))

    def _hopeless(self, classes: Classes) -> Mask:
        """Classes in which no β suffices, because a gain is above the bound that the value's share sets."""
        one = compared(classes, self.column)
        found = np.zeros(one.number, bool)
        found[one.ids[_gains(one) > self._cap(one)]] = True
        return found

    def _largest(self, classes: Classes) -> Floats:
        one = compared(classes, self.column)
        largest = np.zeros(one.number)
        np.maximum.at(largest, one.ids, _gains(one))
        return largest


NO_BETA = "No β would do: in a class the gain of a value is above −ln of its share in the table."


def _gains(one: Comparison) -> Floats:
    """(p − q) / q for every value in a class."""
    gains: Floats = (one.scaled_inside - one.scaled_whole) / one.scaled_whole
    return gains
