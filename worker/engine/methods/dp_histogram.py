"""Counts with noise, as a release."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from worker.engine.contracts.annotations import Columns, LogScale, Unit
from worker.engine.contracts.facts import StepJson
from worker.engine.contracts.goal import Goal
from worker.engine.contracts.method import Family, Forecast, Guarantee, Method, Tabulation, register
from worker.engine.contracts.privacy import Protected, Spend
from worker.engine.contracts.traces import Trace, gone
from worker.engine.dp.accuracy import LEAST_DELTA, Noise, gaussian_noise, laplace_noise, threshold_for
from worker.engine.dp.cells import OTHER, Cells, Choice, Grid, declared_cells, require_cells
from worker.engine.dp.door import bounded_counts
from worker.engine.dp.histograms import COUNT, ERROR, EXACT, Design
from worker.engine.dp.layouts import LEVEL, Layout, Plain, WithLevels, WithMargins
from worker.engine.dp.levels import levels_over
from worker.engine.dp.parameters import Delta, Epsilon
from worker.engine.dp.promises import in_short, promised
from worker.engine.dp.telling import design_facts, design_forecast, design_guidance
from worker.engine.errors import EngineError
from worker.engine.randomness import Source, fresh_key
from worker.engine.reporting import Reporter
from worker.engine.tables.declaration import Declaration
from worker.engine.tables.kinds import RELEASED
from worker.engine.tables.statistics import Statistics
from worker.engine.tables.table import Schema

RESERVED = (COUNT, ERROR, EXACT, LEVEL)
Shape = Literal["cells", "margins", "levels"]


@register
class DpHistogram(Method):
    """Publish how many people fall into each cell, with noise that hides every single one of them.

    The release is a table of counts instead of microdata. Its cells come from what is declared of the
    columns – categories, or bounds and a bin width – and never from the data; empty cells get noise like
    all others.

    When a column tells persons apart, at most a given number of rows per person is counted. Without one
    the promise is made for rows, and a person with several rows is protected less.
    """

    slug = "dp-histogram"
    title = "Histogram with differential privacy"
    family = Family.STATISTICS
    guarantee = Guarantee.DIFFERENTIAL_PRIVACY
    tabulates = True
    references = (
        "Dwork, McSherry, Nissim & Smith (2006), Calibrating noise to sensitivity in private data analysis",
        "Canonne, Kamath & Steinke (2020), The discrete Gaussian for differential privacy",
        "Hay, Rastogi, Miklau & Suciu (2010), Boosting the accuracy of differentially private histograms",
    )

    columns: Annotated[tuple[str, ...], Columns(role=RELEASED)] = Field(
        min_length=1,
        max_length=4,
        title="Columns",
        description="Counted together, cell by cell. Declare categories, or bounds and a bin width, of each.",
    )
    epsilon: Annotated[Epsilon, LogScale(-3, 1)] = Field(
        Decimal(1),
        title="Privacy loss ε",
        description="How much the table may tell about one person; taken from the population's budget.",
    )
    delta: Delta = Field(
        Decimal(0),
        title="Probability δ",
        description="Needed for unknown categories and for Gaussian noise: how likely the promise may fail. "
        "Well below one in the number of people, such as 0.000000001. Not taken when nothing needs it.",
    )
    rows_per_person: Annotated[int, Unit("rows")] = Field(
        1,
        ge=1,
        le=1000,
        title="Rows counted per person",
        description="Of people with more rows so many are chosen at random. More rows need more noise.",
    )
    mechanism: Literal["laplace", "gaussian"] = Field(
        "laplace",
        title="Noise",
        description="Laplace needs no δ. Gaussian noise is smaller for margins, levels and several rows.",
    )
    unknown_categories: bool = Field(
        False,
        title="Also categories nobody declared",
        description="Values of the data appear when their noisy count reaches a threshold set by δ.",
    )
    shape: Shape = Field(
        "cells",
        title="What is counted",
        description="The cells alone; the cells with the totals of each column; or one column on every level "
        "of its hierarchy. Totals and levels are measured with noise too and made to add up.",
    )
    fan_out: int = Field(
        4, ge=2, le=100, title="Bins joined per level", description="For levels over a column of bins."
    )
    outside: Literal["leave-out", "nearest"] = Field(
        "leave-out",
        title="Numbers beyond the bounds",
        description="Are not counted, or count in the nearest bin.",
    )
    missing_cell: bool = Field(
        False,
        title="A cell for missing values",
        description="Otherwise rows without a value are not counted.",
    )
    other_cell: bool = Field(
        False,
        title="A cell for any other value",
        description="Counts rows whose value is none of those declared; otherwise they are not counted.",
    )
    nonnegative: bool = Field(
        False,
        title="No negative counts",
        description="Looks tidier, and makes small counts too large on average: sums over many cells drift. "
        "With totals or levels the stated error grows, because a large count may stand among empty ones.",
    )
    round_to: int = Field(
        1,
        ge=1,
        le=1_000_000,
        title="Round to",
        description="Multiples of this; of cells without totals only.",
    )

    @classmethod
    def examples(cls) -> tuple[Self, ...]:
        return (
            cls(columns=("disease",), epsilon=Decimal("0.5")),
            cls(columns=("disease", "visits"), shape="margins", nonnegative=True),
            cls(columns=("income",), shape="levels", mechanism="gaussian", delta=Decimal("0.000001")),
            cls(columns=("disease",), other_cell=True, missing_cell=True),
            cls(columns=("sex",), unknown_categories=True, delta=Decimal("0.000001"), rows_per_person=2),
        )

    @model_validator(mode="after")
    def _together(self) -> Self:
        if len(set(self.columns)) < len(self.columns):
            raise ValueError("Name each column once.")
        if self._uses_delta and not self.delta:
            raise ValueError("Unknown categories and Gaussian noise need a delta above 0.")
        if self.unknown_categories and self.delta < self.rows_per_person * LEAST_DELTA:
            least = self.rows_per_person * LEAST_DELTA
            raise ValueError(f"With so many rows per person delta must be at least {least:f}.")
        if self.unknown_categories and (self.shape != "cells" or self.mechanism != "laplace"):
            raise ValueError("Unknown categories go with cells alone and Laplace noise.")
        if self.unknown_categories and self.other_cell:
            raise ValueError("Unknown categories have cells of their own. Choose them or one cell for all.")
        if self.shape == "levels" and len(self.columns) > 1:
            raise ValueError("Levels are counted for one column.")
        if self.shape == "margins" and len(self.columns) == 1:
            raise ValueError("Totals per column need at least two columns.")
        if self.round_to > 1 and self.shape != "cells":
            raise ValueError("Rounded counts would not add up. Round cells without totals only.")
        return self

    @property
    def _uses_delta(self) -> bool:
        return self.unknown_categories or self.mechanism == "gaussian"

    def cost(self) -> Spend:
        return Spend.of(self.epsilon, self.delta if self._uses_delta else 0)

    def describe(self) -> str:
        what = {"cells": "", "margins": " with totals", "levels": " on every level"}[self.shape]
        more = ", also categories nobody declared" if self.unknown_categories else ""
        more += f", with a cell for {OTHER}" if self.other_cell else ""
        rows = "1 row" if self.rows_per_person == 1 else f"{self.rows_per_person} rows"
        return (
            f"Count {' × '.join(self.columns)}{what}{more}, at most {rows} per person, "
            f"with {self.mechanism.capitalize()} noise for ε = {self.cost().epsilon.normalize():f} "
            f"({in_short(self.cost())})."
        )

    def check(self, schema: Schema) -> None:
        super().check(schema)
        for name in self.columns:
            if name in RESERVED:
                text = (
                    f"columns: {name!r} is the name of a column of the table itself. Rename it in the data."
                )
                raise EngineError("reserved-name", text, param="columns")

    def design(self, declaration: Callable[[str], Declaration]) -> Design:
        """Cells, noise and errors, from parameters and declarations alone."""
        layout = self._layout(declaration)
        noise = self._noise(layout.tables * self.rows_per_person, layout.tables)
        threshold = (
            threshold_for(noise.scale, self.rows_per_person, self.delta) if self.unknown_categories else None
        )
        return Design(layout, noise, self.rows_per_person, threshold, self.nonnegative, self.round_to)

    def _cells(self, name: str, said: Declaration) -> Cells:
        choice = Choice(self.outside == "nearest", self.missing_cell, self.other_cell)
        if not self.unknown_categories:
            return require_cells(name, said, choice)
        found = declared_cells(name, said, choice)
        return found or Cells(name, choice.beside, missing=self.missing_cell, kind=said.kind)

    def _layout(self, declaration: Callable[[str], Declaration]) -> Layout:
        cells = [self._cells(name, declaration(name)) for name in self.columns]
        grid = Grid(tuple(cells))
        if self.shape == "margins":
            return WithMargins(grid)
        if self.shape == "levels":
            return WithLevels(
                grid, levels_over(cells[0], declaration(self.columns[0]).hierarchy, self.fan_out)
            )
        return Plain(grid)

    def _noise(self, change: int, tables: int) -> Noise:
        """One person changes each table by at most `rows_per_person`: in all by `change` (L1)."""
        if self.mechanism == "gaussian":
            return gaussian_noise(tables * self.rows_per_person**2, self.epsilon, self.delta)
        noise = laplace_noise(change, self.epsilon)
        return Noise(
            "laplace", noise.scale, change, self.epsilon, self.delta if self._uses_delta else Decimal(0)
        )

    def leaves(self, schema: Schema) -> Mapping[str, Trace]:
        return gone(schema)

    def plan(
        self, statistics: Statistics, goals: Sequence[Goal], source: Source, report: Reporter
    ) -> Tabulation:
        design = self.design(statistics.declaration)
        report.stage("Counting")
        report.progress(0.05)
        columns = design.layout.grid.columns
        counted = bounded_counts(
            statistics, columns, fresh_key(), self.rows_per_person, self.unknown_categories
        )
        report.stage("Drawing the noise")
        report.progress(0.9)
        return design.tabulated(counted.cells, counted.unknown, self._facts(design, statistics.unit))

    def _facts(self, design: Design, unit: str) -> StepJson:
        """Nothing here depends on the data."""
        return {
            "columns": list(self.columns),
            "unit": unit,
            **design_facts(design, self.rows_per_person),
            "post_processing": self._post_processing(),
            "other_cell": self.other_cell,
        }

    def _post_processing(self) -> list[str]:
        told = {
            "made to add up by least squares": self.shape != "cells",
            "negative counts set to 0": self.nonnegative,
            f"rounded to multiples of {self.round_to}": self.round_to > 1,
        }
        return [words for words, done in told.items() if done]

    def guidance(self, facts: StepJson) -> tuple[str, ...]:
        return (*design_guidance(facts), *promised(self.cost(), Protected(facts["unit"])))

    def forecast(self, declared: Mapping[str, Declaration]) -> tuple[Forecast, ...]:
        return design_forecast(self.design(lambda name: declared.get(name, Declaration())))
