"""Whether a model can tell released rows from original ones."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar, Self

import numpy as np
from pydantic import Field

from worker.engine.comparable.drawn import Drawn, leaving, lot
from worker.engine.comparable.words import words_of
from worker.engine.contracts.annotations import Unit
from worker.engine.contracts.chart import Axis, Chart, Series
from worker.engine.contracts.figure import Figure
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
from worker.engine.contracts.traces import ReleaseFamily
from worker.engine.prediction.logistic import Logistic
from worker.engine.prediction.telling_apart import Interacting, expected_of_alike, mean_square, specks
from worker.engine.tables.column import Codes, Floats, Mask
from worker.engine.tables.kinds import RELEASED

TOO_FEW = "Fewer than two columns leave, so that there is nothing that could hang together."
NO_ROWS = "There are no rows on one of the sides."
PENALTY = 0.1
"""Holds back what tells apart by a handful of rows alone."""
BARS = 20
SECONDS_PER_PAIR = 3e-6
BYTES_PER_PAIR = 64


@register
class Propensity(Measure):
    """Whether a model can tell released rows from original ones.

    Original and released rows are laid together, the original at the level at which each column is released,
    numbers and dates in ten quantile bins of the original, an interval by an original drawn from those in it.
    A logistic regression with every value and every pair of values of two columns then says of each row how
    likely it is a released one. Values alone would find nothing in a file whose values were exchanged between
    rows. Suppressed rows are left out and counted. Judged on rows drawn from both sides.
    """

    slug = "propensity"
    title = "Propensity score"
    section = Section.UTILITY
    by_default = False
    references = (
        "Woo, Reiter, Oganian & Karr (2009), Global measures of data utility for microdata masked for "
        "disclosure limitation",
        "Snoke, Raab, Nowok, Dibben & Slavkovic (2018), General and specific utility measures for synthetic "
        "data",
        "Bowen, Liu & Su (2021), Differentially private data release via statistical election to partition "
        "sequentially (SPECKS)",
    )
    figures: ClassVar = (
        Figure(
            "specks",
            "SPECKS",
            "The largest distance between the cumulative shares of original and of released rows over the "
            "model's score: 0 where nothing tells them apart, 1 where every row is told.",
            unit="share",
            better="low",
            usual=(0, 0.3),
            headline=True,
        ),
        Figure(
            "pmse",
            "Mean squared error of the score (pMSE)",
            "The mean squared distance of each row's score from the share c of released rows: 0 where "
            "nothing tells them apart, c(1 − c) – 0.25 where both sides have as many rows – where every "
            "row is told.",
            better="low",
            usual=(0, 0.05),
            headline=True,
        ),
        Figure(
            "ratio_to_null",
            "Ratio to the null",
            "pMSE divided by (k − 1)(1 − c)²c ÷ N, which it is on average for rows drawn anew from the "
            "original's own distribution, k being the coefficients of the model and N the rows. 1 is a "
            "correct synthesis, 2 are other people. Only where rows are made up: no others are drawn anew.",
            better="low",
            usual=(0.5, 10),
        ),
        Figure("rows", "Rows", "Rows of both sides that the model was trained on.", unit="count"),
        Figure(
            "suppressed_rows",
            "Suppressed rows",
            "Drawn rows of the release with `*` in every quasi-identifier, which are left out.",
            unit="count",
        ),
    )

    rows: Annotated[int, Unit("rows")] = Field(
        20_000,
        ge=100,
        le=50_000,
        title="Rows",
        description="How many rows to draw from each side; all where there are fewer.",
    )

    @classmethod
    def examples(cls) -> tuple[Self, ...]:
        return (cls(rows=6_000),)

    def effort(self, outlook: Outlook) -> Effort:
        columns = len(outlook.schema.named(*RELEASED))
        features = min(outlook.rows, self.rows) * (columns + columns * (columns - 1) / 2)
        reading = 2 * outlook.rows * columns * SECONDS_PER_CELL
        return Effort(reading + 2 * features * SECONDS_PER_PAIR, int(2 * features * BYTES_PER_PAIR))

    def compare(self, scene: Scene) -> Found:
        stack = _Stack.of(scene, [one.name for one in leaving(scene)], self.rows)
        scene.reporter.checkpoint()
        features = Interacting.of(stack.columns, stack.sizes, stack.ordered)
        model = Logistic.fitted(features.design, stack.released, PENALTY)
        chances = model.chances(features.design)
        share = float(stack.released.mean())
        found, null = mean_square(chances, share), None
        if scene.traces is not None and scene.traces.family is ReleaseFamily.MADE_UP:
            null = expected_of_alike(features.coefficients, share, len(chances))
        return Found(
            {
                "specks": specks(chances, stack.released),
                "pmse": found,
                "ratio_to_null": found / null if null else None,
                "rows": len(chances),
                "suppressed_rows": stack.suppressed,
            },
            charts=(_chart(chances, stack.released),),
        )


@dataclass(frozen=True)
class _Stack:
    """The rows of both sides over one another, in words that both share."""

    columns: list[Codes]
    sizes: list[int]
    ordered: list[int]
    released: Mask
    suppressed: int

    @classmethod
    def of(cls, scene: Scene, names: list[str], rows: int) -> _Stack:
        if len(names) < 2:
            raise DoesNotApply(TOO_FEW)
        was, became = (Drawn.of(side, names, rows, scene.source) for side in (scene.before, scene.after))
        if not len(was) or not len(became):
            raise DoesNotApply(NO_ROWS)
        made = cls([], [], [], np.repeat([False, True], [len(was), len(became)]), became.suppressed)
        for name in names:
            words = words_of(scene, name)
            lots = lot(scene.source, name, len(became))
            both = np.concatenate([words.before[was.codes[name]], words.of_release(became.codes[name], lots)])
            made.columns.append(both)
            made.sizes.append(len(words))
            made.ordered.append(words.ordered)
        return made


def _chart(chances: Floats, released: Mask) -> Chart:
    """How the scores of both sides lie."""
    bins = np.minimum((chances * BARS).astype(np.int64), BARS - 1)
    names = tuple(f"{bar / BARS:.2f}" for bar in range(BARS))
    shares = (np.bincount(bins[rows], minlength=BARS) / rows.sum() for rows in (~released, released))
    return Chart(
        "propensity",
        "How sure the model is",
        "bar",
        Axis(f"Score, from … in steps of {1 / BARS:g}", "", "category"),
        Axis("Share of rows", "", "percent"),
        tuple(
            Series(side, names, tuple(one.tolist()))
            for side, one in zip(("Original", "Release"), shares, strict=True)
        ),
        note="Where both sides lie over one another, the model cannot tell them apart.",
        internal=True,
    )
