"""Reading a stored report. One of version 1 is turned into results here, and nowhere else.

Version 1 kept the figures of a measure by its name alone, in three sections, and no charts: these were drawn
again from figures that were lists. There were three measures then, and no instance had parameters.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from worker.engine import catalogue
from worker.engine.contracts.chart import Chart, overlaid
from worker.engine.contracts.figure import Figures
from worker.engine.contracts.result import Result
from worker.engine.marginals.distributions import moved_chart, quantile_chart, share_chart
from worker.engine.uniqueness.charts import risk_chart, size_chart

Report = Mapping[str, Any]
Old = Mapping[str, Any]


def results_of(report: Report) -> tuple[Result, ...]:
    """The results that a report of either version holds."""
    if "measures" in report:
        return tuple(Result.from_dict(entry) for entry in report["measures"])
    return tuple(_of_version_1(report))


def _of_version_1(report: Report) -> Iterator[Result]:
    risk = report.get("risk", {})
    before, after = risk.get("before", {}), risk.get("after", {})
    for slug in dict.fromkeys((*before, *after)):
        yield _read(slug, before.get(slug), after.get(slug))
    for section in ("utility", "attack"):
        for slug, found in report.get(section, {}).items():
            yield _compared(slug, section, found)


def _read(slug: str, before: Old | None, after: Old | None) -> Result:
    sides = [(name, side) for name, side in (("Before", before), ("After", after)) if side]
    return Result(
        _id(slug),
        slug,
        "risk",
        {},
        before=_figures(before),
        after=_figures(after),
        charts=overlaid([(name, _risk_charts(side)) for name, side in sides]),
    )


def _risk_charts(side: Old) -> tuple[Chart, ...]:
    sizes, curve = side.get("class_sizes"), side.get("risk_curve")
    if not sizes or not curve:
        return ()
    return (
        size_chart({one["from"]: one["rows"] for one in sizes}),
        risk_chart({one["risk"]: one["share"] or 0.0 for one in curve}),
    )


def _compared(slug: str, section: str, found: Old) -> Result:
    columns: Mapping[str, Old] = found.get("columns") or {}
    sides = {side: _columns(columns, f"_{side}") for side in ("before", "after")}
    shared = (
        {name: {c: one.get(name) for c, one in columns.items()} for name in PER_COLUMN} if columns else {}
    )
    after = {**(_figures(found) or {}), **shared, **sides["after"]}
    charts = tuple(_column_charts(columns))
    return Result(_id(slug), slug, section, {}, before=sides["before"] or None, after=after, charts=charts)


PER_COLUMN = ("total_variation", "earth_mover", "suppressed_cells")
PER_SIDE = ("missing", "distinct")


def _columns(columns: Mapping[str, Old], ending: str) -> Figures:
    """The figures of each column that had one name before and another after."""
    if not columns:
        return {}
    return {name: {c: one.get(f"{name}{ending}") for c, one in columns.items()} for name in PER_SIDE}


def _column_charts(columns: Mapping[str, Old]) -> Iterator[Chart]:
    if columns:
        yield moved_chart({name: one.get("total_variation") for name, one in columns.items()})
    for name, one in columns.items():
        if one.get("shares"):
            yield share_chart(name, one["shares"])
        elif steps := one.get("quantiles"):
            triples = ((q["share"], q["before"], q["after"]) for q in steps)
            yield quantile_chart(name, [q for q in triples if None not in q])


def _figures(found: Old | None) -> Figures | None:
    """Single figures, and those that had one value for each threshold."""
    if found is None:
        return None
    return {
        name: value
        for name, value in found.items()
        if not isinstance(value, list) and not (name == "columns" and isinstance(value, Mapping))
    }


def _id(slug: str) -> str:
    """The instance without parameters, where such a measure is still known."""
    known = catalogue.measures().get(slug)
    return slug if known is None or known.problems({}) else known.of({}).id


def public_figures(result: Result) -> tuple[Figures, Figures] | None:
    """The figures that may be published, before and after; None where there is none."""
    contract = catalogue.measures().get(result.measure)
    public = {figure.name for figure in (contract.figures if contract else ()) if figure.public}
    before, after = (
        {name: value for name, value in (side or {}).items() if name in public}
        for side in (result.before, result.after)
    )
    return (before, after) if before or after else None
