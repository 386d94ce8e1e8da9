"""Charts of the sizes of classes and of the risk of rows, one side at a time."""

from __future__ import annotations

from collections.abc import Mapping

from worker.engine.contracts.chart import Axis, Chart, Series
from worker.engine.wording import thousands

RISKS = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.15, 0.2, 0.25, 1 / 3, 0.5, 0.75, 1.0)
"""Where the curve of risks is drawn."""


def size_chart(rows: Mapping[int, int]) -> Chart:
    """How many rows are in classes of each range of sizes, by where the range begins."""
    starts = tuple(rows)
    ends = (*(start - 1 for start in starts[1:]), None)
    names = tuple(_range(low, high) for low, high in zip(starts, ends, strict=True))
    return Chart(
        slug="class-sizes",
        title="Rows by size of their class",
        kind="bar",
        x=Axis("Size of the class", "rows", "category"),
        y=Axis("Rows"),
        series=(Series("", names, tuple(rows.values())),),
        note="Rows on the left share their quasi-identifiers with few others and are easy to single out.",
    )


def risk_chart(shares: Mapping[float, float]) -> Chart:
    """Which share of rows has at least each risk."""
    return Chart(
        slug="risk-per-row",
        title="Share of rows at or above each risk",
        kind="step",
        x=Axis("Risk of one row", "", "log"),
        y=Axis("Share of rows", "", "percent"),
        series=(Series("", tuple(shares), tuple(shares.values())),),
        note="The further the curve lies to the lower left, the fewer rows are at high risk.",
    )


def _range(low: int, high: int | None) -> str:
    if high is None:
        return f"{thousands(low)} and more"
    return thousands(low) if low == high else f"{thousands(low)}–{thousands(high)}"
