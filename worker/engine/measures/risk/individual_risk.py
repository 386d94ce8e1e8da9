"""Risk of single rows where the data are a sample of a population."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Self

import numpy as np
from pydantic import Field

from worker.engine.contracts.figure import Figure, Figures
from worker.engine.contracts.measure import Effort, Found, Measure, PerRecord, Section, register
from worker.engine.contracts.scene import Outlook, Side
from worker.engine.tables.questions import Question, classes_of
from worker.engine.tables.table import Schema
from worker.engine.uniqueness.charts import RISKS, risk_chart
from worker.engine.uniqueness.matching import KEYS, in_words, nothing_to_match
from worker.engine.uniqueness.rated_classes import Rated, rated, risks_of
from worker.engine.uniqueness.rows_of_classes import class_of_rows, of_rows

THRESHOLDS = (0.05, 0.2, 0.5)
SAMPLE = "estimated from the weights"
EVERYBODY = "the rows themselves: no weight is tagged"
SECONDS_PER_PAIR = 2e-6


@register
class IndividualRisk(Measure):
    """How likely each row is matched to the right person, where the data are a sample of a population.

    f rows share their quasi-identifiers, and their weights say that F people of the population do;
    p = f ÷ F. The risk of each of these rows (Benedetti and Franconi) is p/(1−p)·ln(1/p) for f = 1,
    p/(1−p) − (p/(1−p))²·ln(1/p) for f = 2, and p/(f−(1−p)) for every other f; where F is below f it counts
    as f. Without a weight the rows are everybody there is, and the risk is 1 ÷ f.

    A missing value and `*` are values of their own, unless `alpha` is given: then a cell without a value may
    stand for any, a row agrees with all rows that are equal wherever both tell a value, and a match with a
    row that does not tell everything counts `alpha`. Suppressed rows (`*` everywhere) form no class. With a
    person key classes count distinct persons, and weights are those of their rows.
    """

    slug = "individual-risk"
    title = "Individual risk"
    section = Section.RISK
    references = (
        "Benedetti & Franconi (1998), Statistical and technological solutions for controlled dissemination",
        "Franconi & Polettini (2004), Individual risk estimation in μ-Argus: a review",
        "Templ, Kowarik & Meindl (2015), Statistical disclosure control for micro-data using sdcMicro",
    )
    figures: ClassVar = (
        Figure(
            "global_risk",
            "Global risk",
            "The mean risk of a row: the sum of all risks divided by rows.",
            unit="share",
            better="low",
            usual=(0, 0.05),
            public=True,
            headline=True,
        ),
        Figure(
            "highest_risk",
            "Highest risk",
            "The risk of the row that is easiest to match.",
            unit="share",
            better="low",
            usual=(0, 1 / 3),
            public=True,
            headline=True,
        ),
        Figure(
            "expected_reidentifications",
            "Expected re-identifications",
            "The sum of the risks of all rows: so many are expected to be matched rightly.",
            better="low",
            public=True,
        ),
        Figure(
            "share_above",
            "Share of rows above a risk",
            "Rows whose risk exceeds the threshold, divided by rows.",
            unit="share",
            better="low",
            per="threshold",
            parts=tuple(map(str, THRESHOLDS)),
            public=True,
        ),
        Figure(
            "journalist_risk",
            "Highest risk in the population",
            "1 ÷ F of the smallest class in the population: for somebody who does not know who is "
            "in the data (the journalist).",
            unit="share",
            better="low",
            public=True,
        ),
        Figure(
            "marketer_risk",
            "Mean risk in the population",
            "The mean of 1 ÷ F over rows: the share that somebody who matches every row (the marketer) gets "
            "right. Without weights it is classes ÷ rows.",
            unit="share",
            better="low",
            public=True,
        ),
        Figure(
            "population",
            "Population",
            "Where F comes from: the weights of the rows, or the rows themselves, which are then taken to be "
            "everybody.",
            unit="words",
            public=True,
        ),
        KEYS,
        Figure(
            "unit",
            "Unit",
            "What is counted: distinct persons when a person key is tagged, otherwise rows.",
            unit="words",
            public=True,
        ),
        Figure("rows", "Rows", "Rows that belong to a class.", unit="count", public=True),
        Figure(
            "suppressed_rows",
            "Rows with * in every column",
            "Rows with * in every one of these columns. They cannot be matched and form no class.",
            unit="count",
            public=True,
        ),
        Figure("risk", "Risk", "The risk of each row.", unit="share", better="low", per="record"),
    )

    alpha: float | None = Field(
        None,
        ge=0,
        le=1,
        title="Cells without a value",
        description="How much a match counts that only an unknown cell makes possible: 1 fully, 0 not at "
        "all. Left empty, a missing value and * are values of their own.",
    )

    @classmethod
    def examples(cls) -> tuple[Self, ...]:
        return (cls(), cls(alpha=0.5))

    def does_not_apply(self, outlook: Outlook) -> str | None:
        return nothing_to_match(outlook)

    def effort(self, outlook: Outlook) -> Effort:
        counting = super().effort(outlook)
        if self.alpha is None:
            return counting
        return Effort(counting.seconds + outlook.rows * len(outlook.keys) * SECONDS_PER_PAIR)

    def questions(self, schema: Schema) -> Sequence[Question]:
        return (classes_of(schema),)

    def read(self, side: Side) -> Found:
        found = rated(side.statistics.tuples(side.keys, persons=True, weights=True), side.keys, self.alpha)
        chart = risk_chart({risk: found.share(found.risks >= risk * (1 - 1e-12)) or 0.0 for risk in RISKS})
        records = {"risk": self._by_row(side)} if side.by_record else {}
        return Found(self._figures(found, side), (chart,), records=records)

    def _figures(self, found: Rated, side: Side) -> Figures:
        people = 1 / found.population
        return {
            "global_risk": found.mean(found.risks),
            "highest_risk": float(found.risks.max()) if len(found.risks) else None,
            "expected_reidentifications": found.expected,
            "share_above": {str(t): found.share(found.risks > t) for t in THRESHOLDS},
            "journalist_risk": float(people.max()) if len(people) else None,
            "marketer_risk": found.mean(people),
            "population": SAMPLE if side.statistics.weight else EVERYBODY,
            "keys": in_words(side),
            "unit": side.statistics.unit,
            "rows": found.rows,
            "suppressed_rows": found.suppressed_rows,
        }

    def _by_row(self, side: Side) -> PerRecord:
        table = side.statistics.counts(side.keys, persons=True, weights=True)
        classes, risks = risks_of(table, side.keys, self.alpha)
        if not classes.number:
            return np.full(side.rows, np.nan)
        return of_rows(risks, class_of_rows(side.statistics, classes, side.keys, side.rows))
