"""k-anonymity."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self

import numpy as np
from pydantic import Field, PrivateAttr

from worker.engine.contracts.annotations import Unit
from worker.engine.contracts.goal import Goal, Knowledge, Population, best_within, register
from worker.engine.linkage.coverage import constant_columns
from worker.engine.tables.classes import Classes
from worker.engine.tables.column import Mask
from worker.engine.tables.frequency import Counts
from worker.engine.tables.wildcards import matching_sizes


@register
class KAnonymity(Goal):
    """Everybody shares their quasi-identifiers with at least k − 1 others.

    Rows that are equal on all released quasi-identifiers form a class; every class must hold at least
    k rows – or k distinct persons, when a person key is tagged. Somebody who knows a person's
    quasi-identifiers can then narrow the search to k candidates, not fewer. It does not protect what a
    class has in common: if all k rows have one diagnosis, the diagnosis is disclosed (see l-diversity).

    *own*: a missing value and `*` are values of their own, equal to themselves. *wildcard*: they may stand
    for any value, so a class counts all released rows that agree with it wherever both tell a value; this is
    how sdcMicro counts, and it assumes that the attacker cannot know what was hidden.
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
    missing: Literal["own", "wildcard"] = Field(
        "own",
        title="Missing values",
        description="own: a missing or suppressed cell equals only its like. wildcard: it equals anything.",
    )
    _quasi: tuple[str, ...] | None = PrivateAttr(None)

    @classmethod
    def examples(cls) -> tuple[Self, ...]:
        return (cls(), cls(k=3, missing="wildcard"))

    @property
    def monotone(self) -> bool:
        return self.missing == "own"

    @property
    def relative(self) -> bool:
        return self.missing == "wildcard"

    @property
    def least_size(self) -> int | None:
        return self.k if self.missing == "own" else None

    @property
    def least_agreeing(self) -> int | None:
        return self.k if self.missing == "wildcard" else None

    def bound(self, statistics: Knowledge, population: Population) -> Self:
        told = self.model_copy()
        told._quasi = statistics.quasi_identifiers
        return told

    @property
    def required(self) -> Any:
        return self.k

    def violating(self, classes: Classes) -> Mask:
        return np.asarray(self._sizes(classes) < self.k)

    def achieved(self, classes: Classes) -> Any:
        return int(self._sizes(classes).min()) if classes.number else None

    def reachable(self, classes: Classes, limit: int) -> Any:
        return best_within(self._sizes(classes), classes.rows, limit, high=True)

    def describe(self) -> str:
        wild = ", where a missing or suppressed cell equals anything" if self.missing == "wildcard" else ""
        return f"Every class of equal quasi-identifiers holds at least {self.k} rows or persons{wild}."

    def _sizes(self, classes: Classes) -> Counts:
        if self.missing == "own":
            return classes.sizes
        names = classes.table.names if self._quasi is None else self._quasi
        return matching_sizes(classes, constant_columns(classes, names))
