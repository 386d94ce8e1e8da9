"""Risk of single rows where the data are a sample of a population."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Self

from worker.engine.contracts.figure import Figure, Figures
from worker.engine.contracts.measure import Effort, Found, Measure, Section, register
from worker.engine.contracts.scene import Outlook, Side
from worker.engine.tables.questions import Question, classes_of
from worker.engine.tables.table import Schema
from worker.engine.uniqueness.charts import RISKS, risk_chart
from worker.engine.uniqueness.figures import (
    ROWS,
    THRESHOLDS,
    UNIT,
    Alpha,
    expected_reidentifications,
    highest_risk,
    mean_risk,
    risk_of_each,
    share_above,
    suppressed_rows,
)
from worker.engine.uniqueness.matching import KEYS, in_words, nothing_to_match
from worker.engine.uniqueness.rated_classes import Rated, rated
from worker.engine.uniqueness.rows_of_classes import risks_by_row

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
        mean_risk("The mean risk of a row: the sum of all risks divided by rows.", usual=(0, 0.05)),
        highest_risk("The risk of the row that is easiest to match.", usual=(0, 1 / 3)),
        expected_reidentifications(
            "The sum of the risks of all rows: so many are expected to be matched rightly."
        ),
        share_above("Rows whose risk exceeds the threshold, divided by rows."),
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
        UNIT,
        ROWS,
        suppressed_rows(
            "column", "Rows with * in every one of these columns. They cannot be matched and form no class."
        ),
        risk_of_each("The risk of each row."),
    )

    alpha: Alpha = None

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
        records = {"risk": risks_by_row(side, self.alpha)} if side.by_record else {}
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
