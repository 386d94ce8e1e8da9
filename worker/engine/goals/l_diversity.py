"""l-diversity: distinct, entropy and recursive."""

from __future__ import annotations

import math
from typing import Annotated, Any, Literal, Self

import numpy as np
from pydantic import Field, model_validator

from worker.engine.contracts.annotations import Columns, Unit
from worker.engine.contracts.goal import Goal, best_within, register
from worker.engine.disclosure.evenness import even_enough
from worker.engine.disclosure.forcing import SLACK, dropped_by_cap
from worker.engine.tables.classes import Classes, Contents, Ids
from worker.engine.tables.column import Floats, Mask
from worker.engine.tables.frequency import Counts
from worker.engine.tables.kinds import Role


@register
class LDiversity(Goal):
    """Every class holds at least l well-represented values of the sensitive column.

    k-anonymity hides who a row belongs to, but not what all rows of a class have in common.
    *distinct*: at least l different values. *entropy*: the spread of values is at least that of l equally
    frequent ones. *recursive* (c, l): the most frequent value is rarer than c times the l-th and all rarer
    values together. Declared benign values need no protection: a class that holds only them passes.
    """

    slug = "l-diversity"
    title = "l-diversity"
    references = ("Machanavajjhala et al. (2007), l-diversity: privacy beyond k-anonymity",)

    column: Annotated[str, Columns(role=Role.SENSITIVE)] = Field(
        title="Sensitive column", description="The column whose values are protected."
    )
    l: Annotated[int, Unit("values")] = Field(  # noqa: E741 - the name everybody knows it by
        2, ge=1, le=1_000_000, title="l", description="How many well-represented values each class must hold."
    )
    variant: Literal["distinct", "entropy", "recursive"] = Field(
        "distinct", title="Variant", description="What counts as well represented."
    )
    c: float = Field(
        3.0,
        gt=0,
        le=1_000_000,
        title="c",
        description="Only for the recursive variant: how much the most frequent may lead.",
    )
    benign: tuple[str, ...] = Field(
        (), title="Benign values", description="Values such as healthy that need no protection."
    )

    @classmethod
    def examples(cls) -> tuple[Self, ...]:
        return (
            cls(column="disease", l=2),
            cls(column="disease", l=2, variant="entropy"),
            cls(column="disease", l=2, variant="recursive", c=4, benign=("none",)),
        )

    @model_validator(mode="after")
    def _recursive_needs_two(self) -> Self:
        if self.variant == "recursive" and self.l < 2:
            raise ValueError("The recursive variant needs l of at least 2.")
        return self

    @property
    def monotone(self) -> bool:
        return self.variant == "distinct" and not self.benign

    @property
    def required(self) -> Any:
        return self.l

    def violating(self, classes: Classes) -> Mask:
        contents = classes.contents(self.column)
        values = np.bincount(contents.ids, minlength=classes.number)
        good: Mask = values >= self.l
        if self.variant == "entropy":
            good &= even_enough(contents, classes.number, self.l)
        elif self.variant == "recursive":
            first, rest = _first_and_rest(contents, classes.number, self.l)
            good &= first < self.c * rest
        return ~(good | self._all_benign(contents, classes.number))

    def least_dropped(self, classes: Classes) -> Counts:
        # Parts of a class with too few values have too few, unless they are benign. Else good classes
        # together are good – of rows; persons may be in both.
        if self.benign:
            return np.zeros(classes.number, np.int64)
        contents = classes.contents(self.column)
        few = np.bincount(contents.ids, minlength=classes.number) < self.l
        dropped = np.zeros(classes.number, np.int64)
        if self.variant != "distinct" and classes.table.persons is None:
            dropped = dropped_by_cap(contents, classes.number, self._well_spread)
        return np.where(few, classes.rows, dropped)

    def _well_spread(self, ids: Ids, counts: Counts, caps: Counts) -> Mask:
        """Which classes are good when no value counts more than the class's cap."""
        if self.variant == "entropy":
            total = np.bincount(ids, weights=counts, minlength=len(caps))
            spent = np.bincount(ids, weights=counts * np.log(np.maximum(counts, 1)), minlength=len(caps))
            return np.asarray(total * (np.log(np.maximum(total, 1)) - math.log(self.l)) >= spent - SLACK)
        starts = np.searchsorted(ids, np.arange(len(caps)))
        place = np.arange(len(ids)) - starts[ids]
        tail = np.bincount(ids, np.where(place >= self.l - 1, counts, 0), len(caps))
        return np.asarray(caps < self.c * tail + SLACK)

    def achieved(self, classes: Classes) -> Any:
        if not classes.number:
            return None
        contents = classes.contents(self.column)
        judged = ~self._all_benign(contents, classes.number)
        if not judged.any():
            return None
        if self.variant == "entropy":
            return float(np.exp(_entropies(contents, classes.number)[judged]).min())
        values = np.bincount(contents.ids, minlength=classes.number)
        return int(values[judged].min())

    def reachable(self, classes: Classes, limit: int) -> Any:
        if self.benign or self.variant == "recursive" or not classes.number:
            return None
        contents = classes.contents(self.column)
        values = np.bincount(contents.ids, minlength=classes.number).astype(float)
        if self.variant == "entropy":
            values = np.exp(_entropies(contents, classes.number))
        return best_within(values, classes.rows, limit, high=True)

    def describe(self) -> str:
        how = {
            "distinct": "different values",
            "entropy": "values, spread as evenly as its entropy demands,",
            "recursive": f"values, the most frequent one below {self.c:g} times the rarer ones,",
        }[self.variant]
        return f"Every class holds at least {self.l} {how} of {self.column}."

    def _all_benign(self, contents: Contents, number: int) -> Mask:
        if not self.benign:
            return np.zeros(number, bool)
        codes = [contents.domain.index[text] for text in self.benign if text in contents.domain.index]
        harmful = np.bincount(contents.ids, weights=~np.isin(contents.codes, codes), minlength=number)
        return np.asarray(harmful == 0)


def _sum_f_ln_f(contents: Contents, number: int) -> Floats:
    counts = contents.counts.astype(np.float64)
    sums: Floats = np.bincount(contents.ids, weights=counts * np.log(counts), minlength=number).astype(float)
    return sums


def _entropies(contents: Contents, number: int) -> Floats:
    total = np.bincount(contents.ids, weights=contents.counts, minlength=number)
    entropies: Floats = np.log(total) - _sum_f_ln_f(contents, number) / total
    return entropies


def _first_and_rest(contents: Contents, number: int, l: int) -> tuple[Counts, Counts]:  # noqa: E741
    """Per class: the highest frequency, and the l-th highest and all lower ones together."""
    order = np.lexsort((-contents.counts, contents.ids))
    ids, counts = contents.ids[order], contents.counts[order]
    starts = np.searchsorted(ids, np.arange(number))
    place = np.arange(len(ids)) - starts[ids]
    first = np.zeros(number, np.int64)
    first[ids[place == 0]] = counts[place == 0]
    rest = np.bincount(ids, weights=np.where(place >= l - 1, counts, 0), minlength=number)
    return first, rest.astype(np.int64)
