"""Synthetic rows from a Gaussian copula."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
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
from worker.engine.synthesis.polychoric import Latent, correlations
from worker.engine.synthesis.released import dropping, released_columns
from worker.engine.synthesis.scores import Scale, normal_quantiles
from worker.engine.synthesis.shapes import Numbers, Shape, shape_of
from worker.engine.tables.classes import Ids
from worker.engine.tables.column import Codes, Column, Floats
from worker.engine.tables.drawing import of_rows, unit_noise
from worker.engine.tables.kinds import NUMERIC, Kind
from worker.engine.tables.statistics import Statistics
from worker.engine.tables.table import Chunk, Schema

ROWS_TO_FIT = 200_000


@dataclass(frozen=True)
class CopulaPlan(Plan):
    """What each column looks like, and how their normal scores hang together."""

    shapes: tuple[Shape, ...] = ()
    gappy: tuple[int, ...] = ()
    """The columns that miss cells: whether a cell is missing is a variable of its own, after the columns."""
    root: Floats = field(default_factory=lambda: np.zeros((0, 0)))


@register
class SyntheticCopula(Method):
    """Replace all rows by made-up ones with the same distributions and pairwise correlations.

    The model is the distribution of each column and one correlation for each pair of columns (a Gaussian
    copula); the rows of the release are drawn from it, as many as there were, and no row belongs to
    anybody. A part of the original rows is set aside first and never looked at, so that it can be measured
    how much more the file tells of the others. Numbers are drawn along a line through means of groups of
    values, categories in proportion to their frequency; rare categories are left out. Numbers of few and
    frequent values count as categories. Whether a cell is missing hangs together with the other columns too.
    Correlations of categories are those of what lies beneath them, measured on the rows that know both
    columns. Interactions of more than two columns are not kept.
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

    columns: Annotated[tuple[str, ...], Columns()] = Field(
        (), title="Columns", description="What to make up. Empty: every column that is released."
    )
    smallest: Annotated[int, Unit("rows")] = Field(
        10,
        ge=2,
        le=10_000,
        title="Smallest group",
        description="Nothing is remembered of fewer rows than this.",
    )
    hold_out: HoldOutShare = 0.2

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

    def leaves(self, schema: Schema) -> Mapping[str, Trace]:
        return gone(schema) | dict.fromkeys(released_columns(schema, self.columns), Trace.MADE_UP)

    def output_schema(self, schema: Schema) -> Schema:
        return dropping(schema, released_columns(schema, self.columns))

    def plan(
        self, statistics: Statistics, goals: Sequence[Goal], source: Source, report: Reporter
    ) -> CopulaPlan:
        names = released_columns(statistics.schema, self.columns)
        aside = SetAside.of(statistics, self.hold_out, source)
        for name in names:
            aside.learnt.require_values(name, "columns")
        rows = aside.learnt.sample(names, ROWS_TO_FIT, source)
        report.progress(0.4)
        shapes = [shape_of(rows[name], statistics.declaration(name), self.smallest) for name in names]
        numeric = [
            np.nan_to_num(_latent(shape, rows[shape.name]).scores)
            for shape in shapes
            if isinstance(shape, Numbers)
        ]
        shapes = [_in_order(shape, rows[shape.name], numeric) for shape in shapes]
        gappy = tuple(i for i, shape in enumerate(shapes) if 0.0 < _missing(shape) < 1.0)
        latents = [_latent(shape, rows[shape.name]) for shape in shapes]
        latents += [_gaps(shapes[i], rows[shapes[i].name]) for i in gappy]
        found = correlations(latents)
        facts = {"columns": list(names), "rows_fitted": rows.rows, "smallest_group": self.smallest}
        facts["correlations"] = found[: len(names), : len(names)].tolist()
        unseen = aside.unseen(rows.row_ids)
        announced = aside.announced(unseen)
        return CopulaPlan(facts, tuple(shapes), gappy, _root(found), announces=announced, held_out=unseen)

    def transform(self, chunk: Chunk, plan: CopulaPlan, source: Source) -> Chunk:
        names = [shape.name for shape in plan.shapes]
        names += [f"{names[i]}\x00missing" for i in plan.gappy]
        latent = np.empty((len(names), chunk.rows))
        for block, rows in chunk.blocks():
            for i, name in enumerate(names):
                draw = partial(unit_noise, source.stream(name, block), "gaussian")
                latent[i, rows] = of_rows(chunk, block, rows, draw)
        latent = plan.root @ latent
        gaps = dict(zip(plan.gappy, latent[len(plan.shapes) :], strict=True))
        made = [_column(shape, latent[i], gaps.get(i)) for i, shape in enumerate(plan.shapes)]
        return chunk.with_columns(*made)

    def guidance(self, facts: StepJson) -> tuple[str, ...]:
        return (
            f"{', '.join(facts['columns'])}: synthetic values from a Gaussian copula fitted to the "
            "original rows. No row belongs to a person.",
            "Single distributions and pairwise rank correlations approximate the original ones; "
            "interactions, subgroup results and standard errors do not. Confirm findings on the original "
            "data.",
        )


