"""How far each column's distribution moved."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from worker.engine.contracts.chart import Chart
from worker.engine.contracts.figure import Figure
from worker.engine.contracts.measure import Found, Measure, Section, register
from worker.engine.contracts.scene import Scene
from worker.engine.information.bins import ORDERED, binned_variation
from worker.engine.marginals.distributions import (
    FEWEST,
    SHOWN,
    ascending,
    known_numbers,
    moved_chart,
    quantile_chart,
    share_chart,
    shares_of,
)
from worker.engine.marginals.released_level import at_released_level
from worker.engine.tables.column import SUPPRESSED, Floats
from worker.engine.tables.frequency import Counts, FrequencyTable
from worker.engine.tables.kinds import NUMERIC, RELEASED
from worker.engine.tables.questions import Question, distinct_of
from worker.engine.tables.table import Field, Schema

QUANTILES = tuple(q / 100 for q in range(5, 100, 5))


@register
class Marginals(Measure):
    """How far the distribution of each released column moved.

    Compares, column by column, the shares of the values before and after, at the level at which the column is
    released: the original is mapped through the hierarchy first, so that a coarser label is no other value.
    Numbers and dates are compared in ten quantile bins of the original; an interval is spread over the
    originals that lie in it. It says nothing about what columns have to do with each other. Suppressed rows
    that were left out are missing from "after".
    """

    slug = "marginals"
    title = "Marginals"
    section = Section.UTILITY
    figures: ClassVar = (
        Figure(
            "mean_total_variation",
            "Mean total variation",
            "The mean of the total variation over the released columns.",
            unit="share",
            better="low",
            usual=(0, 0.5),
            headline=True,
        ),
        Figure(
            "total_variation",
            "Total variation",
            "Half the sum of differences between the shares of each value, or bin, before and after, at the "
            "level at which it is released: 0 means the same distribution, 1 means no value in common. A "
            "label that no hierarchy knows counts as changed.",
            unit="share",
            better="low",
            per="column",
        ),
        Figure(
            "earth_mover",
            "Earth mover",
            "For numbers: how far the values moved on average, in the column's own unit, when the "
            "distribution before is turned into that after. An interval counts as its middle.",
            unit="column",
            better="low",
            per="column",
        ),
        Figure(
            "distinct",
            "Distinct",
            "Different values in this column.",
            unit="count",
            per="column",
            tabled=True,
        ),
        Figure(
            "suppressed_cells",
            "Suppressed cells",
            "Cells that hold * instead of a value.",
            unit="count",
            better="low",
            per="column",
            tabled=True,
        ),
        Figure("missing", "Missing", "Rows without a value in this column.", unit="count", per="column"),
    )

    def questions(self, schema: Schema) -> Sequence[Question]:
        return tuple(distinct_of(name) for name in schema.named(*RELEASED))

    def compare(self, scene: Scene) -> Found:
        leaving = scene.after.schema.named(*RELEASED)
        moved = {
            field.name: _Moved.of(field, scene)
            for field in scene.before.schema
            if field.role in RELEASED and field.name in leaving
        }
        apart = {name: one.total_variation for name, one in moved.items()}
        known = [one for one in apart.values() if one is not None]
        return Found(
            {
                "mean_total_variation": sum(known) / len(known) if known else None,
                "total_variation": apart,
                "earth_mover": {name: one.earth_mover for name, one in moved.items()},
                **_by_figure({name: one.after for name, one in moved.items()}),
            },
            charts=(moved_chart(apart), *(one.chart for one in moved.values() if one.chart)),
            before=_by_figure({name: one.before for name, one in moved.items()}),
        )


@dataclass(frozen=True)
class _Moved:
    """One column before and after, in figures: its tables are not held while others are looked at."""

    total_variation: float | None
    earth_mover: float | None
    before: dict[str, int]
    after: dict[str, int]
    chart: Chart | None

    @classmethod
    def of(cls, column: Field, scene: Scene) -> _Moved:
        """What became of a column."""
        name, numeric = column.name, column.kind in NUMERIC
        old, new = scene.before.counts((name,)), scene.after.counts((name,))
        was, became = at_released_level(old, new, scene.before.declaration(name).hierarchy)
        binned = column.kind in ORDERED and was is old and new is not old
        return cls(
            binned_variation(old, new, column.kind) if binned else _total_variation(was, became),
            _earth_mover(was, became) if numeric else None,
            _counted(old),
            _counted(new),
            _chart(name, was, became, numeric),
        )


def _counted(table: FrequencyTable) -> dict[str, int]:
    """What one side holds of a column."""
    return {
        "suppressed_cells": _rows_of(table, SUPPRESSED),
        "missing": _missing(table),
        "distinct": len(table),
    }


def _by_figure(counted: dict[str, dict[str, int]]) -> dict[str, dict[str, int]]:
    """The figures of all columns, figure by figure."""
    figures = ("suppressed_cells", "missing", "distinct")
    return {figure: {name: one[figure] for name, one in counted.items()} for figure in figures}


def _chart(name: str, old: FrequencyTable, new: FrequencyTable, numeric: bool) -> Chart | None:
    """Shares of values where they are few, otherwise quantiles."""
    if not (numeric and len(new) > SHOWN) and (shares := shares_of(old, new)):
        return share_chart(name, shares)
    return _quantile_chart(name, old, new) if numeric else None


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
    points, low, high = _running(x, p, y, q)
    return float((np.abs(low / p.sum() - high / q.sum())[:-1] * np.diff(points)).sum())


def _running(x: Floats, p: Counts, y: Floats, q: Counts) -> tuple[Floats, Counts, Counts]:
    """Every number of either side in order, and how many rows of each side are not above it."""
    numbers = np.concatenate([x, y])
    order = np.argsort(numbers)
    numbers = numbers[order]
    last = np.append(numbers[1:] != numbers[:-1], True)
    sides = (np.concatenate([p, np.zeros_like(q)]), np.concatenate([np.zeros_like(p), q]))
    low, high = (np.cumsum(rows[order])[last] for rows in sides)
    return numbers[last], low, high


def _quantile_chart(name: str, old: FrequencyTable, new: FrequencyTable) -> Chart:
    before = _quantiles(*known_numbers(old))
    after = before if new is old else _quantiles(*known_numbers(new))
    steps = zip(QUANTILES, before, after, strict=True)
    return quantile_chart(name, [(q, b, a) for q, b, a in steps if b is not None and a is not None])


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
