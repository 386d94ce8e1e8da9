"""Rank swapping of ordered columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated, Self

import numpy as np
from pydantic import Field

from worker.engine.contracts.annotations import Columns, Unit
from worker.engine.contracts.channels import Channel, RankWindow
from worker.engine.contracts.facts import StepJson
from worker.engine.contracts.goal import Goal
from worker.engine.contracts.method import Family, Method, Plan, Preset, Scope, register
from worker.engine.contracts.traces import Trace
from worker.engine.randomness import Source
from worker.engine.reporting import Reporter
from worker.engine.tables.aligned import Aligned
from worker.engine.tables.column import Column, Floats
from worker.engine.tables.declaration import Declaration
from worker.engine.tables.kinds import NUMERIC, Kind
from worker.engine.tables.numeric import NumberColumn
from worker.engine.tables.statistics import Statistics
from worker.engine.tables.table import Chunk, Schema, Table
from worker.engine.wording import measured


@dataclass(frozen=True)
class RankSwappingPlan(Plan):
    """The columns after swapping, row by row."""

    aligned: Aligned | None = None


@register
class RankSwapping(Method):
    """Swap the values of a column between rows that rank close to one another.

    Each value is exchanged with that of a row at most p % of the ranks away, chosen at random, each column by
    itself. The values of the column stay exactly the same as a set, so that its distribution does not change;
    associations with other columns weaken as p grows. Missing cells take no part. Equal values are ranked in
    random order; one that meets its equal stays what it was, so that columns with few values change little.
    """

    slug = "rank-swapping"
    title = "Rank swapping"
    family = Family.PERTURBATIVE
    averages_out = True
    scope = Scope.WHOLE_COLUMNS
    references = ("Moore (1996), Controlled data-swapping techniques for masking public use microdata sets",)

    columns: Annotated[tuple[str, ...], Columns(kind=NUMERIC | {Kind.ORDINAL})] = Field(
        min_length=1, title="Columns", description="Each is swapped by itself."
    )
    percent: Annotated[float, Unit("% of the ranks")] = Field(
        5.0,
        gt=0,
        le=100,
        title="Farthest swap",
        description="Ranks of swapped values differ by at most this much.",
    )

    @classmethod
    def examples(cls) -> tuple[Self, ...]:
        return (cls(columns=("income",)), cls(columns=("age", "income"), percent=10))

    @classmethod
    def presets(cls) -> tuple[Preset, ...]:
        same = "the distribution of each column does not change"
        return (
            Preset("Light", f"Values move within 2 % of the ranks; {same}.", {"percent": 2}),
            Preset("Medium", f"Values move within 5 % of the ranks; {same}.", {"percent": 5}),
            Preset("Strong", f"Values move within 15 % of the ranks; {same}.", {"percent": 15}),
        )

    def describe(self) -> str:
        return (
            f"Swap values of {', '.join(self.columns)} between rows within {measured(self.percent, '%')} "
            "of the ranks."
        )

    def touches(self, schema: Schema) -> tuple[str, ...]:
        return self.columns

    def leaves(self, schema: Schema) -> Mapping[str, Trace]:
        return dict.fromkeys(self.columns, Trace.EXCHANGED)

    def channels(self, statistics: Statistics) -> Mapping[str, Channel]:
        return dict.fromkeys(self.columns, RankWindow(self.percent / 100))

    def plan(
        self, statistics: Statistics, goals: Sequence[Goal], source: Source, report: Reporter
    ) -> RankSwappingPlan:
        self.require_values(statistics)
        made, facts = [], []
        whole = statistics.table(self.columns)
        for number, name in enumerate(self.columns):
            column, told = self._swapped(whole[name], statistics.declaration(name), source)
            made.append(column)
            facts.append({"column": name, **told})
            report.progress((number + 1) / len(self.columns))
        ids = None if whole.is_contiguous else whole.row_ids
        table = Table(made, whole.first_row, whole.rows, ids)
        return RankSwappingPlan({"percent": self.percent, "columns": facts}, Aligned(table))

    def transform(self, chunk: Chunk, plan: RankSwappingPlan, source: Source) -> Chunk:
        return plan.aligned.put_into(chunk) if plan.aligned else chunk

    def guidance(self, facts: StepJson) -> tuple[str, ...]:
        names = ", ".join(self.columns)
        return (
            f"{names}: values were swapped between rows at most {measured(self.percent, '%')} of the "
            "ranks apart.",
            "Frequencies, means, variances and quantiles of each of these columns are exactly the "
            "original ones. Correlations and regressions with other columns are weakened, and the more so "
            "in small subgroups.",
        )

    def _swapped(self, column: Column, declared: Declaration, source: Source) -> tuple[Column, StepJson]:
        from worker.engine.swapping.rank_swap import swapped

        keys = _keys(column, declared)
        payload = keys if isinstance(column, NumberColumn) else column.codes
        rows = np.flatnonzero(~np.isnan(keys)) if np.isnan(keys).any() else None
        some, moving = (keys, payload) if rows is None else (keys[rows], payload[rows])
        reach = int(Fraction(repr(self.percent)) * len(some) / 100)
        same = moving is some or payload is keys
        moved, largest = swapped(some, some if same else moving, reach, source.stream(column.name, 0))
        told = {"values": len(some), "allowed_rank_difference": reach, "largest_rank_difference": largest}
        if rows is not None:
            fresh = payload.copy()
            fresh[rows] = moved
            moved = fresh
        if isinstance(column, NumberColumn):
            return NumberColumn(column.name, column.kind, moved, column.known_places), told
        return Column(column.name, column.kind, moved, column.labels, column.missing), told


def _keys(column: Column, declared: Declaration) -> Floats:
    """What the values are ranked by; NaN where there is none."""
    if column.is_numeric:
        return column.numbers
    order = {text: float(i) for i, text in enumerate(declared.categories or sorted(column.label_texts))}
    labels = zip(column.label_texts, column.missing.tolist(), strict=True)
    ranks = [np.nan if gone else order.get(text, np.nan) for text, gone in labels]
    return np.array(ranks, dtype=np.float64)[column.codes] if ranks else np.empty(0)
