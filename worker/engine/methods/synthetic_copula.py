"""Synthetic rows from a Gaussian copula."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Annotated, Any, Self

import numpy as np
from pydantic import Field

from worker.engine.algorithms.drawing import of_rows, unit_noise
from worker.engine.algorithms.released import dropping, released_columns
from worker.engine.algorithms.scores import Scale, normal_quantiles
from worker.engine.algorithms.shapes import Categories, Numbers, Shape, shape_of
from worker.engine.column import Codes, Column, Floats
from worker.engine.fields import NUMERIC, Columns, Kind, Unit
from worker.engine.goal import Goal
from worker.engine.method import Family, Method, Plan, Preset, register
from worker.engine.randomness import Source
from worker.engine.reporting import Reporter
from worker.engine.statistics import Statistics
from worker.engine.table import Chunk, Schema

ROWS_TO_FIT = 200_000


@dataclass(frozen=True)
class CopulaPlan(Plan):
    """What each column looks like, and how their normal scores hang together."""

    shapes: tuple[Shape, ...] = ()
    root: Floats = field(default_factory=lambda: np.zeros((0, 0)))


@register
class SyntheticCopula(Method):
    """Replace all rows by made-up ones with the same distributions and pairwise correlations.

    The model is the distribution of each column and one correlation for each pair of columns (a Gaussian
    copula); the rows of the release are drawn from it, as many as there were, and no row belongs to
    anybody. Numbers are drawn along a line through means of groups of values, categories in proportion
    to their frequency; rare categories are left out. Numbers of few and frequent values count as categories.
    Interactions of more than two columns are not kept.
    Columns that are not listed leave the release. This is not differential privacy: the model itself is
    measured on the data.
    """

    slug = "synthetic-copula"
    title = "Synthetic data (Gaussian copula)"
    family = Family.SYNTHETIC
    references = (
        "Patki, Wedge & Veeramachaneni (2016), The synthetic data vault",
        "Nelsen (2006), An introduction to copulas",
    )

    columns: Annotated[tuple[str, ...], Columns(many=True)] = Field(
        (), title="Columns", description="What to make up. Empty: every column that is released."
    )
    smallest: Annotated[int, Unit("rows")] = Field(
        10,
        ge=2,
        le=10_000,
        title="Smallest group",
        description="Nothing is remembered of fewer rows than this.",
    )

    @classmethod
    def examples(cls) -> tuple[Self, ...]:
        return (cls(columns=("sex", "income", "disease")),)

    @classmethod
    def presets(cls) -> tuple[Preset, ...]:
        effect = "No row belongs to anybody; single columns and correlations stay close to the original."
        return (Preset("Standard", effect, {"smallest": 10}),)

    def describe(self) -> str:
        names = ", ".join(self.columns) or "all released columns"
        return f"Make up {names} anew: synthetic values from a Gaussian copula."

    def touches(self, schema: Schema) -> tuple[str, ...]:
        return released_columns(schema, self.columns)

    def output_schema(self, schema: Schema) -> Schema:
        return dropping(schema, released_columns(schema, self.columns))

    def plan(
        self, statistics: Statistics, goals: Sequence[Goal], source: Source, report: Reporter
    ) -> CopulaPlan:
        names = released_columns(statistics.schema, self.columns)
        for name in names:
            statistics.require_values(name, "columns")
        rows = statistics.sample(names, ROWS_TO_FIT, source)
        report.progress(0.4)
        shapes = [shape_of(rows[name], statistics.declaration(name), self.smallest) for name in names]
        numeric = [_scores(shape, rows[shape.name]) for shape in shapes if isinstance(shape, Numbers)]
        shapes = [_in_order(shape, rows[shape.name], numeric) for shape in shapes]
        scores = [_scores(shape, rows[shape.name]) for shape in shapes]
        correlations = _correlations(scores)
        facts = {"columns": list(names), "rows_fitted": rows.rows, "smallest_group": self.smallest}
        return CopulaPlan(
            {**facts, "correlations": correlations.tolist()}, tuple(shapes), _root(correlations)
        )

    def transform(self, chunk: Chunk, plan: CopulaPlan, source: Source) -> Chunk:
        latent = np.empty((len(plan.shapes), chunk.rows))
        gone = np.empty((len(plan.shapes), chunk.rows))
        for block, rows in chunk.blocks():
            for i, shape in enumerate(plan.shapes):
                draw = partial(unit_noise, source.stream(shape.name, block), "gaussian")
                latent[i, rows] = of_rows(chunk, block, rows, draw)
                other = source.stream(f"{shape.name}\x00missing", block)
                gone[i, rows] = of_rows(chunk, block, rows, other.random)
        latent = plan.root @ latent
        made = [_column(shape, latent[i], gone[i]) for i, shape in enumerate(plan.shapes)]
        return chunk.with_columns(*made)

    def guidance(self, facts: Mapping[str, Any]) -> tuple[str, ...]:
        return (
            f"{', '.join(facts['columns'])}: synthetic values from a Gaussian copula fitted to the "
            "original rows. No row belongs to a person.",
            "Single distributions and pairwise rank correlations approximate the original ones; "
            "interactions, subgroup results and standard errors do not. Confirm findings on the original "
            "data.",
        )


def _scores(shape: Shape, column: Column) -> Floats:
    """Normal scores with mean 0; what is missing or forgotten counts as average."""
    if isinstance(shape, Numbers):
        numbers = shape.read(column)
        return Scale.of(numbers[~np.isnan(numbers)])(numbers)
    codes = shape.read(column)
    if not len(shape.texts):
        return np.zeros(len(codes))
    table = normal_quantiles(shape.ends - shape.shares / 2.0)
    table -= float((table * shape.shares).sum())
    return np.where(codes < 0, 0.0, table[np.maximum(codes, 0)])


def _in_order(shape: Shape, column: Column, numeric: Sequence[Floats]) -> Shape:
    """Categories without an order of their own are laid out along the numbers that they explain best."""
    if isinstance(shape, Numbers) or column.kind in (Kind.ORDINAL, *NUMERIC) or not numeric:
        return shape
    codes = shape.read(column)
    return shape.ordered_by(
        codes, max(numeric, key=lambda scores: _explained(codes, scores, len(shape.texts)))
    )


def _explained(codes: Codes, scores: Floats, width: int) -> float:
    """The variance between categories."""
    known = codes >= 0
    rows = np.bincount(codes[known], minlength=width)
    totals = np.bincount(codes[known], weights=scores[known], minlength=width)
    return float((totals**2 / np.maximum(rows, 1)).sum())


def _correlations(scores: Sequence[Floats]) -> Floats:
    matrix = np.array(scores).reshape(len(scores), -1)
    spread = np.sqrt((matrix**2).mean(axis=1)) if matrix.size else np.zeros(len(scores))
    matrix = matrix / np.where(spread > 0, spread, 1.0)[:, None]
    found: Floats = matrix @ matrix.T / max(1, matrix.shape[1])
    np.fill_diagonal(found, 1.0)
    return np.clip(found, -1.0, 1.0)


def _root(correlations: Floats) -> Floats:
    """Rows of length 1 whose products are the correlations, as nearly as any can be."""
    if not len(correlations):
        return correlations
    values, vectors = np.linalg.eigh(correlations)
    root = vectors * np.sqrt(np.clip(values, 0.0, None))
    scaled: Floats = root / np.linalg.norm(root, axis=1, keepdims=True)
    return scaled


def _column(shape: Shape, latent: Floats, gone: Floats) -> Column:
    from worker.engine.algorithms.interpolation import interpolated

    if isinstance(shape, Numbers):
        steps = (np.arange(len(shape.knots)) + 0.5) / max(1, len(shape.knots))
        numbers = interpolated(latent, normal_quantiles(steps), shape.knots)
        numbers[gone < shape.missing] = np.nan
        return shape.write(numbers)
    ends = normal_quantiles(shape.ends[:-1]) if isinstance(shape, Categories) else np.zeros(0)
    return shape.write(np.searchsorted(ends, latent).astype(np.int32))
