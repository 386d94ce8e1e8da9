"""Noise on several numeric columns that keeps how they hang together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Annotated, Self

import numpy as np
from pydantic import Field

from worker.engine.contracts.annotations import Columns, Unit
from worker.engine.contracts.channels import AddedNoise, Channel
from worker.engine.contracts.facts import StepJson
from worker.engine.contracts.goal import Goal
from worker.engine.contracts.method import Family, Method, Plan, Preset, register
from worker.engine.contracts.traces import Trace
from worker.engine.errors import EngineError
from worker.engine.perturbation.finishing import Finish, finish_for
from worker.engine.perturbation.rounded_noise import clipping, may_undo, said_of_clipping, said_of_rounding
from worker.engine.randomness import Source
from worker.engine.reporting import Reporter
from worker.engine.tables.column import Floats
from worker.engine.tables.drawing import of_rows, shared_noise, unit_noise
from worker.engine.tables.kinds import GROUPING, NUMERIC
from worker.engine.tables.numeric import NumberColumn
from worker.engine.tables.statistics import Statistics
from worker.engine.tables.table import Chunk, Schema, Tallies
from worker.engine.tables.table import Field as ColumnField

ROBUST_SAMPLE = 20_000


@dataclass(frozen=True)
class CorrelatedNoisePlan(Plan):
    """`factor` makes noise of the wanted covariance; with `shrink` below 1 values are drawn to the mean."""

    factor: Floats = field(default_factory=lambda: np.zeros((0, 0)))
    mean: Floats = field(default_factory=lambda: np.zeros(0))
    shrink: float = 1.0
    finishes: tuple[Finish, ...] = ()
    counts: bool = False
    """Whether the cells that got noise are counted: rounding might give some back."""


@register
class CorrelatedNoise(Method):
    """Add noise to several numeric columns with the covariance that the columns themselves have.

    With noise of covariance d·Σ all covariances grow by the same factor 1 + d, so that correlations stay;
    the option to keep the covariance draws values towards the mean by 1/√(1 + d), after which means and
    covariances are those of the original, on average. The robust option measures Σ without the rows that
    lie far out, so that a few large values do not blow up everybody's noise; means stay then too, but
    covariances are kept for the rows that do not lie far out, and the codebook tells how to correct those of
    all. Missing cells stay missing; rows with a missing cell do not count for Σ.
    """

    slug = "correlated-noise"
    title = "Correlated noise"
    family = Family.PERTURBATIVE
    averages_out = True
    references = (
        "Kim (1986), A method for limiting disclosure in microdata based on random noise and transformation",
        "Rousseeuw & Van Driessen (1999), A fast algorithm for the minimum covariance determinant estimator",
    )

    columns: Annotated[tuple[str, ...], Columns(kind=NUMERIC)] = Field(
        min_length=1, title="Columns", description="The numbers to change together."
    )
    share: Annotated[float, Unit("of the variance")] = Field(
        0.1, gt=0, le=10, title="Noise share", description="d: the noise has covariance d·Σ."
    )
    keep_covariance: bool = Field(
        True,
        title="Keep means and covariances",
        description="Draw values towards the mean to make up for the noise.",
    )
    robust: bool = Field(
        False, title="Robust covariance", description="Measure Σ without the rows that lie far out."
    )
    decimals: int | None = Field(
        None, ge=0, le=12, title="Decimals", description="Empty: as many as each column shows now."
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
            cls(columns=("age", "income")),
            cls(columns=("age", "income"), share=0.5, keep_covariance=False, robust=True, decimals=1),
            cls(columns=("age", "income"), shared_by="household"),
        )

    @classmethod
    def presets(cls) -> tuple[Preset, ...]:
        kept = "means, variances and correlations stay on average."
        return (
            Preset("Light", f"Noise of 5 % of the variance; {kept}", {"share": 0.05}),
            Preset("Medium", f"Noise of 10 % of the variance; {kept}", {"share": 0.1}),
            Preset("Strong", f"Noise of 50 % of the variance; {kept}", {"share": 0.5}),
        )

    def describe(self) -> str:
        kept = ", keeping means and covariances" if self.keep_covariance else ""
        robust = " (robust)" if self.robust else ""
        names = ", ".join(self.columns)
        shared = f", the same for rows with equal {self.shared_by}" if self.shared_by else ""
        return f"Add noise with {self.share:g} of the covariance{robust} of {names} to them{kept}{shared}."

    def touches(self, schema: Schema) -> tuple[str, ...]:
        return tuple(dict.fromkeys(name for _, name, _ in self.named_columns()))

    def leaves(self, schema: Schema) -> Mapping[str, Trace]:
        return dict.fromkeys(self.columns, Trace.PERTURBED)

    def channels(self, statistics: Statistics) -> Mapping[str, Channel]:
        """Each column by itself; a covariance without the rows far out is not published."""
        if self.robust:
            return {}
        shrink = self._shrink
        mean, matrix = self._of_all(statistics)
        noise = shrink * np.sqrt(self.share * np.diag(matrix))
        each = zip(self.columns, mean.tolist(), noise.tolist(), strict=True)
        return {
            name: AddedNoise(deviation, factor=shrink, shift=(1 - shrink) * centre)
            for name, centre, deviation in each
        }

    def output_schema(self, schema: Schema) -> Schema:
        for name in self.columns:
            kind = Finish(self.decimals or 0).kind(schema[name].kind)
            schema = schema.with_field(ColumnField(name, kind, schema[name].role))
        return schema

    def plan(
        self, statistics: Statistics, goals: Sequence[Goal], source: Source, report: Reporter
    ) -> CorrelatedNoisePlan:
        self.require_values(statistics)
        finishes = tuple(
            finish_for(statistics, name, self.decimals, None, None, self.keep_zeros) for name in self.columns
        )
        mean, matrix = self._measured(statistics, source)
        noise = self.share * matrix
        shrink = self._shrink
        facts = {
            "columns": list(self.columns),
            "noise_covariance": (noise * shrink**2).tolist(),
            "shrink": float(shrink),
            "robust": self.robust,
            "decimals": [finish.places for finish in finishes],
            "bounds": [[finish.lower, finish.upper] for finish in finishes],
        }
        spreads = zip(np.sqrt(np.diag(noise)).tolist(), finishes, strict=True)
        counts = any(may_undo(deviation, finish.places) for deviation, finish in spreads)
        return CorrelatedNoisePlan(facts, _root(noise), mean, float(shrink), finishes, counts)

    def transform(self, chunk: Chunk, plan: CorrelatedNoisePlan, source: Source) -> Chunk:
        old = [chunk[name].numbers for name in self.columns]
        fresh = [np.empty(chunk.rows) for _ in self.columns]
        clipped = np.zeros((len(self.columns), 3))
        for block, rows in chunk.blocks():
            draws = self._draws(chunk, block, rows, source)
            for i, finish in enumerate(plan.finishes):
                new = fresh[i][rows]
                new[:] = old[i][rows]
                for weight, one in zip(plan.factor[i].tolist(), draws, strict=True):
                    if weight:  # a product of matrices would wake threads for each small block
                        new += weight * one
                if plan.shrink < 1.0:
                    new *= plan.shrink
                    new += (1.0 - plan.shrink) * plan.mean[i]
                clipped[i] += finish.apply(new, old[i][rows])
        made = [
            NumberColumn(name, finish.kind(chunk[name].kind), numbers, finish.places)
            for name, finish, numbers in zip(self.columns, plan.finishes, fresh, strict=True)
        ]
        done = chunk.with_columns(*made).tallied(clipped=clipped)
        if not plan.counts:
            return done
        cells = sum(finish.cells(numbers) for finish, numbers in zip(plan.finishes, old, strict=True))
        return done.tallied(noisy_cells=cells)

    def conclude(self, plan: CorrelatedNoisePlan, tallies: Tallies) -> StepJson:
        found = tallies.get("clipped", np.zeros((len(self.columns), 3)))
        each = zip(self.columns, found, plan.finishes, strict=True)
        clipped = {name: clipping(one, finish.places) for name, one, finish in each}
        counted = {"noisy_cells": int(tallies.get("noisy_cells", 0))} if plan.counts else {}
        return {"clipped_cells": int(found[:, 0].sum()), "clipped": clipped, **counted}

    def guidance(self, facts: StepJson) -> tuple[str, ...]:
        names = ", ".join(self.columns)
        said = (
            f"{names}: normal noise with {self.share:g} times the covariance of these columns was added "
            "jointly."
        )
        if self.shared_by:
            said += " Rows that share a group share the noise: treat them as clustered."
        if self.robust:
            return (said, *self._robust_guidance(facts), *_limits(facts, self.keep_zeros))
        if self.keep_covariance:
            return (
                said,
                f"Values were then drawn to the mean by the factor {facts['shrink']:.6g}: means, variances, "
                "covariances, correlations and regressions among these columns need no correction. "
                "Correlations with other columns are too small by that factor: divide them by it.",
                *_limits(facts, self.keep_zeros),
            )
        return (
            said,
            "Correlations among these columns need no correction; divide variances and covariances by "
            f"{1 + self.share:.6g}. Correlations with other columns are too small: multiply them by "
            f"{(1 + self.share) ** 0.5:.6g}.",
            *_limits(facts, self.keep_zeros),
        )

    def _robust_guidance(self, facts: StepJson) -> tuple[str, ...]:
        """Noise of another covariance than the columns' own changes all covariances, but in a known way."""
        rows = "; ".join(" ".join(f"{one:.6g}" for one in row) for row in facts["noise_covariance"])
        shrink = float(facts["shrink"])
        drawn = f" and divide by {shrink**2:.6g}" if self.keep_covariance else ""
        return (
            "The covariance was measured without the rows that lie far out"
            + (f", and values were drawn to the mean by the factor {shrink:.6g}" if drawn else "")
            + f". Means need no correction. From covariances among these columns subtract the matrix [{rows}]"
            f"{drawn}; covariances with other columns "
            + (f"are too small by the factor {shrink:.6g}." if drawn else "need no correction."),
        )

    @property
    def _shrink(self) -> float:
        return float(1.0 / np.sqrt(1.0 + self.share)) if self.keep_covariance else 1.0

    def _of_all(self, statistics: Statistics) -> tuple[Floats, Floats]:
        """Means over all known values, and Σ over the complete rows."""
        means = np.array([statistics.moments(name).mean for name in self.columns])
        return means, statistics.covariance(self.columns).matrix

    def _measured(self, statistics: Statistics, source: Source) -> tuple[Floats, Floats]:
        """Means over all known values, so that they stay when values are drawn towards them; and Σ."""
        matrix = self._without_outliers(statistics, source) if self.robust else None
        if matrix is None:
            found, rows = statistics.covariance(self.columns), statistics.rows()
            if not found.rows and rows:
                text = "columns: no row has a value in all of these columns. Choose columns that go together."
                raise EngineError("no-complete-rows", text, param="columns")
            if found.rows == rows:
                return found.mean, found.matrix
            matrix = found.matrix
        return np.array([statistics.moments(name).mean for name in self.columns]), matrix

    def _without_outliers(self, statistics: Statistics, source: Source) -> Floats | None:
        """None when too few rows are complete to tell which ones lie far out."""
        rows = statistics.sample(self.columns, ROBUST_SAMPLE, source)
        known = np.column_stack([rows[name].numbers for name in self.columns])
        known = known[~np.isnan(known).any(axis=1)]
        if len(known) <= 4 * len(self.columns):
            return None
        from worker.engine.perturbation.robust import minimum_covariance_determinant

        return minimum_covariance_determinant(known, source.stream("\x00starts", 0))[1]

    def _draws(self, chunk: Chunk, block: int, rows: slice, source: Source) -> list[Floats]:
        streams = (source.stream(name, block) for name in self.columns)
        drawn = [of_rows(chunk, block, rows, partial(unit_noise, one, "gaussian")) for one in streams]
        if self.shared_by is not None:
            groups = chunk[self.shared_by].take(rows)
            for name, one in zip(self.columns, drawn, strict=True):
                shared = shared_noise(groups, "gaussian", source, name)
                np.copyto(one, shared, where=~np.isnan(shared))
        return drawn


def _limits(facts: StepJson, keep_zeros: bool) -> tuple[str, ...]:
    """What makes the figures above inexact."""
    said = said_of_rounding("the decimals of each column", facts)
    said += said_of_clipping(facts)
    if keep_zeros:
        said += ("Zeros were left as they were: all this holds for the other values only.",)
    return said


def _root(matrix: Floats) -> Floats:
    """A matrix whose product with its transpose is this covariance: a triangle, unless it is singular."""
    try:
        return np.asarray(np.linalg.cholesky(matrix), np.float64)
    except np.linalg.LinAlgError:
        pass
    values, vectors = np.linalg.eigh((matrix + matrix.T) / 2.0)
    root: Floats = vectors * np.sqrt(np.clip(values, 0.0, None))
    return root
