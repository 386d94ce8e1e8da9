"""Rounding."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from typing import Annotated, Self

from pydantic import Field

from worker.engine.contracts.annotations import Columns, Unit
from worker.engine.contracts.facts import StepJson
from worker.engine.contracts.method import Family, Method, Plan, register
from worker.engine.contracts.traces import Trace
from worker.engine.randomness import Source
from worker.engine.reporting import Reporter
from worker.engine.tables.kinds import NUMERIC
from worker.engine.tables.statistics import Statistics
from worker.engine.tables.table import Chunk, Schema

MOST_DIGITS = 400
"""Far beyond any measured number; a longer exponent would only cost time."""


@register
class Rounding(Method):
    """Round a numeric column to the nearest multiple of a base.

    Hides small differences; gives no formal guarantee. A value half-way between two multiples goes to
    the even one, so that sums are not pushed upward. Missing values stay missing.
    """

    slug = "rounding"
    title = "Rounding"
    family = Family.PERTURBATIVE
    references = ("Hundepool et al. (2012), Statistical Disclosure Control, §3",)

    column: Annotated[str, Columns(kind=NUMERIC)] = Field(title="Column", description="The numbers to round.")
    base: Annotated[int, Unit("units")] = Field(
        5, ge=2, le=1_000_000_000, title="Base", description="Every value becomes a multiple of this number."
    )

    per_tuple = True

    @classmethod
    def examples(cls) -> tuple[Self, ...]:
        return (cls(column="age", base=5), cls(column="income", base=1000))

    def touches(self, schema: Schema) -> tuple[str, ...]:
        return (self.column,)

    def describe(self) -> str:
        return f"Round {self.column} to multiples of {self.base}."

    def leaves(self, schema: Schema) -> Mapping[str, Trace]:
        return {self.column: Trace.COARSER}

    def plan(self, statistics: Statistics, goals: object, source: Source, report: Reporter) -> Plan:
        statistics.require_values(self.column, "column")
        return Plan({"column": self.column, "base": self.base})

    def transform(self, chunk: Chunk, plan: Plan, source: Source) -> Chunk:
        column = chunk[self.column]
        texts = [
            text if gone else self._rounded(text)
            for text, gone in zip(column.label_texts, column.missing.tolist(), strict=True)
        ]
        return chunk.with_columns(column.relabelled(texts))

    def guidance(self, facts: StepJson) -> tuple[str, ...]:
        return (
            f"{self.column}: every value is the multiple of {self.base} nearest to the original one, which "
            f"lies within {self.base / 2:g} of it.",
            "Where the values spread over many multiples, means stay nearly right and variances are too "
            f"large by about {self.base**2 / 12:.6g}. Differences smaller than {self.base} cannot be "
            "analysed.",
        )

    def _rounded(self, text: str) -> str:
        """Exact for any number of digits; a text that is no number stays as it is."""
        try:
            number = Decimal(text)
        except InvalidOperation:
            return text
        if not number.is_finite() or abs(number.adjusted()) > MOST_DIGITS:
            return text
        return str(round(Fraction(number) / self.base) * self.base)
