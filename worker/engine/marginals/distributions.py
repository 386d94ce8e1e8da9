"""A column's distribution before and after, as charts that single out no small group of rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from worker.engine.contracts.chart import Axis, Chart, Series
from worker.engine.tables.column import Floats, parse_numbers
from worker.engine.tables.frequency import Counts, FrequencyTable
from worker.engine.tables.intervals import ends_of

SHOWN = 12
FEWEST = 10
"""Values with fewer rows than this are shown together as "other"."""


def known_numbers(table: FrequencyTable) -> tuple[Floats, Counts]:
    """The numbers of a column and their rows; an interval counts as its middle.

    There may be as many as rows, so that nothing is copied that is right as it is.
    """
    numbers = _with_middles(table)
    whole = len(table.domains) == 1 and len(numbers) == len(table)  # every value once, in order
    values = numbers if whole else numbers[table.codes[0]]
    known = ~np.isnan(values)
    return (values, table.counts) if known.all() else (values[known], table.counts[known])


def _with_middles(table: FrequencyTable) -> Floats:
    numbers = table.domains[0].numbers
    unknown = np.flatnonzero(np.isnan(numbers)).tolist()
    if unknown:
        numbers = numbers.copy()
    for code in unknown:
        if ends := ends_of(table.domains[0].text(code)):
            numbers[code] = sum(ends) / 2
    return numbers


def ascending(values: Floats, counts: Counts) -> tuple[Floats, Counts]:
    """Both in the order of the values."""
    if (values[1:] >= values[:-1]).all():
        return values, counts
    order = np.argsort(values)
    return values[order], counts[order]


def shares_of(old: FrequencyTable, new: FrequencyTable) -> list[dict[str, Any]]:
    """The most frequent released values, rare ones together; originals only where they are released."""
    if not new.rows:
        return []
    rows, before = new.counts, _rows_before(old, new)
    often = np.flatnonzero((rows >= FEWEST) & ((before == 0) | (before >= FEWEST)))
    if len(often) > SHOWN:
        often = often[rows[often] >= np.partition(rows[often], -SHOWN)[-SHOWN]]
    texts = new.domains[0].column(new.codes[0][often]).texts()
    listed = sorted(zip(rows[often].tolist(), texts, before[often].tolist(), strict=True))
    shown = _in_order(listed[-SHOWN:][::-1])
    made = [_share_row(text or "(missing)", was, now, old, new) for now, text, was in shown]
    rest_before = old.rows - sum(was for _, _, was in shown)
    rest = new.rows - sum(now for now, _, _ in shown)
    return [*made, _share_row("(other)", rest_before, rest, old, new)] if rest or rest_before else made


def _in_order(shown: list[tuple[int, str, int]]) -> list[tuple[int, str, int]]:
    """The values by size where all of them are numbers or intervals; otherwise the most frequent first."""
    places = parse_numbers(
        pa.array([str(ends[0]) if (ends := ends_of(text)) else text for _, text, _ in shown])
    )
    if np.isnan(places).any():
        return shown
    return [shown[place] for place in np.argsort(places, kind="stable")]


def _rows_before(old: FrequencyTable, new: FrequencyTable) -> Counts:
    """How many rows of the original hold each value of the release."""
    rows = np.append(old.marginal(old.names[0]), 0)  # the last one for what is not there
    found: Counts = rows[old.domains[0].places_of(new.domains[0])[new.codes[0]]]
    return found


def _share_row(
    label: str, before: int, after: int, old: FrequencyTable, new: FrequencyTable
) -> dict[str, Any]:
    return {"value": label, "before": before / old.rows if old.rows else None, "after": after / new.rows}


def share_chart(name: str, shares: Sequence[Mapping[str, Any]]) -> Chart:
    """The shares of a column's values as bars."""
    values = tuple(one["value"] for one in shares)
    return Chart(
        slug=f"marginal-{name}",
        title=f"Shares of {name}",
        kind="bar",
        x=Axis(name, "", "category"),
        y=Axis("Share of rows", "", "percent"),
        series=(
            Series("Before", values, tuple(one["before"] or 0.0 for one in shares)),
            Series("After", values, tuple(one["after"] for one in shares)),
        ),
        note="Values are those of the release, and the original at their level; a label that is not in the "
        "hierarchy has no share before.",
        internal=True,
        column=name,
    )


def quantile_chart(name: str, steps: Sequence[tuple[float, float, float]]) -> Chart:
    """The quantiles of a column of numbers: share of rows, number before, number after."""
    shares = tuple(share for share, _, _ in steps)
    return Chart(
        slug=f"marginal-{name}",
        title=f"Quantiles of {name}",
        kind="line",
        x=Axis("Share of rows at or below", "", "percent"),
        y=Axis(name),
        series=(
            Series("Before", shares, tuple(before for _, before, _ in steps)),
            Series("After", shares, tuple(after for _, _, after in steps)),
        ),
        note="Where the lines lie on each other, the distribution was kept.",
        internal=True,
        column=name,
    )


def moved_chart(apart: Mapping[str, float | None]) -> Chart:
    """The total variation of each column."""
    return Chart(
        slug="moved",
        title="How far each column moved",
        kind="bar",
        x=Axis("Column", "", "category"),
        y=Axis("Total variation", "", "percent"),
        series=(Series("Total variation", tuple(apart), tuple(one or 0.0 for one in apart.values())),),
        note="0 % means the same distribution as before, 100 % means no value in common.",
    )


def histogram_chart(name: str, old: FrequencyTable, new: FrequencyTable) -> Chart | None:
    """Numbers in bins with round borders; bins of few rows are left out on both sides."""
    before, after = known_numbers(old), known_numbers(new)
    borders = _borders(*before)
    if not len(borders) or not len(after[0]):
        return None
    labels = (f"< {borders[0]:g}", *(f"{border:g}" for border in borders[:-1]), f"≥ {borders[-1]:g}")
    step = borders[1] - borders[0]
    return Chart(
        slug=f"marginal-{name}",
        title=f"Distribution of {name}",
        kind="bar",
        x=Axis(f"{name}, from … in steps of {step:g}", "", "category"),
        y=Axis("Share of rows", "", "percent"),
        series=(
            Series("Before", labels, _binned(borders, *before)),
            Series("After", labels, _binned(borders, *after)),
        ),
        note=f"Bins that hold fewer than {FEWEST} rows are shown as empty.",
        internal=True,
        column=name,
    )


def _borders(values: Floats, counts: Counts) -> Floats:
    """Round numbers between the 2nd and the 98th percentile: no value is a border by itself."""
    if counts.sum() < FEWEST * SHOWN:
        return np.empty(0)
    values, counts = ascending(values, counts)
    running = np.cumsum(counts)
    low, high = values[np.searchsorted(running, np.array([0.02, 0.98]) * running[-1])].tolist()
    if not high > low:
        return np.empty(0)
    exponent = np.floor(np.log10((high - low) / SHOWN))
    step = next(unit for unit in np.array([1, 2, 5, 10]) * 10.0**exponent if unit * SHOWN >= high - low)
    return np.asarray(np.arange(np.floor(low / step), np.ceil(high / step) + 1) * step)


def _binned(borders: Floats, values: Floats, counts: Counts) -> tuple[float, ...]:
    rows = np.bincount(np.searchsorted(borders, values, "right"), counts, len(borders) + 1)
    rows[rows < FEWEST] = 0
    return tuple(float(share) for share in rows / counts.sum())
