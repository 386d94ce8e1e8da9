"""Average risk: classes divided by rows."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from pydantic import Field

from worker.engine.contracts.goal import Goal, register
from worker.engine.tables.classes import Classes
from worker.engine.tables.column import Mask
from worker.engine.uniqueness.smallest_first import smallest_dropped


@register
class AverageRisk(Goal):
    """Somebody who matches every row to a person is right for at most this share of the rows.

    The average risk of a release is its number of classes divided by its number of rows (or distinct
    persons, when a person key is tagged), suppressed rows aside. It says nothing about the person most at
    risk, so it is best used beside k-anonymity. When a release is above the limit, the smallest classes are
    suppressed until it is not.
    """

    slug = "average-risk"
    title = "Average risk"
    references = ("Dankar & El Emam (2010), A method for evaluating marketer re-identification risk",)

    limit: float = Field(
        0.05, gt=0, le=1, title="Limit", description="The largest share of correct matches allowed."
    )

    @classmethod
    def examples(cls) -> tuple[Self, ...]:
        return (cls(limit=0.2),)

    @property
    def monotone(self) -> bool:
        return True

    @property
    def required(self) -> Any:
        return self.limit

    @property
    def by_sizes(self) -> bool:
        return True

    def violating(self, classes: Classes) -> Mask:
        return np.zeros(classes.number, bool)

    def met(self, kept: Classes) -> bool:
        return not kept.number or bool(kept.number / kept.sizes.sum() <= self.limit)

    def spared(self, kept: Classes) -> Mask:
        return smallest_dropped(kept, lambda left: left.classes / left.rows <= self.limit)

    def achieved(self, classes: Classes) -> Any:
        return float(classes.number / classes.sizes.sum()) if classes.number else None

    def describe(self) -> str:
        return f"The average risk – classes divided by rows – is at most {self.limit:g}."
