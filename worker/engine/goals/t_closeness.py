"""t-closeness with equal, ordered and hierarchical distance."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self

import numpy as np
from pydantic import Field, PrivateAttr

from worker.engine.contracts.annotations import Columns
from worker.engine.contracts.goal import Goal, Knowledge, Population, best_within, register
from worker.engine.disclosure.comparison import compared, ordered_distance, tree_distance
from worker.engine.disclosure.forcing import dropped_by_distance, ordered_prices, tree_prices
from worker.engine.errors import EngineError
from worker.engine.hierarchies.hierarchy import levels_of
from worker.engine.hierarchies.value_order import ranks_of
from worker.engine.tables.classes import Classes
from worker.engine.tables.column import Codes, Floats, Mask
from worker.engine.tables.declaration import Declaration
from worker.engine.tables.frequency import Counts, Domain
from worker.engine.tables.kinds import Role


@register
class TCloseness(Goal):
    """The sensitive values in every class are distributed much as in the whole table.

    Somebody who finds a person's class learns little more about the sensitive value than the table tells of
    everybody: the distance between the class's distribution p and the table's distribution q is at most t.
    *equal*: ½ Σ |p − q|, all values are equally far apart. *ordered*: Σ |cumulative (p − q)| / (m − 1) over
    the m values that occur – numbers by size, ordinal columns in their declared order, other columns by
    text. *hierarchical*: the earth mover's distance over the column's hierarchy, where moving between two
    values costs the level at which they meet, divided by the height.

    q is the distribution over the whole table; when suppressed rows are left out, over the rows released.
    A missing value is a value of its own (the first in an order). pyCANON computes the same figures: ordered
    for columns of numbers, equal for all others.
    """

    slug = "t-closeness"
    title = "t-closeness"
    references = (
        "Li, Li & Venkatasubramanian (2007), t-closeness: privacy beyond k-anonymity and l-diversity",
    )

    column: Annotated[str, Columns(role=Role.SENSITIVE)] = Field(
        title="Sensitive column", description="The column whose values are protected."
    )
    t: float = Field(
        0.2,
        ge=0,
        le=1,
        title="t",
        description="The largest distance allowed: 0 demands the table's own distribution, 1 nothing.",
    )
    distance: Literal["equal", "ordered", "hierarchical"] = Field(
        "equal",
        title="Distance",
        description="How far apart two sensitive values are. hierarchical uses the hierarchy of the column, "
        "given as lines or as a tree; without one all values are equally far apart.",
    )
    _declared: Declaration = PrivateAttr(default_factory=Declaration)

    @classmethod
    def examples(cls) -> tuple[Self, ...]:
        return (
            cls(column="disease", t=0.4),
            cls(column="income", t=0.3, distance="ordered"),
            cls(column="disease", t=0.4, distance="hierarchical"),
        )

    @property
    def required(self) -> Any:
        return self.t

    @property
    def relative(self) -> bool:
        return True

    def bound(self, statistics: Knowledge, population: Population) -> Self:
        told = self.model_copy()
        told._declared = statistics.declaration(self.column)
        spec = told._declared.hierarchy
        if self.distance == "hierarchical" and spec and spec.builder not in (None, "tree"):
            text = (
                f"distance: the hierarchy of {self.column!r} is made by a rule, which cannot be recomputed "
                "from the released file. Give it as lines or as a tree: saving it in the hierarchy editor "
                "writes its lines, and so does an export of it."
            )
            raise EngineError("hierarchy-not-declared", text, param="distance")
        return told

    def violating(self, classes: Classes) -> Mask:
        return np.asarray(self.distances(classes) > self.t)

    def least_dropped(self, classes: Classes) -> Counts:
        # Distances are convex, so good classes together are good – of rows; persons may be in both.
        one, domain = compared(classes, self.column), classes.table.domain(self.column)
        if classes.table.persons is not None:
            return np.zeros(classes.number, np.int64)
        if self.distance == "ordered":
            prices = ordered_prices(one, ranks_of(domain, self._declared))
        else:
            prices = tree_prices(one, self._levels(domain))
        return dropped_by_distance(one, prices, self.t)

    def achieved(self, classes: Classes) -> Any:
        return float(self.distances(classes).max()) if classes.number else None

    def reachable(self, classes: Classes, limit: int) -> Any:
        return best_within(self.distances(classes), classes.rows, limit, high=False)

    def distances(self, classes: Classes) -> Floats:
        """How far each class is from the whole table."""
        one, domain = compared(classes, self.column), classes.table.domain(self.column)
        if self.distance == "ordered":
            return ordered_distance(one, ranks_of(domain, self._declared))
        return tree_distance(one, self._levels(domain))

    def describe(self) -> str:
        return (
            f"In every class the distribution of {self.column} is within {self.t:g} of that of the whole "
            f"table ({self.distance} distance)."
        )

    def _levels(self, domain: Domain) -> list[Codes]:
        """The groups of the values at every level below the root."""
        values = np.arange(len(domain), dtype=np.int32)
        if self.distance == "equal" or not len(domain):
            return [values]
        levels = levels_of(self._declared.hierarchy, domain)
        top = len(levels.labels[-1])
        return [values, *levels.from_values[1 : levels.height + (top > 1)]]
