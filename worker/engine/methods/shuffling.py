"""Data shuffling of numeric columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Self

import numpy as np
from pydantic import Field, model_validator

from worker.engine.contracts.annotations import Columns
from worker.engine.contracts.facts import StepJson
from worker.engine.contracts.goal import Goal
from worker.engine.contracts.method import Family, Method, Plan, Preset, Scope, register
from worker.engine.contracts.traces import Trace
from worker.engine.randomness import Source
from worker.engine.reporting import Reporter
from worker.engine.synthesis.effects import Effect, add_effects, design, effect_of
from worker.engine.synthesis.scores import Scale
from worker.engine.tables.aligned import Aligned
from worker.engine.tables.column import Column, Floats
from worker.engine.tables.drawing import unit_noise
from worker.engine.tables.keys import distinct
from worker.engine.tables.kinds import NUMERIC
from worker.engine.tables.numeric import NumberColumn
from worker.engine.tables.statistics import Statistics
from worker.engine.tables.table import BLOCK, Chunk, Schema, Table

ROWS_TO_FIT = 200_000


@dataclass(frozen=True)
class ShufflingPlan(Plan):
    """The columns after shuffling, row by row."""

    aligned: Aligned | None = None


@dataclass(frozen=True)
class _Model:
    """Normal scores of the columns given the predictors: coefficients per column, and what is left over."""

    effects: tuple[Effect, ...]
    coefficients: Floats
    root: Floats
    explained: Floats


@register
class Shuffling(Method):
    """Deal the values of numeric columns out again among the rows, following what other columns predict.

    Every row gets a value drawn from the model of the column given its predictors; then the drawn values
    are replaced, rank by rank, by the original ones. So each column keeps exactly its values, ranks keep
    their correlation with the predictors and among the shuffled columns, and nothing else connects a row with
    the value it had: who knows the predictors learns no more from the release than the model tells.
    Missing cells stay where they are.
    """

    slug = "shuffling"
    title = "Shuffling"
    family = Family.PERTURBATIVE
    averages_out = True
    scope = Scope.WHOLE_COLUMNS
    references = ("Muralidhar & Sarathy (2006), Data shuffling: a new masking approach for numerical data",)

    columns: Annotated[tuple[str, ...], Columns(kind=NUMERIC)] = Field(
        min_length=1, title="Columns", description="The numbers to deal out again, together."
    )
    predictors: Annotated[tuple[str, ...], Columns()] = Field(
        (), title="Predictors", description="Columns whose correlation with the shuffled ones is to be kept."
    )

    @classmethod
    def examples(cls) -> tuple[Self, ...]:
        return (cls(columns=("income",), predictors=("age", "disease")), cls(columns=("age", "income")))

    @classmethod
    def presets(cls) -> tuple[Preset, ...]:
        effect = "Every row may get any value of the column; only what the predictors tell is kept."
        return (Preset("Standard", effect, {}),)

    @model_validator(mode="after")
    def _apart(self) -> Self:
        if set(self.columns) & set(self.predictors):
            raise ValueError("A column is either shuffled or a predictor.")
        return self

    def describe(self) -> str:
        given = f" given {', '.join(self.predictors)}" if self.predictors else ""
        return f"Shuffle {', '.join(self.columns)}{given}."

    def touches(self, schema: Schema) -> tuple[str, ...]:
        return self.columns

    def leaves(self, schema: Schema) -> Mapping[str, Trace]:
        return dict.fromkeys(self.columns, Trace.EXCHANGED)

    def plan(
        self, statistics: Statistics, goals: Sequence[Goal], source: Source, report: Reporter
    ) -> ShufflingPlan:
        self.require_values(statistics)
        whole = statistics.table((*self.columns, *self.predictors))
        model = self._fitted(whole, source)
        made = []
        for number in range(len(self.columns)):
            made.append(self._shuffled(whole, model, number, source))
            report.progress((number + 1) / len(self.columns))
        facts = {"columns": list(self.columns), "predictors": list(self.predictors)}
        ids = None if whole.is_contiguous else whole.row_ids
        table = Table(made, whole.first_row, whole.rows, ids)
        return ShufflingPlan({**facts, "explained_variance": model.explained.tolist()}, Aligned(table))

    def transform(self, chunk: Chunk, plan: ShufflingPlan, source: Source) -> Chunk:
        return plan.aligned.put_into(chunk) if plan.aligned else chunk

    def guidance(self, facts: StepJson) -> tuple[str, ...]:
        names, given = ", ".join(self.columns), ", ".join(self.predictors) or "no other column"
        return (
            f"{names}: the original values were dealt out again among the rows by a model given {given}.",
            "Frequencies, means, variances and quantiles of each of these columns are exactly the "
            f"original ones; rank correlations among them and with {given} are kept. Associations with "
            "all other columns, interactions and anything in single records are not.",
        )

    def _fitted(self, whole: Table, source: Source) -> _Model:
        rows = _some_rows(whole.rows, source)
        columns = [whole[name].take(rows) for name in self.columns]
        predictors = [whole[name].take(rows) for name in self.predictors]
        effects = tuple(effect_of(column) for column in predictors)
        numbers = [column.numbers for column in columns]
        known = ~np.isnan(numbers).any(axis=0)
        scores = np.column_stack([Scale.of(x[~np.isnan(x)])(x) for x in numbers])[known]
        matrix = design(effects, predictors, len(rows))[known]
        if len(scores) <= matrix.shape[1]:
            width = len(self.columns)
            return _Model(effects, np.zeros((matrix.shape[1], width)), np.eye(width), np.zeros(width))
        coefficients = np.asarray(np.linalg.lstsq(matrix, scores, rcond=None)[0], np.float64)
        left = scores - matrix @ coefficients
        covariance = left.T @ left / max(len(left) - matrix.shape[1], 1)
        spread = np.maximum(scores.var(axis=0), 1e-12)
        return _Model(effects, coefficients, _root(covariance), 1.0 - left.var(axis=0) / spread)

    def _shuffled(self, whole: Table, model: _Model, number: int, source: Source) -> Column:
        from worker.engine.tables.ordering import order_of, scattered

        column = whole[self.columns[number]]
        drawn = self._drawn(whole, model, number, source)
        gone = column.missing_rows
        kept = np.flatnonzero(~gone) if gone.any() else None
        payload, low = _ordered(column, kept)
        order = order_of(drawn if kept is None else drawn[kept], source.stream(f"{column.name}\x00ties", 0))
        dealt = scattered(payload, order)
        if kept is not None:
            filled = np.full(whole.rows, low, payload.dtype)
            filled[kept] = dealt
            dealt = filled
        if isinstance(column, NumberColumn):
            return NumberColumn(column.name, column.kind, dealt, column.known_places)
        codes = dealt if kept is None else np.where(gone, column.codes, dealt)
        return Column(column.name, column.kind, codes, column.labels, column.missing)

    def _drawn(self, whole: Table, model: _Model, number: int, source: Source) -> Floats:
        """A draw for each row from the column's model; the columns share their normal draws."""
        total = np.empty(whole.rows)
        predictors = [whole[name] for name in self.predictors]
        coefficients = model.coefficients[:, number]
        for start in range(0, whole.rows, BLOCK):
            piece = total[start : start + BLOCK]
            rows = slice(start, start + len(piece))
            piece[:] = coefficients[0]
            add_effects(piece, model.effects, [column.take(rows) for column in predictors], coefficients[1:])
            for weight, name in zip(model.root[number].tolist(), self.columns, strict=True):
                if weight:
                    piece += weight * unit_noise(source.stream(name, start // BLOCK), "gaussian", len(piece))
        return total


def _some_rows(rows: int, source: Source) -> np.ndarray[Any, np.dtype[np.int32]]:
    if rows <= ROWS_TO_FIT:
        return np.arange(rows, dtype=np.int32)
    return distinct(source.stream("\x00fit", 0).integers(0, rows, ROWS_TO_FIT)).astype(np.int32)


def _ordered(column: Column, kept: np.ndarray[Any, np.dtype[np.intp]] | None) -> tuple[Any, Any]:
    """The column's values in ascending order, as numbers or as codes of its labels, and a filler."""
    if isinstance(column, NumberColumn):
        numbers = column.numbers if kept is None else column.numbers[kept]
        return np.sort(numbers), np.nan
    by_number = np.argsort(column.label_numbers, kind="stable").astype(np.int32)
    ranks = np.empty(len(by_number), np.int32)
    ranks[by_number] = np.arange(len(by_number), dtype=np.int32)
    codes = column.codes if kept is None else column.codes[kept]
    return by_number[np.sort(ranks[codes])] if len(codes) else codes, 0


def _root(covariance: Floats) -> Floats:
    """A lower triangle whose product with its transpose is the covariance."""
    for lift in (0.0, 1e-12, 1e-9, 1e-6):
        try:
            root = np.asarray(np.linalg.cholesky(covariance + lift * np.eye(len(covariance))), np.float64)
        except np.linalg.LinAlgError:
            continue
        return root
    return np.diag(np.sqrt(np.maximum(np.diag(covariance), 0.0)))
