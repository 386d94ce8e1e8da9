"""Noise on one numeric column."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Literal, Self

import numpy as np
from pydantic import Field, model_validator

from worker.engine.contracts.annotations import Columns, Unit
from worker.engine.contracts.channels import AddedNoise, Channel
from worker.engine.contracts.facts import StepJson
from worker.engine.contracts.goal import Goal
from worker.engine.contracts.method import Family, Method, Plan, Preset, register
from worker.engine.contracts.traces import Trace
from worker.engine.perturbation.finishing import Finish, finish_for
from worker.engine.perturbation.rounded_noise import (
    clipping,
    may_undo,
    rounded_variance,
    said_of_clipping,
    said_of_rounding,
)
from worker.engine.randomness import Source
from worker.engine.reporting import Reporter
from worker.engine.tables.column import Floats
from worker.engine.tables.drawing import put_noise, shared_noise
from worker.engine.tables.kinds import GROUPING, NUMERIC
from worker.engine.tables.numeric import NumberColumn
from worker.engine.tables.statistics import Statistics
from worker.engine.tables.table import Chunk, Schema, Tallies
from worker.engine.tables.table import Field as ColumnField

NEARLY = 0.01
"""A correction that differs by less from what was drawn is not told apart."""


@dataclass(frozen=True)
class NoisePlan(Plan):
    """The standard deviation in the column's units (or as a factor), and how results are finished."""

    deviation: float = 0.0
    finish: Finish = field(default_factory=lambda: Finish(0))
    counts: bool = False
    """Whether the cells that got noise are counted: rounding might give some back."""


