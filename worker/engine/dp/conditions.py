"""Filters of questions: column, comparison, values. Small enough to be judged before any data are touched."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from worker.engine.dp.meaning import day, meaning, number, spelled
from worker.engine.tables.column import Column, Floats, Mask
from worker.engine.tables.dense import Numbers
from worker.engine.tables.kinds import Kind
from worker.engine.tables.numeric import NumberColumn
from worker.engine.tables.table import Chunk

Comparison = Literal["is", "is-not", "in", "below", "at-most", "above", "at-least", "between"]
ORDERED = ("below", "at-most", "above", "at-least", "between")
WORDS = {
    "is": "is",
    "is-not": "is not",
    "in": "is one of",
    "below": "is below",
    "at-most": "is at most",
    "above": "is above",
    "at-least": "is at least",
    "between": "lies from",
}
MOST_VALUES = 1000


def _texts(value: Any) -> Any:
    """Numbers are meant as their texts; one value need not be a list."""
    values = value if isinstance(value, list | tuple) else (value,)
    return tuple(_text(one) for one in values)


def _text(value: Any) -> Any:
    number = isinstance(value, int | float | Decimal) and not isinstance(value, bool)
    return str(value) if number else value


class Condition(BaseModel):
    """One comparison. `between` includes both ends."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    column: str
    op: Comparison = "is"
    values: Annotated[tuple[str, ...], BeforeValidator(_texts)] = Field(min_length=1, max_length=MOST_VALUES)

    @property
    def wanted(self) -> int | None:
        """How many values the comparison takes; None for any number."""
        return None if self.op == "in" else 2 if self.op == "between" else 1

    def places(self, kind: Kind | None) -> tuple[Decimal, ...] | None:
        """Where the values lie: numbers, or days of a column of days; None when one is neither."""
        found = tuple(_day_number(text) if kind is Kind.DATE else number(text) for text in self.values)
        known = tuple(one for one in found if one is not None)
        return known if len(known) == len(found) else None

    def canonical(self, kind: Kind | None = None) -> list[Any]:
        """One spelling for comparisons that mean the same in a column of this kind."""
        op = "in" if self.op == "is" else self.op
        values = [meaning(text, kind) for text in self.values]
        if self.op in ORDERED and kind is not Kind.DATE and (numbers := self.places(kind)) is not None:
            values = [spelled(one) for one in numbers]
        return [self.column, op, sorted(set(values)) if op == "in" else values]

    def describe(self) -> str:
        """In words."""
        told = " to ".join(self.values) if self.op == "between" else ", ".join(self.values)
        return f"{self.column} {WORDS[self.op]} {told}"

    def rows(self, chunk: Chunk) -> Mask:
        """Which rows satisfy it. A missing value satisfies nothing but `is-not`."""
        column = chunk[self.column]
        if self.op in ORDERED:
            return self._ordered(_places_of(column), column.kind)
        return self._among(column) ^ (self.op == "is-not")

    def _among(self, column: Column) -> Mask:
        if isinstance(column, NumberColumn | Numbers) and (numbers := self.places(None)) is not None:
            return np.isin(column.numbers, [float(one) for one in numbers])
        wanted = frozenset(meaning(text, column.kind) for text in self.values)
        same = (meaning(text, column.kind) in wanted for text in column.label_texts)
        found = np.fromiter(same, bool, len(column.label_texts))
        return found[column.codes] if len(found) else np.zeros(len(column), bool)

    def _ordered(self, numbers: Floats, kind: Kind) -> Mask:
        limits = [float(one) for one in self.places(kind) or ()]
        with np.errstate(invalid="ignore"):
            found = {
                "below": lambda: numbers < limits[0],
                "at-most": lambda: numbers <= limits[0],
                "above": lambda: numbers > limits[0],
                "at-least": lambda: numbers >= limits[0],
                "between": lambda: (numbers >= limits[0]) & (numbers <= limits[-1]),
            }[self.op]()
        return np.asarray(found, bool)


def _places_of(column: Column) -> Floats:
    """Where each row lies; NaN where there is no number, in a column of days no day."""
    if column.kind is not Kind.DATE:
        return column.numbers
    some = column.compact()
    days = (_day_number(text) for text in some.label_texts)
    found = np.array([np.nan if one is None else float(one) for one in days])
    return found[some.codes] if len(found) else np.empty(0)


def _day_number(text: str) -> Decimal | None:
    found = day(text)
    return None if found is None else Decimal(found.toordinal())


def satisfied(chunk: Chunk, conditions: Sequence[Condition]) -> Mask:
    """Which rows satisfy every condition."""
    found = np.ones(chunk.rows, bool)
    for condition in conditions:
        found &= condition.rows(chunk)
    return found
