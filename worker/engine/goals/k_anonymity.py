"""k-anonymity."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from worker.engine.classes import Classes
from worker.engine.column import Mask
from worker.engine.fields import Unit
from worker.engine.goal import Goal, register


@register
class KAnonymity(Goal):
    """Everybody shares their quasi-identifiers with at least k − 1 others.

    Rows that are equal on all released quasi-identifiers form a class; every class must hold at least
    k rows – or k distinct persons, when a person key is tagged. Somebody who knows a person's
    quasi-identifiers can then narrow the search to k candidates, not fewer. It does not protect what a
    class has in common: if all k rows have one diagnosis, the diagnosis is disclosed (see l-diversity).

    A missing value and `*` are values of their own, equal to themselves.
    """

    slug = "k-anonymity"
    title = "k-anonymity"
    references = ("Samarati (2001), Protecting respondents' identities in microdata release",)

    k: Annotated[int, Unit("rows or persons")] = Field(
        5,
        ge=1,
        le=1_000_000_000,
        title="k",
        description="The smallest class allowed: often 5 under supervision, 10 or more for the public.",
    )
    missing: Literal["own"] = Field(
        "own",
        title="Missing values",
        description="own: a missing value is a value like any other and equal only to itself.",
    )

    @property
    def monotone(self) -> bool:
        return True

    @property
    def required(self) -> Any:
        return self.k

    def violating(self, classes: Classes) -> Mask:
        return classes.sizes < self.k

    def achieved(self, classes: Classes) -> Any:
        return int(classes.sizes.min()) if classes.number else None

    def describe(self) -> str:
        return f"Every class of equal quasi-identifiers holds at least {self.k} rows or persons."
