"""A random sample of the rows, with weights."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Self

import numpy as np
from pydantic import Field, model_validator

from worker.engine.contracts.annotations import Columns, Unit
from worker.engine.contracts.facts import StepJson
from worker.engine.contracts.goal import Goal
from worker.engine.contracts.method import Family, Method, Plan, Preset, register
from worker.engine.contracts.traces import Trace
from worker.engine.errors import EngineError
from worker.engine.randomness import Source
from worker.engine.reporting import Reporter
from worker.engine.tables.column import Floats
from worker.engine.tables.drawing import of_rows
from worker.engine.tables.kinds import GROUPING, Kind, Role
from worker.engine.tables.numeric import NumberColumn
from worker.engine.tables.statistics import Statistics
from worker.engine.tables.table import Chunk, Schema, Tallies
from worker.engine.tables.table import Field as ColumnField


@dataclass(frozen=True)
class SamplingPlan(Plan):
    """The tagged weight, if any, and its mean."""

    weight: str | None = None
    mean_weight: float = 1.0


@register
class Sampling(Method):
    """Release a random part of the rows, so that nobody can be sure that a person is in it.

    Each row, or each household as a whole, is kept with a known probability, independently of all others.
    The tagged weight is divided by that probability, so that weighted totals keep estimating the
    population's; without one, a column of weights can be added. With probabilities proportional to the
    weight, rows that stand for many people are kept more often and all kept rows stand for equally many.
    """

    slug = "sampling"
    title = "Sampling"
    family = Family.SUPPRESSING
    references = ("Willenborg & De Waal (2001), Elements of statistical disclosure control, §5",)

    share: Annotated[float, Unit("of the rows")] = Field(
        0.5, gt=0, le=1, title="Share", description="The probability of being kept."
    )
    unit: Annotated[str | None, Columns(role=GROUPING)] = Field(
        None,
        title="Keep together",
        description="Rows with the same value here are kept or left out as a whole.",
    )
    by_weight: bool = Field(
        False, title="Proportional to the weight", description="Keep rows with large weights more often."
    )
    weight_name: str = Field(
        "",
        max_length=60,
        title="New weight column",
        description="When no weight is tagged: the name of a column that tells how many rows each kept "
        "row stands for.",
    )

    @classmethod
    def examples(cls) -> tuple[Self, ...]:
        return (cls(unit="household"),)

    @classmethod
    def presets(cls) -> tuple[Preset, ...]:
        return (
            Preset("Half", "Every second row is left out; standard errors grow by 41 %.", {"share": 0.5}),
            Preset("Tenth", "Nine of ten rows are left out; standard errors triple.", {"share": 0.1}),
        )

    @model_validator(mode="after")
    def _one_unit(self) -> Self:
        if self.by_weight and self.unit:
            raise ValueError("Rows that stay together cannot be kept by their own weights.")
        return self

    def describe(self) -> str:
        what = f"rows with equal {self.unit}" if self.unit else "each row"
        how = " in proportion to its weight" if self.by_weight else ""
        return f"Keep {what} with probability {self.share:g}{how}."

    def touches(self, schema: Schema) -> tuple[str, ...]:
        return (*((self.unit,) if self.unit else ()), *schema.named(Role.WEIGHT))

    def check(self, schema: Schema) -> None:
        super().check(schema)
        if self.by_weight and not schema.named(Role.WEIGHT):
            text = "by_weight: no column is tagged weight. Tag one, or keep all rows with equal probability."
            raise EngineError("no-weight", text, param="by_weight")
        if self.weight_name and self.weight_name in schema:
            text = "weight_name: the data already have a column of this name. Choose another one."
            raise EngineError("column-exists", text, param="weight_name")

    def leaves(self, schema: Schema) -> Mapping[str, Trace]:
        """A tagged weight is divided by a probability that follows from it; a new one tells nothing."""
        weights = dict.fromkeys(schema.named(Role.WEIGHT), Trace.COARSER)
        return weights or dict.fromkeys((self.weight_name,) if self.weight_name else (), Trace.MADE_UP)

    @property
    def drops_rows(self) -> bool:
        return True

    def output_schema(self, schema: Schema) -> Schema:
        for name in schema.named(Role.WEIGHT):
            return schema.with_field(ColumnField(name, Kind.DECIMAL, Role.WEIGHT))
        if self.weight_name:
            return schema.with_field(ColumnField(self.weight_name, Kind.DECIMAL, Role.OTHER))
        return schema

    def plan(
        self, statistics: Statistics, goals: Sequence[Goal], source: Source, report: Reporter
    ) -> SamplingPlan:
        self.require_values(statistics)
        weight = statistics.weight
        mean = statistics.moments(weight).mean if weight and self.by_weight else 1.0
        facts = {"share": self.share, "unit": self.unit or "row", "by_weight": self.by_weight}
        return SamplingPlan(facts, weight, mean if mean > 0 else 1.0)

    def transform(self, chunk: Chunk, plan: SamplingPlan, source: Source) -> Chunk:
        chances = self._chances(chunk, plan)
        kept = self._draws(chunk, source) < chances
        sampled = chunk.filter(kept)
        if plan.weight or self.weight_name:
            weights = chunk[plan.weight].numbers if plan.weight else np.ones(chunk.rows)
            name = plan.weight or self.weight_name
            fresh = NumberColumn(name, Kind.DECIMAL, (weights / chances)[kept])
            sampled = sampled.with_columns(fresh)
        return sampled.tallied(rows_before=chunk.rows, rows_kept=sampled.rows)

    def conclude(self, plan: SamplingPlan, tallies: Tallies) -> StepJson:
        return {"rows_before": 0, "rows_kept": 0, **tallies}

    def guidance(self, facts: StepJson) -> tuple[str, ...]:
        if self.by_weight:
            return (
                f"The rows are a random sample: each was kept with a probability of {self.share:g} times its "
                "weight over the mean weight, at most 1.",
                "All kept rows stand for equally many, except those whose weight is so large that they were "
                "certain to be kept: unweighted means estimate the population's. Totals need the weight "
                "column, where it is released.",
            )
        unit = f"rows with equal {self.unit} together" if self.unit else "each row by itself"
        return (
            f"The rows are a random sample ({unit}, probability {self.share:g}).",
            "Use the weight column for totals; unweighted totals must be divided by the probability."
            if self.weight_name
            else f"Divide totals by {self.share:g}, unless a weight column is released, which already is.",
        )

    def _chances(self, chunk: Chunk, plan: SamplingPlan) -> Floats:
        if self.by_weight and plan.weight:
            return np.minimum(1.0, self.share * chunk[plan.weight].numbers / plan.mean_weight)
        return np.full(chunk.rows, self.share)

    def _draws(self, chunk: Chunk, source: Source) -> Floats:
        draws = np.empty(chunk.rows)
        for block, rows in chunk.blocks():
            draws[rows] = of_rows(chunk, block, rows, source.stream("\x00sampling", block).random)
        if self.unit is None:
            return draws
        groups = chunk[self.unit].compact()
        hashes = source.keyed_hash(groups.label_texts, "sampling") >> 11
        shared = (hashes.astype(np.float64) / 2.0**53)[groups.codes] if len(hashes) else draws
        return np.where(groups.missing_rows, draws, shared)
