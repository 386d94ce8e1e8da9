"""Sample uniqueness: the share of rows that are alone in their class."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from pydantic import Field

from worker.engine.contracts.goal import Goal, register
from worker.engine.tables.classes import Classes
from worker.engine.tables.column import Mask
from worker.engine.tables.frequency import Counts
from worker.engine.uniqueness.smallest_first import smallest_dropped


@register
class SampleUniqueness(Goal):
    """At most this share of the rows is alone in its class.

    A row that no other row equals on the quasi-identifiers is unique in the data; whether it is unique in
    the population is another question (see population uniqueness). Counts distinct persons when a person
    key is tagged; suppressed rows aside. When there are too many uniques, some of them are suppressed.
    """

    slug = "sample-uniqueness"
    title = "Sample uniqueness"
    references = ("Skinner & Elliot (2002), A measure of disclosure risk for microdata",)

    limit: float = Field(
        0.01, ge=0, le=1, title="Limit", description="The largest share of unique rows allowed."
    )

    @classmethod
    def examples(cls) -> tuple[Self, ...]:
        return (cls(limit=0.01), cls(limit=0))

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
        return not kept.number or _share(kept.sizes) <= self.limit

    def spared(self, kept: Classes) -> Mask:
        return smallest_dropped(kept, lambda left: left.with_size(1) / left.rows <= self.limit)

    def achieved(self, classes: Classes) -> Any:
        return _share(classes.sizes) if classes.number else None

    def describe(self) -> str:
        return f"At most a share of {self.limit:g} of the rows is alone in its class."


def _share(sizes: Counts) -> float:
    return float((sizes == 1).sum() / sizes.sum())
