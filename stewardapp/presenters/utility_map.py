"""The risk–utility map: every finished run of a release as one point."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean
from typing import TYPE_CHECKING, Any

from worker.engine.chart import Axis, Chart, Series, Threshold

if TYPE_CHECKING:
    from stewardapp.models import Policy, Run

NOTE = "Up and left is better. The dashed line is the highest risk that the policy allows."


def chart(runs: Sequence[Run], policy: Policy) -> Chart:
    """Highest risk against what is kept of the columns' distributions."""
    placed: dict[tuple[float, float], list[str]] = {}
    for run in reversed(runs):
        if (point := place(run)) is not None:
            placed.setdefault(point, []).append(str(run.number))
    return Chart(
        slug="risk-utility",
        title="Risk–utility map of this release’s runs",
        kind="scatter",
        x=Axis("highest re-identification risk", scale="percent"),
        y=Axis("kept of the distributions", scale="percent"),
        series=tuple(Series(named(numbers), (risk,), (kept,)) for (risk, kept), numbers in placed.items()),
        note=NOTE,
        threshold=Threshold(float(policy.maximum_risk), "policy", axis="x"),
    )


def named(numbers: list[str]) -> str:
    """The runs at one place."""
    return f"Run{'s' if len(numbers) > 1 else ''} {', '.join(numbers)}"


def place(run: Run) -> tuple[float, float] | None:
    """Where a run stands, when both figures are known."""
    risk = run.facts().highest_risk if run.state == "succeeded" else None
    kept = kept_share(run.report.get("utility", {}))
    return None if risk is None or kept is None else (float(risk), kept)


def kept_share(utility: Mapping[str, Any]) -> float | None:
    """One minus the mean total variation of the columns, as the marginals measure reports it."""
    found = list(distances(utility))
    return 1 - fmean(found) if found else None


def distances(node: Any) -> Iterable[float]:
    """Every total variation in a report."""
    if isinstance(node, Mapping):
        for name, value in node.items():
            if name == "total_variation" and isinstance(value, (int, float)):
                yield float(value)
            else:
                yield from distances(value)
