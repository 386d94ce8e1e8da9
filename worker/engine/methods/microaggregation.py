"""Microaggregation of numeric columns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal, Self

import numpy as np
from pydantic import Field

from worker.engine.contracts.annotations import Columns, Unit
from worker.engine.contracts.facts import StepJson
from worker.engine.contracts.goal import Goal
from worker.engine.contracts.method import Family, Method, Plan, Preset, Scope, register
from worker.engine.contracts.traces import Trace
from worker.engine.errors import NoSolution
from worker.engine.perturbation.finishing import Finish, finish_for
from worker.engine.randomness import Source
from worker.engine.reporting import Reporter
from worker.engine.tables.aligned import Aligned
from worker.engine.tables.column import Codes, Floats, Mask
from worker.engine.tables.kinds import NUMERIC
from worker.engine.tables.numeric import NumberColumn
from worker.engine.tables.statistics import Statistics
from worker.engine.tables.table import Chunk, Schema, Table
from worker.engine.tables.table import Field as ColumnField


@dataclass(frozen=True)
class MicroaggregationPlan(Plan):
    """The columns after averaging, row by row."""

    aligned: Aligned | None = None


@register
class Microaggregation(Method):
    """Replace the numbers of each row by the mean or median of at least k similar rows.

    *mdav* groups rows that are alike in all columns together: again and again the row farthest from the mean
    of those left takes its k − 1 nearest rows, and so does the row farthest from it; distances are Euclidean
    over the columns divided by their standard deviations. *principal component* orders the rows along the
    direction in which they differ most and takes k at a time: quick, and coarser. Both give every row one
    group for all columns, of k to 2 k − 1 rows, so that with all quasi-identifiers among the columns the
    release is k-anonymous in rows. *univariate* groups each column by itself in the best possible way: less
    is lost, but combinations of columns may stay unique.

    Missing cells stay missing: rows that miss the same cells are grouped among themselves. Where fewer than k
    rows do, no group can be formed and their other cells in these columns become missing too; the report
    counts them. Rows that know nothing in the columns are a class too: should they be fewer than k, the rows
    that cost the fewest cells join them. The columns are held in memory as a whole: more cells than the
    memory limit divided by 12 bytes are refused before anything is done.
    """

    slug = "microaggregation"
    title = "Microaggregation"
    family = Family.PERTURBATIVE
    scope = Scope.WHOLE_COLUMNS
    references = (
        "Domingo-Ferrer & Mateo-Sanz (2002), Practical data-oriented microaggregation for statistical "
        "disclosure control",
        "Hansen & Mukherjee (2003), A polynomial algorithm for optimal univariate microaggregation",
    )

    columns: Annotated[tuple[str, ...], Columns(kind=NUMERIC)] = Field(
        min_length=1, title="Columns", description="The numbers to average."
    )
    k: Annotated[int, Unit("rows")] = Field(
        3, ge=2, le=1_000_000, title="k", description="The fewest rows that share one value."
    )
    algorithm: Literal["mdav", "univariate", "principal-component"] = Field(
        "mdav",
        title="Algorithm",
        description="mdav: rows alike in all columns. univariate: each column by itself, with the least loss "
        "possible. principal-component: rows in order of their main direction, the quickest.",
    )
    aggregate: Literal["mean", "median"] = Field(
        "mean",
        title="Aggregate",
        description="Means keep the column's total; medians are not moved by a single extreme value.",
    )
    decimals: int | None = Field(
        None, ge=0, le=12, title="Decimals", description="Empty: as many as each column shows now."
    )

    @classmethod
    def examples(cls) -> tuple[Self, ...]:
        return (
            cls(columns=("age", "income"), k=5),
            cls(columns=("income", "visits"), k=4, algorithm="univariate", aggregate="median"),
            cls(columns=("age", "visits"), algorithm="principal-component", decimals=1),
        )

    @classmethod
    def presets(cls) -> tuple[Preset, ...]:
        kept = "totals and means stay, spread shrinks a little"
        return (
            Preset("Light", f"Every value is shared by 3 rows or more; {kept}.", {"k": 3}),
            Preset("Medium", f"Every value is shared by 5 rows or more; {kept}.", {"k": 5}),
            Preset("Strong", "Every value is shared by 15 rows or more; tails and spread shrink.", {"k": 15}),
        )

    def describe(self) -> str:
        names = ", ".join(self.columns)
        how = {
            "mdav": "rows that are alike (mdav)",
            "univariate": "neighbours, each column by itself",
            "principal-component": "rows along their principal component",
        }[self.algorithm]
        return f"Replace {names} by the {self.aggregate} of at least {self.k} {how}."

    def touches(self, schema: Schema) -> tuple[str, ...]:
        return self.columns

    def leaves(self, schema: Schema) -> Mapping[str, Trace]:
        return dict.fromkeys(self.columns, Trace.PERTURBED)

    def output_schema(self, schema: Schema) -> Schema:
        for name in self.columns:
            kind = Finish(self.decimals or 0).kind(schema[name].kind)
            schema = schema.with_field(ColumnField(name, kind, schema[name].role))
        return schema

    def plan(
        self, statistics: Statistics, goals: Sequence[Goal], source: Source, report: Reporter
    ) -> MicroaggregationPlan:
        self.require_values(statistics)
        finishes = [finish_for(statistics, name, self.decimals, None, None, False) for name in self.columns]
        whole = statistics.table(self.columns)
        work = _Averaging([whole[name].numbers for name in self.columns], self.k)
        together = self.algorithm != "univariate"
        sets = [tuple(range(len(self.columns)))] if together else [(i,) for i in range(len(self.columns))]
        for number, some in enumerate(sets):
            with report.span(number / len(sets), (number + 1) / len(sets)):
                work.average(some, self.algorithm, self.aggregate == "median", report)
                report.progress(1.0)
        if whole.rows and not work.groups:
            text = f"k: too few rows know the same columns for groups of {self.k}. Choose a smaller k."
            raise NoSolution("too-few-rows", text, param="k")
        made = []
        for name, finish, new, old in zip(self.columns, finishes, work.made, work.numbers, strict=True):
            finish.apply(new, old)
            made.append(NumberColumn(name, finish.kind(whole[name].kind), new, finish.places))
        ids = None if whole.is_contiguous else whole.row_ids
        table = Table(made, whole.first_row, whole.rows, ids)
        return MicroaggregationPlan(self._facts(work), Aligned(table))

    def transform(self, chunk: Chunk, plan: MicroaggregationPlan, source: Source) -> Chunk:
        return plan.aligned.put_into(chunk) if plan.aligned else chunk

    def guidance(self, facts: StepJson) -> tuple[str, ...]:
        names = ", ".join(self.columns)
        said = f"{names}: each value is the {self.aggregate} of a group of at least {self.k} similar rows"
        said += ", each column grouped by itself." if self.algorithm == "univariate" else "."
        kept = ", ".join(f"{share:.4g} of {name}" for name, share in facts["variance_kept"].items())
        means = (
            "Means and totals are the original ones but for rounding. " if self.aggregate == "mean" else ""
        )
        return (
            said,
            f"{means}Variances are too small: the groups keep {kept}. Correlations among these columns are "
            "overstated when they were grouped together; extremes and single records cannot be analysed.",
        )

    def _facts(self, work: _Averaging) -> StepJson:
        return {
            "columns": list(self.columns),
            "k": self.k,
            "algorithm": self.algorithm,
            "groups": work.groups,
            "smallest_group": work.smallest,
            "largest_group": work.largest,
            "cleared_cells": work.cleared,
            "variance_kept": dict(zip(self.columns, work.kept(), strict=True)),
        }


class _Averaging:
    """Numbers column by column, and what becomes of them."""

    def __init__(self, numbers: Sequence[Floats], k: int) -> None:
        self.numbers = list(numbers)
        self.made = [column.copy() for column in numbers]
        self._k = k
        self.groups = self.cleared = 0
        self.smallest: int | None = None
        self.largest: int | None = None

    def average(self, some: tuple[int, ...], algorithm: str, median: bool, report: Reporter) -> None:
        """Group the rows by these columns and replace their numbers."""
        found = list(_patterns([self.numbers[i] for i in some]))
        cleared = self._cleared(found, alone=len(some) == 1)
        for number, (rows, known) in enumerate(found):
            at = [i for i, is_known in zip(some, known, strict=True) if is_known]
            if number in cleared:
                self._clear(at, rows)
                continue
            if not at:
                continue
            of = _grouped([self.numbers[i][rows] for i in at], self._k, algorithm, report)
            self._count(np.bincount(of))
            self._fill(at, rows, of, median)

    def _cleared(self, found: Sequence[tuple[Codes, Mask]], alone: bool) -> set[int]:
        """The patterns too rare to be grouped; with rows that know nothing they are a class of k, or none.

        Where a column is grouped by itself, nobody promises anything of the rows that miss it.
        """
        rare = {i for i, (rows, known) in enumerate(found) if len(rows) < self._k and known.any()}
        others = [i for i, (_, known) in enumerate(found) if i not in rare and known.any()]
        empty = sum(len(rows) for i, (rows, _) in enumerate(found) if i not in others)
        if not alone and 0 < empty < self._k and others:
            rare.add(min(others, key=lambda i: len(found[i][0]) * int(found[i][1].sum())))
        return rare

    def kept(self) -> list[float]:
        """The share of each column's variance that is left."""
        return [_share_kept(old, new) for old, new in zip(self.numbers, self.made, strict=True)]

    def _fill(self, at: Sequence[int], rows: Codes, of: Codes, median: bool) -> None:
        from worker.engine.microaggregation.partitions import middles

        for i in at:
            self.made[i][rows] = middles(self.numbers[i][rows], of, median)

    def _clear(self, at: Sequence[int], rows: Codes) -> None:
        for i in at:
            self.made[i][rows] = np.nan
        self.cleared += len(at) * len(rows)

    def _count(self, sizes: Any) -> None:
        self.groups += len(sizes)
        self.smallest = min(int(sizes.min()), self.smallest or int(sizes.min()))
        self.largest = max(int(sizes.max()), self.largest or 0)


def _patterns(columns: Sequence[Floats]) -> Iterator[tuple[Codes, Mask]]:
    """The rows that know the same columns, and which those are."""
    known = ~np.isnan(columns)
    if known.all():
        yield np.arange(known.shape[1], dtype=np.int32), np.ones(len(columns), bool)
        return
    patterns, which = np.unique(known, axis=1, return_inverse=True)
    for number in range(patterns.shape[1]):
        yield np.flatnonzero(which.reshape(-1) == number).astype(np.int32), patterns[:, number]


def _grouped(columns: Sequence[Floats], k: int, algorithm: str, report: Reporter) -> Codes:
    if algorithm == "mdav":
        from worker.engine.microaggregation.mdav import mdav

        return mdav(columns, k, report.progress)
    from worker.engine.microaggregation.partitions import principal_component, univariate

    report.checkpoint()
    if algorithm == "univariate":
        return univariate(columns[0], k)
    return principal_component(columns, k)


def _share_kept(old: Floats, new: Floats) -> float:
    """1 when nothing varied."""
    before = old[~np.isnan(new)]
    spread = float(np.var(before)) if len(before) else 0.0
    return round(float(np.var(new[~np.isnan(new)])) / spread, 6) if spread > 0 else 1.0
