"""Whether a regression on the release comes out as on the original."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, ClassVar, Self

import numpy as np
from pydantic import Field

from worker.engine.comparable.drawn import Drawn, leaving
from worker.engine.comparable.numbers import MOST_VALUES, Term, numbers_of, term_of, two_values
from worker.engine.comparable.parts import parts_of_both
from worker.engine.contracts.annotations import Columns, Unit
from worker.engine.contracts.chart import Axis, Chart, Series
from worker.engine.contracts.figure import Figure, Parts
from worker.engine.contracts.measure import (
    SECONDS_PER_CELL,
    DoesNotApply,
    Effort,
    Found,
    Measure,
    Section,
    register,
)
from worker.engine.contracts.scene import Outlook, Scene
from worker.engine.information.bins import ORDERED
from worker.engine.regression.estimates import Estimates, least_squares, logistic, overlaps, standardised
from worker.engine.tables.column import Floats, Mask
from worker.engine.tables.kinds import NUMERIC, RELEASED, Role
from worker.engine.tables.table import Schema

NO_OUTCOME = "No column of numbers leaves, and no outcome is named: there is nothing to explain."
NOT_THERE = "The outcome is not in the release."
NO_PREDICTOR = "No other column is on both sides from which the outcome could be explained."
NOT_TWO = "The outcome is neither a number nor a column of two values."
NOT_KNOWN = "The original itself has no such coefficients: too few rows, or all of them follow from others."
INTERCEPT = "(intercept)"
SECONDS_PER_CELL_SOLVED = 1e-6
BYTES_PER_CELL = 200
Both = tuple[Drawn, Drawn]


@register
class Regression(Measure):
    """Whether a regression on the release comes out as on the original.

    Least squares where the outcome is a number, logistic regression where it has two values. Numbers and days
    enter as they are, an interval as its middle; other columns as yes and no for each value at the released
    level, beside the commonest. Rows without a number or with `*` in one of the columns are left out; a
    column of which the release tells nothing is left out itself. A coefficient that the release does not give
    overlaps by 0.
    """

    slug = "regression"
    title = "Regression"
    section = Section.UTILITY
    by_default = False
    references = (
        "Karr, Kohnen, Oganian, Reiter & Sanil (2006), A framework for evaluating the utility of data "
        "altered to protect confidentiality",
    )
    figures: ClassVar = (
        Figure(
            "overlap",
            "Overlap of intervals",
            "The mean over the coefficients, the intercept among them, of the part of either 95 % confidence "
            "interval that the other covers: 1 is the same interval, 0 means that they do not meet.",
            unit="share",
            better="high",
            usual=(0.5, 1),
            headline=True,
        ),
        Figure(
            "smallest_overlap",
            "Smallest overlap",
            "Of the coefficient whose interval moved most.",
            unit="share",
            better="high",
        ),
        Figure(
            "standardised_difference",
            "Standardised difference",
            "The mean distance of the coefficients, each in standard errors of the original's. Below 2 most "
            "conclusions stay.",
            better="low",
            usual=(0, 2),
        ),
        Figure("coefficient", "Coefficient", "What one unit more, or the value, adds.", per="part"),
        Figure("low", "Lower end", "Of the coefficient's 95 % confidence interval.", per="part"),
        Figure("high", "Upper end", "Of the coefficient's 95 % confidence interval.", per="part"),
        Figure(
            "overlap_of",
            "Overlap of each interval",
            "½ (common ÷ original's width + common ÷ release's width), 0 where nothing is common.",
            unit="share",
            better="high",
            per="part",
        ),
        Figure(
            "difference_of",
            "Standardised difference of each",
            "|release − original| ÷ the original's standard error.",
            better="low",
            per="part",
        ),
        Figure(
            "overlap_of_part",
            "Overlap in each part",
            "The mean overlap where both files hold only the rows of the part.",
            unit="share",
            better="high",
            per="part",
        ),
        Figure("rows", "Rows", "Rows of the regression: drawn, and known in all its columns.", unit="count"),
    )

    outcome: Annotated[str | None, Columns(role=RELEASED)] = Field(
        None,
        title="Outcome",
        description="A number, or a column of two values. Without one: the first sensitive number, or the "
        "first number.",
    )
    predictors: Annotated[tuple[str, ...], Columns(role=RELEASED)] = Field(
        (),
        title="Predictors",
        description=f"What explains it. Without one: all other columns that leave, but text and categories "
        f"of more than {MOST_VALUES} values.",
    )
    by: Annotated[str | None, Columns(role=RELEASED)] = Field(
        None, title="By", description="A column in whose parts the regression is also run one by one."
    )
    rows: Annotated[int, Unit("rows")] = Field(
        50_000, ge=100, le=500_000, title="Rows", description="How many rows to draw from each side at most."
    )

    @classmethod
    def examples(cls) -> tuple[Self, ...]:
        few = {"rows": 6_000}
        named = cls(outcome="sex", predictors=("age", "visits"), **few)
        return (cls(**few), named, cls(predictors=("age",), by="sex", **few))

    def does_not_apply(self, outlook: Outlook) -> str | None:
        return None if self.outcome or _numeric(outlook.schema) else NO_OUTCOME

    def effort(self, outlook: Outlook) -> Effort:
        columns = len(outlook.schema.named(*RELEASED))
        cells = min(outlook.rows, self.rows) * columns
        seconds = 2 * outlook.rows * columns * SECONDS_PER_CELL + 2 * cells * SECONDS_PER_CELL_SOLVED
        return Effort(seconds, cells * BYTES_PER_CELL)

    def compare(self, scene: Scene) -> Found:
        here = [one.name for one in leaving(scene)]
        outcome = self.outcome or next((name for name in _numeric(scene.before.schema) if name in here), None)
        if outcome is None or outcome not in here:
            raise DoesNotApply(NOT_THERE)
        predictors = self._predictors(scene, [name for name in here if name not in (outcome, self.by)])
        by = [self.by] if self.by in here else []
        asked = list(dict.fromkeys([outcome, *predictors, *(one for one in by if one)]))
        was, became = (Drawn.of(side, asked, self.rows, scene.source) for side in (scene.before, scene.after))
        problem = _Problem.of(scene, outcome, predictors, (was, became))
        scene.reporter.checkpoint()
        found = problem.solved()
        if np.isnan(found.original.values).all():
            raise DoesNotApply(NOT_KNOWN)
        parts = parts_of_both(scene, by[0], (was, became)) if by and by[0] else {}
        within = {part: problem.among(rows).solved().overlap for part, rows in parts.items()}
        return Found(
            {**found.compared(), **found.told(found.release, problem.rows[1]), "overlap_of_part": within},
            charts=(found.chart(),),
            before=found.told(found.original, problem.rows[0]),
        )

    def _predictors(self, scene: Scene, here: Sequence[str]) -> list[str]:
        """Those that were named, or all that make sense."""
        if self.predictors:
            return [name for name in self.predictors if name in here]
        few = [name for name in here if _explains(scene, name)]
        if not few:
            raise DoesNotApply(NO_PREDICTOR)
        return few


def _numeric(schema: Schema) -> list[str]:
    """Columns of numbers that leave, sensitive ones first."""
    names = (*schema.named(Role.SENSITIVE), *schema.named(*RELEASED))
    return [name for name in dict.fromkeys(names) if schema[name].kind in NUMERIC]


def _explains(scene: Scene, name: str) -> bool:
    return scene.before.schema[name].kind in ORDERED or len(scene.before.distinct(name)) <= MOST_VALUES


@dataclass(frozen=True)
class _Problem:
    """The rows of both sides that are known in all columns: what each holds, and the outcome."""

    names: tuple[str, ...]
    designs: tuple[Floats, Floats]
    outcomes: tuple[Floats, Floats]
    of_two: bool

    @classmethod
    def of(cls, scene: Scene, outcome: str, predictors: Sequence[str], drawn: Both) -> _Problem:
        of_two = scene.before.schema[outcome].kind not in NUMERIC
        outcomes = two_values(scene, outcome, drawn) if of_two else numbers_of(scene, outcome, drawn)
        if outcomes is None:
            raise DoesNotApply(NOT_TWO)
        terms = [term_of(scene, name, drawn) for name in predictors]
        names = (INTERCEPT, *(name for term in terms for name in term.names))
        return cls(names, (_design(terms, 0, drawn[0]), _design(terms, 1, drawn[1])), outcomes, of_two)

    @property
    def rows(self) -> tuple[int, int]:
        """How many of each side."""
        return int(self._known(0).sum()), int(self._known(1).sum())

    def _known(self, side: int) -> Mask:
        return np.asarray(~np.isnan(self.designs[side]).any(axis=1) & ~np.isnan(self.outcomes[side]))

    def among(self, rows: tuple[Mask, Mask]) -> _Problem:
        """Of some of the rows."""
        designs = self.designs[0][rows[0]], self.designs[1][rows[1]]
        return _Problem(
            self.names, designs, (self.outcomes[0][rows[0]], self.outcomes[1][rows[1]]), self.of_two
        )

    def solved(self) -> _Solved:
        """Both regressions, of the coefficients that the original gives."""
        original = self._estimates(0, np.ones(len(self.names), bool))
        return _Solved(self.names, original, self._estimates(1, ~np.isnan(original.values)))

    def _estimates(self, side: int, columns: Mask) -> Estimates:
        known = self._known(side)
        design, outcome = self.designs[side][known][:, columns], self.outcomes[side][known]
        found = logistic(design, outcome > 0) if self.of_two else least_squares(design, outcome)
        return found.spread(columns)


def _design(terms: Sequence[Term], side: int, drawn: Drawn) -> Floats:
    """A line for each row. A column of which a side tells nothing costs its own coefficient, and no row."""
    columns = np.concatenate([np.ones((len(drawn), 1)), *(term.sides[side] for term in terms)], axis=1)
    columns[:, np.isnan(columns).all(axis=0)] = 0.0
    return columns


@dataclass(frozen=True)
class _Solved:
    """The coefficients of both sides."""

    names: tuple[str, ...]
    original: Estimates
    release: Estimates

    @property
    def overlaps(self) -> Floats:
        """Of each coefficient that the original gives."""
        return overlaps(self.original, self.release)

    @property
    def overlap(self) -> float | None:
        """The mean; None where the original gives none."""
        return _mean(self.overlaps)

    def compared(self) -> dict[str, float | Parts | None]:
        """How far both are apart."""
        found, apart = self.overlaps, standardised(self.original, self.release)
        known = found[~np.isnan(found)]
        return {
            "overlap": self.overlap,
            "smallest_overlap": float(known.min()) if len(known) else None,
            "standardised_difference": _mean(apart),
            "overlap_of": self._named(found),
            "difference_of": self._named(apart),
        }

    def told(self, side: Estimates, rows: int) -> Mapping[str, int | Parts]:
        """The coefficients of one side."""
        return {
            "coefficient": self._named(side.values),
            "low": self._named(side.low),
            "high": self._named(side.high),
            "rows": rows,
        }

    def _named(self, numbers: Floats) -> Parts:
        pairs = zip(self.names, numbers.tolist(), strict=True)
        return {name: None if number != number else number for name, number in pairs}

    def chart(self) -> Chart:
        """Both intervals of each coefficient, measured from the original's in its standard errors."""
        shown = ~np.isnan(self.original.values) & (self.original.errors > 0)
        names = tuple(name for name, one in zip(self.names, shown.tolist(), strict=True) if one)
        sides = (("Original", self.original), ("Release", self.release))
        return Chart(
            "coefficients",
            "Coefficients beside those of the original",
            "interval",
            Axis("Coefficient", "", "category"),
            Axis("Distance from the original's, in its standard errors"),
            tuple(self._series(side, one, names, shown) for side, one in sides),
            note="Each bar is a 95 % confidence interval. Where both bars of a coefficient cover one "
            "another, conclusions about it stay.",
            internal=True,
        )

    def _series(self, side: str, one: Estimates, names: tuple[str, ...], shown: Mask) -> Series:
        unit = self.original.errors[shown]
        middles = (one.values[shown] - self.original.values[shown]) / unit
        halves = (one.high[shown] - one.low[shown]) / 2 / unit
        there = np.flatnonzero(~np.isnan(middles)).tolist()
        places = tuple(names[at] for at in there)
        return Series(side, places, tuple(middles[there].tolist()), error=tuple(halves[there].tolist()))


def _mean(numbers: Floats) -> float | None:
    known = numbers[~np.isnan(numbers)]
    return float(known.mean()) if len(known) else None
