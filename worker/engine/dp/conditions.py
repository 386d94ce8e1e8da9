"""Filters of questions: column, comparison, values. Small enough to be judged before any data are touched."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal, InvalidOperation
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from worker.engine.column import Column, Floats, Mask
from worker.engine.table import Chunk

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
FARTHEST = 308
"""Powers of ten beyond a float's are nothing to compare with; written out they would fill the memory."""


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

    @property
    def numbers(self) -> tuple[Decimal, ...] | None:
        """The values as numbers; None when one is none, or too large or too small to be compared."""
        try:
            found = tuple(Decimal(value) for value in self.values)
        except InvalidOperation:
            return None
        return found if all(one.is_finite() and abs(one.adjusted()) <= FARTHEST for one in found) else None

    def canonical(self) -> list[Any]:
        """One spelling for comparisons that mean the same."""
        numbers = self.numbers
        ordered = numbers is not None and self.op in ORDERED
        values = [f"{one.normalize():f}" for one in numbers or ()] if ordered else [*self.values]
        op = "in" if self.op == "is" else self.op
        return [self.column, op, sorted(set(values)) if op == "in" else values]

    def describe(self) -> str:
        """In words."""
        told = " to ".join(self.values) if self.op == "between" else ", ".join(self.values)
        return f"{self.column} {WORDS[self.op]} {told}"

    def rows(self, chunk: Chunk) -> Mask:
        """Which rows satisfy it. A missing value satisfies nothing but `is-not`."""
        column = chunk[self.column]
        if self.op in ORDERED:
            return self._ordered(column.numbers)
        return self._among(column) ^ (self.op == "is-not")

    def _among(self, column: Column) -> Mask:
        wanted = frozenset(self.values)
        found = np.fromiter((text in wanted for text in column.label_texts), bool, len(column.label_texts))
        return found[column.codes] if len(found) else np.zeros(len(column), bool)

    def _ordered(self, numbers: Floats) -> Mask:
        limits = [float(one) for one in self.numbers or ()]
        with np.errstate(invalid="ignore"):
            found = {
                "below": lambda: numbers < limits[0],
                "at-most": lambda: numbers <= limits[0],
                "above": lambda: numbers > limits[0],
                "at-least": lambda: numbers >= limits[0],
                "between": lambda: (numbers >= limits[0]) & (numbers <= limits[-1]),
            }[self.op]()
        return np.asarray(found, bool)


def satisfied(chunk: Chunk, conditions: Sequence[Condition]) -> Chunk:
    """The rows that satisfy every condition."""
    for condition in conditions:
        chunk = chunk.filter(condition.rows(chunk))
    return chunk
