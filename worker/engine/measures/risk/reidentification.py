"""Re-identification risk from class sizes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from worker.engine.contracts.figure import Figure
from worker.engine.contracts.measure import Found, Measure, Section, register
from worker.engine.contracts.scene import Outlook, Side
from worker.engine.tables.questions import Question, classes_of
from worker.engine.tables.table import Schema
from worker.engine.uniqueness.charts import RISKS, risk_chart, size_chart
from worker.engine.uniqueness.class_sizes import Sizes, sizes_of
from worker.engine.uniqueness.figures import (
    ROWS,
    THRESHOLDS,
    UNIT,
    expected_reidentifications,
    highest_risk,
    share_above,
    suppressed_rows,
)
from worker.engine.uniqueness.matching import KEYS, in_words, nothing_to_match

EDGES = (1, 2, 3, 5, 10, 20, 50, 100, 200, 500, 1000, 10_000, 100_000)


@register
class Reidentification(Measure):
    """How easily a row can be matched to a person by its quasi-identifiers.

    Rows equal on all quasi-identifiers form a class; somebody who knows a person's quasi-identifiers and that
    the person is in the data (the prosecutor) picks the right row with probability 1 ÷ class size.
    Suppressed rows (`*` in every quasi-identifier) form no class and are counted apart. A missing value and
    `*` are values of their own. With a person key, classes count distinct persons; without one the unit is
    the row. Of a release only quasi-identifiers count that stayed truthful: equal values that were moved or
    invented tell nothing, and other measures answer for them.
    """

    slug = "reidentification"
    title = "Re-identification"
    section = Section.RISK
    references = ("Dankar & El Emam (2010), A method for evaluating marketer re-identification risk",)
    figures: ClassVar = (
        Figure(
            "smallest_class",
            "Smallest class",
            "The size of the smallest group: the k of k-anonymity that the data have.",
            unit="count",
            better="high",
            usual=(3, None),
            public=True,
            headline=True,
            example="picking one of {smallest_class} is right with a chance of {highest_risk}",
        ),
        highest_risk(
            "1 ÷ smallest class: the chance to pick the right row for the person most at risk.",
            usual=(0, 1 / 3),
            example="1 ÷ {smallest_class} = {highest_risk}",
        ),
        Figure(
            "average_risk",
            "Average risk",
            "Classes divided by rows: the share an attacker who matches every row gets right.",
            unit="share",
            better="low",
            usual=(0, 0.2),
            public=True,
            headline=True,
            example="{classes} classes: picking within each is right for {average_risk}",
        ),
        KEYS,
        UNIT,
        ROWS,
        suppressed_rows(
            "quasi-identifier",
            "Rows with * in every quasi-identifier. They cannot be matched and form no class.",
        ),
        Figure(
            "classes",
            "Classes",
            "Groups of rows that are equal on all quasi-identifiers.",
            unit="count",
            public=True,
        ),
        Figure(
            "unique_rows",
            "Unique rows",
            "Rows that are alone in their class: known quasi-identifiers single them out.",
            unit="count",
            better="low",
            public=True,
        ),
        Figure(
            "unique_share",
            "Unique share",
            "Unique rows divided by all rows.",
            unit="share",
            better="low",
            public=True,
            example="{unique_rows} rows are alone in their class: {unique_share}",
        ),
        share_above("Share of rows whose chance of being picked correctly exceeds the threshold."),
        expected_reidentifications("Sum of the individual risks: how many rows to expect to be matched."),
        Figure(
            "global_risk",
            "Global risk",
            "Expected re-identifications divided by rows.",
            unit="share",
            better="low",
            public=True,
            example="{expected_reidentifications} rows are expected to be matched: {global_risk}",
        ),
        Figure(
            "weighted",
            "Weighted",
            "Whether sampling weights entered the individual risk (class size in the population).",
            unit="words",
            public=True,
        ),
    )

    def does_not_apply(self, outlook: Outlook) -> str | None:
        return nothing_to_match(outlook)

    def questions(self, schema: Schema) -> Sequence[Question]:
        return (classes_of(schema),)

    def read(self, side: Side) -> Found:
        statistics = side.statistics
        sizes = sizes_of(statistics.tuples(side.keys, persons=True, weights=True), side.keys)
        smallest = int(sizes.values[0]) if sizes.classes else None
        unique = sizes.among(sizes.values == 1)
        return Found(
            {
                "keys": in_words(side),
                "unit": statistics.unit,
                "rows": sizes.rows,
                "suppressed_rows": sizes.suppressed_rows,
                "classes": sizes.classes,
                "smallest_class": smallest,
                "unique_rows": unique,
                "unique_share": _share(unique, sizes.total),
                "average_risk": _share(sizes.classes, sizes.total),
                "highest_risk": None if smallest is None else 1 / smallest,
                # In exact integers where that matters: 1 ÷ size above the threshold.
                "share_above": {
                    str(t): _share(sizes.among(t * sizes.values < 1), sizes.total) for t in THRESHOLDS
                },
                "expected_reidentifications": sizes.expected,
                "global_risk": sizes.expected / sizes.total if sizes.total else None,
                "weighted": sizes.weighted,
            },
            charts=(size_chart(_rows_by_size(sizes)), risk_chart(_shares_by_risk(sizes))),
        )


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None


def _rows_by_size(sizes: Sizes) -> dict[int, int]:
    """The rows in classes of each range of sizes."""
    ends = zip(EDGES, (*EDGES[1:], None), strict=True)
    return {
        low: sizes.among((sizes.values >= low) & (sizes.values < end if end else True)) for low, end in ends
    }


def _shares_by_risk(sizes: Sizes) -> dict[float, float]:
    return {risk: _share(sizes.among(sizes.values * risk <= 1 + 1e-12), sizes.total) or 0.0 for risk in RISKS}
