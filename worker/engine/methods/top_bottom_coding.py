"""Top and bottom coding."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Annotated, Literal, Self

import numpy as np
from pydantic import Field, model_validator

from worker.engine.contracts.annotations import Columns, Unit
from worker.engine.contracts.facts import StepJson
from worker.engine.contracts.method import Family, Method, Plan, register
from worker.engine.contracts.traces import Trace
from worker.engine.errors import EngineError
from worker.engine.randomness import Source
from worker.engine.reporting import Reporter
from worker.engine.tables.column import Floats, Mask, number_texts
from worker.engine.tables.frequency import Counts, Domain
from worker.engine.tables.kinds import NUMERIC, Kind
from worker.engine.tables.statistics import Statistics
from worker.engine.tables.table import Chunk, Schema
from worker.engine.tables.table import Field as ColumnField


@dataclass(frozen=True)
class CodingPlan(Plan):
    """The numbers that are kept as they are, and what the others become."""

    lowest: float = -np.inf
    highest: float = np.inf
    bottom: str = ""
    top: str = ""


@register
class TopBottomCoding(Method):
    """Cut off the highest and lowest numbers of a column, which single people out.

    Values above the top limit (below the bottom limit) are replaced by the limit itself, by the mean or
    median of the values that are cut off, or by a text such as `>90`. A limit is a number that the steward
    declares, or is set so that at most a given share of the rows lies beyond it. Values equal to a limit and
    missing values stay. Totals change unless the mean is used. No formal guarantee.
    """

    slug = "top-bottom-coding"
    title = "Top and bottom coding"
    family = Family.PERTURBATIVE
    references = ("Hundepool et al. (2012), Statistical Disclosure Control, §3",)

    column: Annotated[str, Columns(kind=NUMERIC)] = Field(
        title="Column", description="The numbers whose extremes are cut off."
    )
    top: Decimal | None = Field(
        None, title="Top limit", description="Numbers above it are replaced. Empty: see the share at the top."
    )
    bottom: Decimal | None = Field(
        None,
        title="Bottom limit",
        description="Numbers below it are replaced. Empty: see the share at the bottom.",
    )
    top_share: Annotated[float, Unit("share of rows")] = Field(
        0.0,
        ge=0,
        lt=0.5,
        title="Share at the top",
        description="Without a top limit: at most this share of the rows is cut off. 0 means none.",
    )
    bottom_share: Annotated[float, Unit("share of rows")] = Field(
        0.0,
        ge=0,
        lt=0.5,
        title="Share at the bottom",
        description="Without a bottom limit: at most this share of the rows is cut off. 0 means none.",
    )
    replacement: Literal["limit", "mean", "median", "text"] = Field(
        "limit",
        title="Replacement",
        description="What stands in place of numbers cut off: the limit, their mean, median, or a text.",
    )

    @classmethod
    def examples(cls) -> tuple[Self, ...]:
        return (
            cls(column="age", top=Decimal(70), bottom=Decimal(20)),
            cls(column="income", top_share=0.05, replacement="mean"),
            cls(column="visits", top=Decimal(6), replacement="text"),
        )

    @model_validator(mode="after")
    def _something_to_do(self) -> Self:
        if self.top is None and self.bottom is None and not self.top_share and not self.bottom_share:
            raise ValueError("Give a limit or a share at the top, at the bottom, or both.")
        if (self.top is not None and self.top_share) or (self.bottom is not None and self.bottom_share):
            raise ValueError("Give either a limit or a share at one end, not both.")
        if self.top is not None and self.bottom is not None and self.bottom > self.top:
            raise ValueError("The bottom limit must not be above the top limit.")
        return self

    def touches(self, schema: Schema) -> tuple[str, ...]:
        return (self.column,)

    def check(self, schema: Schema) -> None:
        super().check(schema)
        for name, limit in (("top", self.top), ("bottom", self.bottom)):
            whole = limit is None or limit == limit.to_integral_value()
            if schema[self.column].kind is Kind.INTEGER and not whole:
                text = f"{name}: column {self.column!r} holds whole numbers. Give a whole number."
                raise EngineError("bad-parameter", text, param=name)

    def describe(self) -> str:
        ends = [
            f"the {word} {f'{share:g} of the rows' if limit is None else f'values beyond {limit}'}"
            for word, limit, share in (
                ("highest", self.top, self.top_share),
                ("lowest", self.bottom, self.bottom_share),
            )
            if limit is not None or share
        ]
        return f"Cut off {' and '.join(ends)} of {self.column}, replaced by the {self.replacement}."

    def leaves(self, schema: Schema) -> Mapping[str, Trace]:
        return {self.column: Trace.COARSER}

    def output_schema(self, schema: Schema) -> Schema:
        if self.replacement != "text":
            return schema
        return schema.with_field(ColumnField(self.column, Kind.CATEGORICAL, schema[self.column].role))

    def plan(self, statistics: Statistics, goals: object, source: Source, report: Reporter) -> CodingPlan:
        statistics.require_values(self.column, "column")
        table = statistics.counts((self.column,))
        domain, counts = table.domains[0], table.counts[np.argsort(table.codes[0])]
        low, high = statistics.quantiles(self.column, (self.bottom_share, 1 - self.top_share))
        lowest = _limit(self.bottom, self.bottom_share, low, -np.inf)
        highest = _limit(self.top, self.top_share, high, np.inf)
        if lowest > highest:
            text = "bottom: the bottom limit lies above the top limit in these data. Give limits that fit."
            raise EngineError("bad-parameter", text, param="bottom")
        below, above = domain.numbers < lowest, domain.numbers > highest
        facts = {"column": self.column, "top_coded": int(counts[above].sum())}
        facts["bottom_coded"] = int(counts[below].sum())
        bottom = self._text("<", domain, counts, below, self.bottom, lowest)
        return CodingPlan(
            facts, lowest, highest, bottom, self._text(">", domain, counts, above, self.top, highest)
        )

    def transform(self, chunk: Chunk, plan: CodingPlan, source: Source) -> Chunk:
        column = chunk[self.column]
        texts = list(column.label_texts)
        for code, number in enumerate(column.label_numbers.tolist()):
            if number > plan.highest:
                texts[code] = plan.top
            elif number < plan.lowest:
                texts[code] = plan.bottom
        kind = Kind.CATEGORICAL if self.replacement == "text" else None
        return chunk.with_columns(column.relabelled(texts, kind))

    def guidance(self, facts: StepJson) -> tuple[str, ...]:
        what = {"limit": "the limit", "mean": "their mean", "median": "their median", "text": "a text"}
        kept = "means and totals stay but for rounding; variances" if self.replacement == "mean" else None
        return (
            f"{self.describe()} Values between the limits are the original ones.",
            f"Beyond a limit all values are shown as {what[self.replacement]}: treat them as censored. "
            f"Quantiles between the limits stay exact; {kept or 'means, totals, variances'} and extremes do "
            "not.",
        )

    def _text(
        self, sign: str, domain: Domain, counts: Counts, cut: Mask, said: Decimal | None, limit: float
    ) -> str:
        """What stands in place of the numbers cut off at one end."""
        if not cut.any():
            return ""
        if self.replacement in ("mean", "median"):
            number = _middle(domain.numbers[cut], counts[cut], self.replacement == "mean")
            number = float(round(number)) if domain.kind is Kind.INTEGER else number
            return number_texts(np.array([number]), domain.kind)[0]
        text = f"{said:f}" if said is not None else _spelt(domain, limit)
        return sign + text if self.replacement == "text" else text


def _limit(said: Decimal | None, share: float, quantile: float, none: float) -> float:
    if said is not None:
        return float(said)
    return quantile if share else none


def _middle(numbers: Floats, counts: Counts, mean: bool) -> float:
    if mean:
        return float((numbers * counts).sum() / counts.sum())
    order = np.argsort(numbers, kind="stable")
    running, half = np.cumsum(counts[order]), counts.sum() / 2
    low, high = (np.searchsorted(running, half, side) for side in _SIDES)
    return float((numbers[order[low]] + numbers[order[high]]) / 2)


_SIDES: Sequence[Literal["left", "right"]] = ("left", "right")


def _spelt(domain: Domain, limit: float) -> str:
    """A number as the data write it."""
    return domain.texts[int(np.flatnonzero(domain.numbers == limit)[0])]
