"""Synthetic rows from one tree per column."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Self

import numpy as np
from pydantic import Field

from worker.engine.contracts.annotations import Columns, Unit
from worker.engine.contracts.facts import StepJson
from worker.engine.contracts.goal import Goal
from worker.engine.contracts.method import Family, Method, Plan, Preset, register
from worker.engine.contracts.traces import Trace, gone
from worker.engine.randomness import Source
from worker.engine.reporting import Reporter
from worker.engine.synthesis.hold_out import HoldOutShare, SetAside
from worker.engine.synthesis.released import dropping, released_columns
from worker.engine.synthesis.sequence import Link, linked
from worker.engine.tables.drawing import of_rows
from worker.engine.tables.statistics import Statistics
from worker.engine.tables.table import Chunk, Schema


@dataclass(frozen=True)
class TreesPlan(Plan):
    """One link per column, each drawing from those before it."""

    links: tuple[Link, ...] = ()


@register
class SyntheticTrees(Method):
    """Replace all rows by made-up ones, column after column, each by a tree on those before it.

    For every column a classification or regression tree is grown on the columns before it (sequential
    CART). A made-up row falls through the tree and takes a value from the leaf it comes to: a category, or
    a number between two neighbours of the leaf. Interactions that the trees find are kept, so that results
    stay closer to the original ones than with a copula, and so do the risks: a leaf never has fewer rows
    than the smallest leaf, and rare categories are left out. A part of the original rows is set aside first
    and never looked at, so that it can be measured how much more the file tells of the others. Columns that
    are not listed leave the release. This is not differential privacy.
    """

    slug = "synthetic-trees"
    title = "Synthetic data (sequential trees)"
    family = Family.SYNTHETIC
    references = (
        "Reiter (2005), Using CART to generate partially synthetic public use microdata",
        "Nowok, Raab & Dibben (2016), synthpop: bespoke creation of synthetic data in R",
    )

    columns: Annotated[tuple[str, ...], Columns()] = Field(
        (),
        title="Columns",
        description="What to make up, in the order of the table. Empty: every released column.",
    )
    smallest: Annotated[int, Unit("rows")] = Field(
        20, ge=2, le=10_000, title="Smallest leaf", description="A larger leaf protects more and keeps less."
    )
    rows_to_fit: Annotated[int, Unit("rows")] = Field(
        50_000,
        ge=100,
        le=1_000_000,
        title="Rows to fit",
        description="Trees are grown on a sample of so many rows.",
    )
    hold_out: HoldOutShare = 0.2

    @classmethod
    def examples(cls) -> tuple[Self, ...]:
        return (cls(columns=("sex", "income", "disease"), rows_to_fit=2000),)

    @classmethod
    def presets(cls) -> tuple[Preset, ...]:
        return (
            Preset(
                "Close", "Made-up rows follow the data closely; check the attack measures.", {"smallest": 10}
            ),
            Preset("Careful", "Only patterns of a hundred rows and more are kept.", {"smallest": 100}),
        )

    def describe(self) -> str:
        names = ", ".join(self.columns) or "all released columns"
        return (
            f"Make up {names} anew: synthetic values from trees with leaves of {self.smallest} rows or more."
        )

    def touches(self, schema: Schema) -> tuple[str, ...]:
        return released_columns(schema, self.columns)

    def leaves(self, schema: Schema) -> Mapping[str, Trace]:
        return gone(schema) | dict.fromkeys(released_columns(schema, self.columns), Trace.MADE_UP)

    def output_schema(self, schema: Schema) -> Schema:
        return dropping(schema, released_columns(schema, self.columns))

    def plan(
        self, statistics: Statistics, goals: Sequence[Goal], source: Source, report: Reporter
    ) -> TreesPlan:
        names = released_columns(statistics.schema, self.columns)
        aside = SetAside.of(statistics, self.hold_out, source)
        for name in names:
            aside.learnt.require_values(name, "columns")
        rows = aside.learnt.sample(names, self.rows_to_fit, source)
        links: list[Link] = []
        for number, name in enumerate(names):
            links.append(linked(links, rows[name], statistics.declaration(name), self.smallest))
            report.progress((number + 1) / len(names))
        facts = {
            "columns": list(names),
            "rows_fitted": rows.rows,
            "smallest_leaf": self.smallest,
            "leaves": [link.leaves for link in links],
        }
        fitted = tuple(link.forgetting() for link in links)
        unseen = aside.unseen(rows.row_ids)
        return TreesPlan(facts, fitted, announces=aside.announced(unseen), held_out=unseen)

    def transform(self, chunk: Chunk, plan: TreesPlan, source: Source) -> Chunk:
        bins = np.zeros((chunk.rows, len(plan.links)), np.uint8).T  # what a row shows stands together
        made = []
        for number, link in enumerate(plan.links):
            draws = np.empty(chunk.rows)
            for block, rows in chunk.blocks():
                draws[rows] = of_rows(chunk, block, rows, source.stream(link.name, block).random)
            column, bins[number] = link.drawn(bins[:number], draws)
            made.append(column)
        return chunk.with_columns(*made)

    def guidance(self, facts: StepJson) -> tuple[str, ...]:
        return (
            f"{', '.join(facts['columns'])}: synthetic values drawn column by column from trees fitted to "
            "the original rows. No row belongs to a person.",
            "Distributions and the associations that the trees found approximate the original ones; "
            "standard errors do not. Confirm findings on the original data.",
        )