def _missing(shape: Shape) -> float:
    """The share of cells that are missing."""
    if isinstance(shape, Numbers):
        return shape.missing
    gone = np.array([not text for text in shape.texts], bool)
    return float(shape.shares[gone].sum()) / max(float(shape.shares.sum()), 1e-300)


def _known(shape: Shape) -> Ids:
    """The places of the categories that are values."""
    texts = () if isinstance(shape, Numbers) else shape.texts
    return np.array([i for i, text in enumerate(texts) if text], np.int64)


def _latent(shape: Shape, column: Column) -> Latent:
    """What lies beneath a column, as far as its cells tell."""
    if isinstance(shape, Numbers):
        numbers = shape.read(column)
        gone = np.isnan(numbers)
        return Latent.of_numbers(np.where(gone, np.nan, Scale.of(numbers[~gone])(numbers)))
    known = _known(shape)
    places = np.full(len(shape.texts) + 1, -1, np.int32)  # the last one for what is forgotten
    places[known] = np.arange(len(known))
    return Latent.of_steps(places[shape.read(column)], shape.shares[known])


def _gaps(shape: Shape, column: Column) -> Latent:
    """What lies beneath whether a cell is missing."""
    missing = _missing(shape)
    if isinstance(shape, Numbers):
        gone = np.isnan(shape.read(column)).astype(np.int32)
    else:
        codes = shape.read(column)
        gone = np.where(codes < 0, -1, ~np.isin(codes, _known(shape))).astype(np.int32)
    return Latent.of_steps(gone, np.array([1.0 - missing, missing]))


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


def _root(correlations: Floats) -> Floats:
    """Rows of length 1 whose products are the correlations, as nearly as any can be."""
    if not len(correlations):
        return correlations
    values, vectors = np.linalg.eigh(correlations)
    root = vectors * np.sqrt(np.clip(values, 0.0, None))
    scaled: Floats = root / np.linalg.norm(root, axis=1, keepdims=True)
    return scaled


def _column(shape: Shape, latent: Floats, gap: Floats | None) -> Column:
    """Values from draws; missing where the gap's own draw is beyond its quantile."""
    from worker.engine.synthesis.interpolation import interpolated

    quantile = normal_quantiles(np.array([1.0 - _missing(shape)]))[0]
    gone = np.zeros(len(latent), bool) if gap is None else gap > quantile
    if isinstance(shape, Numbers):
        steps = (np.arange(len(shape.knots)) + 0.5) / max(1, len(shape.knots))
        numbers = interpolated(latent, normal_quantiles(steps), shape.knots)
        numbers[gone] = np.nan
        return shape.write(numbers)
    known = _known(shape)
    if not len(known):
        return shape.write(np.zeros(len(latent), np.int32))
    ends = np.cumsum(shape.shares[known])
    codes = known[np.searchsorted(normal_quantiles(ends[:-1] / ends[-1]), latent)]
    codes[gone] = next((i for i, text in enumerate(shape.texts) if not text), 0)
    return shape.write(codes.astype(np.int32))
