"""Risk of households: one member who is found gives the others away."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Self

import numpy as np

from worker.engine.contracts.chart import Chart
from worker.engine.contracts.figure import Figure, Figures
from worker.engine.contracts.measure import DoesNotApply, Effort, Found, Measure, Section, register
from worker.engine.contracts.scene import Outlook, Side
from worker.engine.tables.column import Floats
from worker.engine.tables.kinds import Role
from worker.engine.tables.questions import Question, classes_of
from worker.engine.tables.table import Schema
from worker.engine.uniqueness.charts import RISKS, risk_chart
from worker.engine.uniqueness.figures import (
    THRESHOLDS,
    Alpha,
    expected_reidentifications,
    highest_risk,
    mean_risk,
    risk_of_each,
    share_above,
)
from worker.engine.uniqueness.households import of_households, told_apart
from worker.engine.uniqueness.matching import KEYS, in_words, nothing_to_match
from worker.engine.uniqueness.rows_of_classes import risks_by_row

NO_KEY = "No column is tagged household key, so that nobody knows who lives together."
ASTRAY = (
    "Household keys stay behind, and nobody knows where the rows of the release stood in the original. "
    "Compare files with as many rows, in the same order."
)
SECONDS_PER_ROW = 1e-6


@register
class HouseholdRisk(Measure):
    """How likely at least one member of a row's household is matched, and the household with them.

    The risk of a household is 1 − Π(1 − r) over the individual risks r of its members (see *Individual
    risk*), and each of them bears it. A row that does not tell its household is one by itself; with a person
    key, several rows of one person count once, by the riskiest. Suppressed rows are in no class and add
    nothing.
    """

    slug = "household-risk"
    title = "Household risk"
    section = Section.RISK
    references = (
        "Templ, Kowarik & Meindl (2015), Statistical disclosure control for micro-data using sdcMicro",
    )
    figures: ClassVar = (
        mean_risk("The mean over rows of the risk of their household.", usual=(0, 0.1)),
        highest_risk("The risk of the household that is easiest to find.", usual=(0, 0.5)),
        expected_reidentifications("The sum of these risks over rows: so many are expected to be found."),
        share_above("Rows whose household's risk exceeds the threshold, divided by rows."),
        Figure("households", "Households", "Households with rows in a class.", unit="count", public=True),
        Figure(
            "largest_household",
            "Largest household",
            "Rows of the largest of them: the larger a household, the easier one of its members is found.",
            unit="count",
        ),
        KEYS,
        risk_of_each("The risk of each row's household."),
    )

    alpha: Alpha = None

    @classmethod
    def examples(cls) -> tuple[Self, ...]:
        return (cls(), cls(alpha=1.0))

    def does_not_apply(self, outlook: Outlook) -> str | None:
        if not outlook.schema.named(Role.HOUSEHOLD_KEY):
            return NO_KEY
        return nothing_to_match(outlook)

    def effort(self, outlook: Outlook) -> Effort:
        return Effort(2 * outlook.rows * (len(outlook.keys) + 1) * SECONDS_PER_ROW, 32 * outlook.rows)

    def questions(self, schema: Schema) -> Sequence[Question]:
        return (classes_of(schema),)

    def read(self, side: Side) -> Found:
        if side.origin is None:
            raise DoesNotApply(ASTRAY)
        households, persons = told_apart(side.origin, side.rows)
        own = risks_by_row(side, self.alpha)
        risks = of_households(own, households, persons)
        inside = ~np.isnan(risks)
        members = np.bincount(households[inside & (households >= 0)])
        members = members[members > 0]
        alone = int((inside & (households < 0)).sum())
        figures: Figures = {
            **_figures(risks[inside]),
            "households": len(members) + alone,
            "largest_household": int(members.max(initial=min(alone, 1))),
            "keys": in_words(side),
        }
        return Found(figures, (_chart(risks[inside]),), records={"risk": risks} if side.by_record else {})


def _figures(risks: Floats) -> Figures:
    if not len(risks):
        return {"expected_reidentifications": 0.0}
    return {
        "global_risk": float(risks.mean()),
        "highest_risk": float(risks.max()),
        "expected_reidentifications": float(risks.sum()),
        "share_above": {str(t): float((risks > t).mean()) for t in THRESHOLDS},
    }


def _chart(risks: Floats) -> Chart:
    ordered = np.sort(risks)
    above = {risk: len(ordered) - int(np.searchsorted(ordered, risk * (1 - 1e-12))) for risk in RISKS}
    return risk_chart({risk: number / max(len(ordered), 1) for risk, number in above.items()})