@register
class Noise(Method):
    """Add random noise to a numeric column, or multiply it by random factors near 1.

    Means stay right on average; variances grow by a known amount, which the codebook states so that
    analysts can correct for it. Missing cells stay missing. Results are rounded to the decimals that the
    column shows, because the digits below would give the noise away, and are kept within bounds: that moves
    the mean, and the codebook says by how much. Noise gives no formal guarantee: rare, extreme values stay
    extreme.
    """

    slug = "noise"
    title = "Noise"
    family = Family.PERTURBATIVE
    averages_out = True
    references = (
        "Brand (2002), Microdata protection through noise addition",
        "Hundepool et al. (2012), Statistical Disclosure Control, §3.3.1",
    )

    column: Annotated[str, Columns(kind=NUMERIC)] = Field(
        title="Column", description="The numbers to change."
    )
    amount: Annotated[float, Unit("standard deviations")] = Field(
        0.1,
        gt=0,
        le=10,
        title="Amount",
        description="Standard deviation of the noise: as a multiple of the column's own (additive), or of "
        "each value (multiplicative).",
    )
    mode: Literal["additive", "multiplicative"] = Field(
        "additive", title="Mode", description="Multiplicative noise changes large values more."
    )
    distribution: Literal["gaussian", "laplace", "uniform"] = Field(
        "gaussian",
        title="Distribution",
        description="Uniform noise has a largest change; the others have none.",
    )
    decimals: int | None = Field(
        None,
        ge=0,
        le=12,
        title="Decimals",
        description="Digits after the decimal point. Empty: as many as the column shows now.",
    )
    lower: float | None = Field(
        None, title="Lower bound", description="Smaller results are set to it. Empty: the declared bound."
    )
    upper: float | None = Field(
        None, title="Upper bound", description="Larger results are set to it. Empty: the declared bound."
    )
    keep_zeros: bool = Field(
        False, title="Leave zeros alone", description="A zero often means that there is nothing to measure."
    )
    shared_by: Annotated[str | None, Columns(role=GROUPING)] = Field(
        None,
        title="Shared by",
        description="Rows with the same value here, such as a household key, get the same noise.",
    )

    @classmethod
    def examples(cls) -> tuple[Self, ...]:
        return (
            cls(column="income"),
            cls(column="income", mode="multiplicative", distribution="uniform", amount=0.05, lower=0),
            cls(column="income", distribution="laplace", shared_by="household", keep_zeros=True),
        )

    @classmethod
    def presets(cls) -> tuple[Preset, ...]:
        return (
            Preset(
                "Light",
                "Values move by about 5 % of their spread; hardly any result changes.",
                {"amount": 0.05},
            ),
            Preset(
                "Medium", "Values move by about 10 % of their spread; variances grow by 1 %.", {"amount": 0.1}
            ),
            Preset(
                "Strong", "Values move by about half their spread; variances grow by 25 %.", {"amount": 0.5}
            ),
        )

    @model_validator(mode="after")
    def _bounds_in_order(self) -> Self:
        if self.lower is not None and self.upper is not None and self.lower > self.upper:
            raise ValueError("The lower bound must not be above the upper bound.")
        return self

    def describe(self) -> str:
        how = (
            f"{self.amount:g} standard deviations"
            if self.mode == "additive"
            else f"{self.amount:.4g} of each value"
        )
        shared = f", the same for rows with equal {self.shared_by}" if self.shared_by else ""
        verb = "Add" if self.mode == "additive" else "Multiply in"
        return f"{verb} {self.distribution} noise of {how} to {self.column}{shared}."

    def touches(self, schema: Schema) -> tuple[str, ...]:
        return tuple(dict.fromkeys(name for _, name, _ in self.named_columns()))

    def leaves(self, schema: Schema) -> Mapping[str, Trace]:
        return {self.column: Trace.PERTURBED}

    def channels(self, statistics: Statistics) -> Mapping[str, Channel]:
        relative, step = self.mode == "multiplicative", 10.0 ** -self._finish(statistics).places
        return {
            self.column: AddedNoise(self._deviation(statistics), self.distribution, relative, step),
        }

    def output_schema(self, schema: Schema) -> Schema:
        field = schema[self.column]
        kind = Finish(self.decimals or 0).kind(field.kind)
        return schema.with_field(ColumnField(field.name, kind, field.role))

    def plan(
        self, statistics: Statistics, goals: Sequence[Goal], source: Source, report: Reporter
    ) -> NoisePlan:
        self.require_values(statistics)
        finish = self._finish(statistics)
        deviation = self._deviation(statistics)
        facts = {
            "column": self.column,
            "noise_deviation": deviation,
            "mode": self.mode,
            "distribution": self.distribution,
            "decimals": finish.places,
            "bounds": [finish.lower, finish.upper],
        }
        counts = self.mode == "multiplicative" or may_undo(deviation, finish.places)
        return NoisePlan(facts, deviation, finish, counts)

    def transform(self, chunk: Chunk, plan: NoisePlan, source: Source) -> Chunk:
        numbers = chunk[self.column].numbers
        fresh, clipped = np.empty(chunk.rows), np.zeros(3)
        for block, rows in chunk.blocks():
            old, new = numbers[rows], fresh[rows]
            self._draw(new, chunk, block, rows, source)
            new *= plan.deviation
            if self.mode == "multiplicative":
                new += 1.0
                new *= old
            else:
                new += old
            clipped += plan.finish.apply(new, old)
        column = NumberColumn(
            self.column, plan.finish.kind(chunk[self.column].kind), fresh, plan.finish.places
        )
        made = chunk.with_columns(column).tallied(clipped=clipped)
        if not plan.counts:
            return made
        return made.tallied(noisy_cells=plan.finish.cells(numbers))

    def conclude(self, plan: NoisePlan, tallies: Tallies) -> StepJson:
        clipped = clipping(tallies.get("clipped", np.zeros(3)), plan.finish.places)
        counted = {"noisy_cells": int(tallies.get("noisy_cells", 0))} if plan.counts else {}
        return {"clipped_cells": clipped["cells"], "clipped": {self.column: clipped}, **counted}

    def guidance(self, facts: StepJson) -> tuple[str, ...]:
        deviation = float(facts["noise_deviation"])
        shared = (
            " Rows that share a group share the noise: treat them as clustered." if self.shared_by else ""
        )
        but = " but for the results that were set to a bound" if facts["clipped_cells"] else ""
        if self.mode == "multiplicative":
            return (
                f"{self.column}: each value was multiplied by an independent random factor with mean 1 "
                f"and standard deviation {deviation:.6g} ({self.distribution}).{shared}",
                f"Means and totals are unbiased{but}. E[x²] is too large by the factor "
                f"{1 + deviation**2:.6g}: divide the mean of squares by it before computing a variance.",
                *_limits(facts),
            )
        return (
            f"{self.column}: independent {self.distribution} noise with mean 0 and standard deviation "
            f"{deviation:.6g} was added to each value.{shared}",
            f"Means and totals are unbiased{but}. {self._variance(facts)} As a predictor in a regression its "
            "slope is too small: divide it by 1 − (noise variance / sample variance).",
            *_limits(facts),
        )

    def _finish(self, statistics: Statistics) -> Finish:
        return finish_for(statistics, self.column, self.decimals, self.lower, self.upper, self.keep_zeros)

    def _deviation(self, statistics: Statistics) -> float:
        if self.mode == "multiplicative":
            return self.amount
        spread = statistics.moments(self.column).variance
        return self.amount * (0.0 if np.isnan(spread) else float(np.sqrt(spread)))

    def _variance(self, facts: StepJson) -> str:
        """How to correct a variance: what is left of the noise after rounding, in the values that got any."""
        drawn = float(facts["noise_deviation"]) ** 2
        left = rounded_variance(self.distribution, float(facts["noise_deviation"]), facts["decimals"])
        some = " times the share of values that are not 0, because zeros got no noise," * self.keep_zeros
        if abs(left - drawn) <= NEARLY * drawn:
            return f"Subtract {drawn:.6g}{some} from the sample variance."
        return (
            f"Rounding to {facts['decimals']} decimals leaves noise of variance {left:.6g}: subtract "
            f"that{some} from the sample variance."
        )

    def _draw(self, out: Floats, chunk: Chunk, block: int, rows: slice, source: Source) -> None:
        put_noise(out, chunk, block, rows, source.stream(self.column, block), self.distribution)
        if self.shared_by is not None:
            groups = chunk[self.shared_by].take(rows)
            shared = shared_noise(groups, self.distribution, source, self.column)
            np.copyto(out, shared, where=~np.isnan(shared))


def _limits(facts: StepJson) -> tuple[str, ...]:
    return (*said_of_rounding(f"{facts['decimals']} decimals", facts), *said_of_clipping(facts))
