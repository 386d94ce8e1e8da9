"""Rows that few of their keys single out (SUDA2)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, ClassVar, Literal, Self

import numpy as np
from pydantic import Field

from worker.engine.contracts.annotations import Unit
from worker.engine.contracts.chart import Axis, Chart, Series
from worker.engine.contracts.figure import Figure, Figures
from worker.engine.contracts.measure import Effort, Found, Measure, PerRecord, Section, register
from worker.engine.contracts.scene import Outlook, Side
from worker.engine.tables.classes import Classes, released_classes
from worker.engine.tables.questions import Question, classes_of
from worker.engine.tables.table import Schema
from worker.engine.uniqueness.matching import KEYS, in_words, nothing_to_match
from worker.engine.uniqueness.rows_of_classes import class_of_rows, of_rows
from worker.engine.uniqueness.suda import (
    DIS_FRACTION,
    Singling,
    Suda,
    dis_suda,
    disclosure_of_matches,
    suda,
)
from worker.engine.wording import thousands

SECONDS_PER_SET = 3e-8
BYTES_PER_ROW = 64


@register
class SpecialUniques(Measure):
    """Which rows are alone by few of their quasi-identifiers, and how much that tells (SUDA2).

    A *minimal sample unique* of a row is a set of quasi-identifiers by which no other row equals it, while
    by every smaller part of the set another does. Each of s among m quasi-identifiers adds (m − s)! to the
    row's score: who is alone by age and place already is likely to be so in the population too. A column
    contributes what the sets with it add; as a set has several columns, contributions sum to more than 1.

    DIS is the chance that a match of a unique row is right, estimated from rows that are alone and in pairs:
    π·unique ÷ (π·unique + (1 − π)·rows in pairs), with π the share of the population that is in the sample.
    DIS-SUDA spreads it over the rows by their scores. Suppressed rows take no part; with a person key a set
    singles out that is one person's alone.
    """

    slug = "suda"
    title = "Special uniques"
    section = Section.RISK
    references = (
        "Elliot, Manning & Ford (2002), A computational algorithm for handling the special uniques problem",
        "Manning, Haglin & Keane (2008), A recursive search algorithm for statistical disclosure assessment",
        "Skinner & Elliot (2002), A measure of disclosure risk for microdata",
    )
    figures: ClassVar = (
        Figure(
            "risky_share",
            "Share of rows that few columns single out",
            "Rows that are alone by at most as many quasi-identifiers as asked, divided by rows.",
            unit="share",
            better="low",
            usual=(0, 0.05),
            public=True,
            headline=True,
        ),
        Figure(
            "unique_share",
            "Share of rows with a score",
            "Rows that some set of quasi-identifiers singles out, divided by rows.",
            unit="share",
            better="low",
            public=True,
        ),
        Figure(
            "risky_rows",
            "Rows that few columns single out",
            "Rows that are alone by at most as many quasi-identifiers as asked.",
            unit="count",
            better="low",
            public=True,
        ),
        Figure("highest_score", "Highest score", "The score of the row that stands out most.", better="low"),
        Figure(
            "dis",
            "Chance that a match is right",
            "DIS: of those who match a unique row to somebody in the population, the share that is right.",
            unit="share",
            better="low",
            public=True,
        ),
        Figure(
            "highest_dis_suda",
            "Highest chance of a right match",
            "DIS-SUDA of the row that stands out most.",
            unit="share",
            better="low",
        ),
        Figure(
            "contribution",
            "Contribution",
            "The part of all scores that comes from sets with the column.",
            unit="share",
            better="low",
            per="column",
            public=True,
        ),
        KEYS,
        Figure("rows", "Rows", "Rows that belong to a class.", unit="count", public=True),
        Figure("suda", "Score", "The score of each row.", better="low", per="record"),
        Figure("dis_suda", "DIS-SUDA", "DIS-SUDA of each row.", unit="share", better="low", per="record"),
    )

    columns: Annotated[int, Unit("columns")] = Field(
        2, ge=1, le=64, title="Few", description="So many quasi-identifiers are few."
    )
    dis_fraction: Annotated[float, Unit("share of the population")] = Field(
        DIS_FRACTION,
        gt=0,
        le=1,
        title="Sampling fraction",
        description="Which share of the population is in the data, for DIS.",
    )
    missing: Literal["own", "left-out"] = Field(
        "own",
        title="Cells without a value",
        description="A missing value and * as values of their own, or left out: then no set holds them.",
    )

    @classmethod
    def examples(cls) -> tuple[Self, ...]:
        return (cls(), cls(columns=1, dis_fraction=0.1, missing="left-out"))

    def does_not_apply(self, outlook: Outlook) -> str | None:
        return nothing_to_match(outlook)

    def effort(self, outlook: Outlook) -> Effort:
        sets, keys = 2 ** len(outlook.keys), len(outlook.keys)
        counting = super().effort(outlook)
        seconds = counting.seconds + 2 * outlook.rows * sets * SECONDS_PER_SET
        return Effort(seconds, outlook.rows * (BYTES_PER_ROW * keys + sets // 8))

    def questions(self, schema: Schema) -> Sequence[Question]:
        return (classes_of(schema),)

    def read(self, side: Side) -> Found:
        table = side.statistics.counts(side.keys, persons=True, weights=True)
        classes, _ = released_classes(table, side.keys)
        found = suda(classes, side.keys, self.missing == "left-out")
        spread = self._spread(classes, found)
        records = {}
        if side.by_record:
            records = _by_row(side, classes, {"suda": found.scores, "dis_suda": spread})
        charts = _charts(found, side.keys) if found.scores.any() else ()
        if charts and side.by_record:
            charts = (*charts, _in_words(found.sets, side.keys))
        return Found(self._figures(side, classes, found, spread), charts, records=records)

    def _spread(self, classes: Classes, found: Suda) -> PerRecord:
        in_pairs = 2 * int((classes.sizes == 2).sum())
        return dis_suda(found.scores, classes.rows, len(found.contributions), in_pairs, self.dis_fraction)

    def _figures(self, side: Side, classes: Classes, found: Suda, spread: PerRecord) -> Figures:
        sizes = classes.sizes
        total, unique = int(sizes.sum()), int((sizes == 1).sum())
        risky = int(((found.least > 0) & (found.least <= self.columns)).sum())
        return {
            "risky_share": risky / total if total else None,
            "unique_share": int((found.least > 0).sum()) / total if total else None,
            "risky_rows": risky,
            "highest_score": float(found.scores.max(initial=0)),
            "dis": disclosure_of_matches(unique, 2 * int((sizes == 2).sum()), self.dis_fraction),
            "highest_dis_suda": float(spread.max(initial=0)),
            "contribution": dict(zip(side.keys, found.contributions.tolist(), strict=True)),
            "keys": in_words(side),
            "rows": int(classes.rows.sum()),
        }


def _by_row(side: Side, classes: Classes, figures: dict[str, PerRecord]) -> dict[str, PerRecord]:
    if not classes.number:
        return {name: np.full(side.rows, np.nan) for name in figures}
    found = class_of_rows(side.statistics, classes, side.keys, side.rows)
    return {name: of_rows(values, found) for name, values in figures.items()}


def _charts(found: Suda, keys: Sequence[str]) -> tuple[Chart, ...]:
    numbers = tuple(map(str, range(1, len(found.sizes))))
    sizes = Chart(
        slug="minimal-uniques",
        title="Sets that single out a row, by their columns",
        kind="bar",
        x=Axis("Columns of the set", scale="category"),
        y=Axis("Sets"),
        series=(Series("", numbers, tuple(found.sizes[1:].tolist())),),
        note="Sets on the left are small: whoever knows so little of a person finds the row.",
    )
    parts = Chart(
        slug="contributions",
        title="What each column adds",
        kind="bar",
        x=Axis("Column", scale="category"),
        y=Axis("Part of all scores", "", "percent"),
        series=(Series("", tuple(keys), tuple(found.contributions.tolist())),),
        note="Sets have several columns, so that parts sum to more than the whole.",
    )
    return sizes, parts


def _in_words(sets: Sequence[Singling], keys: Sequence[str]) -> Chart:
    """The worst rows by what they are alone by: no value, because what one row holds is said of nobody."""
    words = tuple(_alone_by(one, keys) for one in sets)
    return Chart(
        slug="worst-sets",
        title="What the worst rows are alone by",
        kind="bar",
        x=Axis("Rows", scale="category"),
        y=Axis("Part of all scores", "", "percent"),
        series=(Series("", words, tuple(one.adds for one in sets)),),
        note="The sets that add most to all scores. No part of a set tells these rows apart already.",
    )


def _alone_by(one: Singling, keys: Sequence[str]) -> str:
    *others, last = [keys[key] for key in one.keys]
    rows = "1 row is" if one.rows == 1 else f"{thousands(round(one.rows))} rows are"
    return f"{rows} alone by {', '.join(others)}{' and ' if others else ''}{last}"
