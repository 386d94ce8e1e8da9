"""Re-identification risk from class sizes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from worker.engine.algorithms.class_sizes import Sizes, sizes_of
from worker.engine.chart import Axis, Chart, Series
from worker.engine.measure import Figures, Measure, Section, register
from worker.engine.statistics import Statistics

THRESHOLDS = (0.05, 0.2, 0.5)
EDGES = (1, 2, 3, 5, 10, 20, 50, 100, 200, 500, 1000, 10_000, 100_000)
RISKS = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.15, 0.2, 0.25, 1 / 3, 0.5, 0.75, 1.0)


@register
class Reidentification(Measure):
    """How easily a row can be matched to a person by its quasi-identifiers.

    Rows equal on all quasi-identifiers form a class; somebody who knows a person's quasi-identifiers and that
    the person is in the data (the prosecutor) picks the right row with probability 1 ÷ class size.
    Suppressed rows (`*` in every quasi-identifier) form no class and are counted apart. A missing value and
    `*` are values of their own. With a person key, classes count distinct persons; without one the unit is
    the row.
    """

    slug = "reidentification"
    title = "Re-identification"
    section = Section.RISK
    references = ("Dankar & El Emam (2010), A method for evaluating marketer re-identification risk",)
    explanations: ClassVar[Mapping[str, str]] = {
        "unit": "What is counted: distinct persons when a person key is tagged, otherwise rows.",
        "rows": "Rows that belong to a class.",
        "suppressed_rows": "Rows with * in every quasi-identifier. They cannot be matched and form no class.",
        "classes": "Groups of rows that are equal on all quasi-identifiers.",
        "smallest_class": "The size of the smallest group: the k of k-anonymity that the data have.",
        "unique_rows": "Rows that are alone in their class: known quasi-identifiers single them out.",
        "unique_share": "Unique rows divided by all rows.",
        "average_risk": "Classes divided by rows: the share an attacker who matches every row gets right.",
        "highest_risk": "1 ÷ smallest class: the chance to pick the right row for the person most at risk.",
        "share_above": "Share of rows whose chance of being picked correctly exceeds the threshold.",
        "expected_reidentifications": "Sum of the individual risks: how many rows to expect to be matched.",
        "global_risk": "Expected re-identifications divided by rows.",
        "weighted": "Whether sampling weights entered the individual risk (class size in the population).",
        "class_sizes": "How many classes and rows there are of each size.",
        "risk_curve": "Share of rows whose risk is at least the value on the left.",
    }

    labels: ClassVar[Mapping[str, str]] = {"suppressed_rows": "Rows with * in every quasi-identifier"}

    def applies(self, statistics: Statistics) -> bool:
        return bool(statistics.quasi_identifiers)

    def read(self, statistics: Statistics) -> dict[str, Any]:
        sizes = sizes_of(statistics.classes_tuples(), statistics.quasi_identifiers)
        smallest = int(sizes.values[0]) if sizes.classes else None
        figures: dict[str, Any] = {
            "unit": "person" if statistics.person_key else "row",
            "rows": sizes.rows,
            "suppressed_rows": sizes.suppressed_rows,
            "classes": sizes.classes,
            "smallest_class": smallest,
            "unique_rows": sizes.among(sizes.values == 1),
            "unique_share": _share(sizes.among(sizes.values == 1), sizes.total),
            "average_risk": _share(sizes.classes, sizes.total),
            "highest_risk": None if smallest is None else 1 / smallest,
            # In exact integers where that matters: 1 ÷ size above the threshold.
            "share_above": {
                str(t): _share(sizes.among(t * sizes.values < 1), sizes.total) for t in THRESHOLDS
            },
            "expected_reidentifications": sizes.expected,
            "global_risk": sizes.expected / sizes.total if sizes.total else None,
            "weighted": sizes.weighted,
        }
        return figures | _distributions(sizes)

    def charts(self, before: Figures | None, after: Figures | None) -> tuple[Chart, ...]:
        sides = [(name, side) for name, side in (("Before", before), ("After", after)) if side]
        if not sides:
            return ()
        return (_size_chart(sides), _risk_chart(sides))


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None


def _distributions(sizes: Sizes) -> dict[str, Any]:
    bins = []
    for low, after in zip(EDGES, (*EDGES[1:], None), strict=True):
        inside = (sizes.values >= low) & (sizes.values < after if after else True)
        to, number = None if after is None else after - 1, int(sizes.numbers[inside].sum())
        bins.append({"from": low, "to": to, "classes": number, "rows": sizes.among(inside)})
    curve = [
        {"risk": r, "share": _share(sizes.among(sizes.values * r <= 1 + 1e-12), sizes.total)} for r in RISKS
    ]
    return {"class_sizes": bins, "risk_curve": curve}


def _size_chart(sides: list[tuple[str, Figures]]) -> Chart:
    series = tuple(
        Series(
            name,
            tuple(_bin_name(one) for one in side["class_sizes"]),
            tuple(one["rows"] for one in side["class_sizes"]),
        )
        for name, side in sides
    )
    return Chart(
        slug="class-sizes",
        title="Rows by size of their class",
        kind="bar",
        x=Axis("Size of the class", "rows", "category"),
        y=Axis("Rows"),
        series=series,
        note="Rows on the left share their quasi-identifiers with few others and are easy to single out.",
    )


def _risk_chart(sides: list[tuple[str, Figures]]) -> Chart:
    series = tuple(
        Series(
            name,
            tuple(p["risk"] for p in side["risk_curve"]),
            tuple(p["share"] or 0.0 for p in side["risk_curve"]),
        )
        for name, side in sides
    )
    return Chart(
        slug="risk-per-row",
        title="Share of rows at or above each risk",
        kind="step",
        x=Axis("Risk of one row", "", "log"),
        y=Axis("Share of rows", "", "percent"),
        series=series,
        note="The further the curve lies to the lower left, the fewer rows are at high risk.",
    )


def _bin_name(one: Mapping[str, Any]) -> str:
    if one["to"] is None:
        return f"{one['from']:,} and more"
    return f"{one['from']:,}" if one["from"] == one["to"] else f"{one['from']:,}–{one['to']:,}"
