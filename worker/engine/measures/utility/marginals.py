"""How far each column's distribution moved."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from worker.engine.algorithms.distributions import (
    FEWEST,
    SHOWN,
    ascending,
    known_numbers,
    share_chart,
    shares_of,
)
from worker.engine.chart import Axis, Chart, Series
from worker.engine.column import SUPPRESSED, Floats
from worker.engine.fields import NUMERIC, RELEASED
from worker.engine.frequency import Counts, FrequencyTable
from worker.engine.measure import Figures, Measure, Section, register
from worker.engine.statistics import Statistics

QUANTILES = tuple(q / 100 for q in range(5, 100, 5))


@register
class Marginals(Measure):
    """How far the distribution of each released column moved.

    Compares, column by column, the shares of the values before and after. It says nothing about what columns
    have to do with each other. Suppressed rows that were left out are missing from "after".
    """

    slug = "marginals"
    title = "Marginals"
    section = Section.UTILITY
    explanations: ClassVar[Mapping[str, str]] = {
        "total_variation": "Half the sum of differences between the shares of each value before and after: 0 "
        "means the same distribution, 1 means no value in common. A generalized column counts as changed "
        "wherever it has a coarser label.",
        "earth_mover": "For numbers: how far the values moved on average, in the column's own unit, when the "
        "distribution before is turned into that after. An interval counts as its middle.",
        "mean_total_variation": "The mean of the total variation over the released columns.",
        "suppressed_cells": "Cells that hold * instead of a value.",
        "missing_before": "Rows without a value in this column, before.",
        "missing_after": "Rows without a value in this column, after.",
        "distinct_before": "Different values in this column, before.",
        "distinct_after": "Different values in this column, after.",
        "columns": "The figures of each column.",
    }

    def compare(self, before: Statistics, after: Statistics) -> dict[str, Any]:
        columns = {
            field.name: _column(before, after, field.name)
            for field in before.schema
            if field.role in RELEASED and field.name in after.schema
        }
        variations = [
            one["total_variation"] for one in columns.values() if one["total_variation"] is not None
        ]
        mean = sum(variations) / len(variations) if variations else None
        return {"mean_total_variation": mean, "columns": columns}

    def charts(self, before: Figures | None, after: Figures | None) -> tuple[Chart, ...]:
        if not after:
            return ()
        columns: Mapping[str, Figures] = after["columns"]
        overview = _overview(columns)
        return (
            overview,
            *(_chart(name, one) for name, one in columns.items() if one["shares"] or one["quantiles"]),
        )


def _column(before: Statistics, after: Statistics, name: str) -> dict[str, Any]:
    old, new = before.counts((name,)), after.counts((name,))
    numeric = before.schema[name].kind in NUMERIC
    return {
        "total_variation": _total_variation(old, new),
        "earth_mover": _earth_mover(old, new) if numeric else None,
        "suppressed_cells": _rows_of(new, SUPPRESSED),
        "missing_before": _missing(old),
        "missing_after": _missing(new),
        "distinct_before": len(old),
        "distinct_after": len(new),
        "shares": None if numeric and len(new) > SHOWN else shares_of(old, new),
        "quantiles": _quantile_rows(old, new) if numeric else None,
    }


def _total_variation(old: FrequencyTable, new: FrequencyTable) -> float | None:
    if not old.rows or not new.rows:
        return None
    if new is old:
        return 0.0
    places = old.domains[0].places_of(new.domains[0])[new.codes[0]]
    known = places >= 0
    apart = np.zeros(len(old.domains[0]))
    apart[old.codes[0]] = old.counts / old.rows
    np.subtract.at(apart, places[known], new.counts[known] / new.rows)
    return float((np.abs(apart).sum() + new.counts[~known].sum() / new.rows) / 2)


def _earth_mover(old: FrequencyTable, new: FrequencyTable) -> float | None:
    """The area between the two cumulative distributions."""
    if new is old:
        return 0.0 if len(known_numbers(old)[0]) else None
    (x, p), (y, q) = known_numbers(old), known_numbers(new)
    if not len(x) or not len(y):
        return None
    points = np.unique(np.concatenate([x, y]))
    low = _cumulative(x, p, points)
    high = _cumulative(y, q, points)
    return float((np.abs(low - high)[:-1] * np.diff(points)).sum())


def _cumulative(values: Floats, counts: Counts, points: Floats) -> Floats:
    values, counts = ascending(values, counts)
    running = np.concatenate([[0], np.cumsum(counts)]) / counts.sum()
    at = np.searchsorted(values, points, side="right")
    return np.asarray(running[at], dtype=np.float64)


def _quantile_rows(old: FrequencyTable, new: FrequencyTable) -> list[dict[str, float | None]]:
    before = _quantiles(*known_numbers(old))
    after = before if new is old else _quantiles(*known_numbers(new))
    return [{"share": q, "before": b, "after": a} for q, b, a in zip(QUANTILES, before, after, strict=True)]


def _quantiles(values: Floats, counts: Counts) -> list[float | None]:
    """Only where at least so many rows stand behind each step, so that none is a single person's value."""
    if counts.sum() < FEWEST * (len(QUANTILES) + 1):
        return [None] * len(QUANTILES)
    values, counts = ascending(values, counts)
    running = np.cumsum(counts)
    at = np.searchsorted(running, np.array(QUANTILES) * running[-1])
    return [float(x) for x in values[at]]


def _rows_of(table: FrequencyTable, text: str) -> int:
    code = table.domains[0].find(text)
    return int(table.counts[table.codes[0] == code].sum())


def _missing(table: FrequencyTable) -> int:
    return int(table.counts[table.domains[0].missing[table.codes[0]]].sum()) if len(table) else 0


def _overview(columns: Mapping[str, Figures]) -> Chart:
    names = tuple(columns)
    values = tuple(one["total_variation"] or 0.0 for one in columns.values())
    return Chart(
        slug="marginals",
        title="How far each column moved",
        kind="bar",
        x=Axis("Column", "", "category"),
        y=Axis("Total variation", "", "percent"),
        series=(Series("Total variation", names, values),),
        note="0 % means the same distribution as before, 100 % means no value in common.",
    )


def _chart(name: str, one: Figures) -> Chart:
    if one["shares"]:
        return share_chart(name, one["shares"])
    steps: Sequence[Figures] = [
        q for q in one["quantiles"] if q["before"] is not None and q["after"] is not None
    ]
    shares = tuple(q["share"] for q in steps)
    return Chart(
        slug=f"marginal-{name}",
        title=f"Quantiles of {name}",
        kind="line",
        x=Axis("Share of rows at or below", "", "percent"),
        y=Axis(name),
        series=(
            Series("Before", shares, tuple(q["before"] for q in steps)),
            Series("After", shares, tuple(q["after"] for q in steps)),
        ),
        note="Where the lines lie on each other, the distribution was kept.",
        internal=True,
    )
