"""A column's distribution before and after, as charts that single out no small group of rows."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from worker.engine.chart import Axis, Chart, Series
from worker.engine.column import Floats
from worker.engine.frequency import Counts, FrequencyTable

SHOWN = 12
FEWEST = 10
"""Values with fewer rows than this are shown together as "other"."""
INTERVAL = re.compile(r"^\[?(-?\d+(?:\.\d+)?)(?:, | ?[-–] ?|,)(-?\d+(?:\.\d+)?)[\[\]]?$")


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
        found = INTERVAL.match(table.domains[0].text(code))
        if found:
            numbers[code] = (float(found[1]) + float(found[2])) / 2
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
    counts = {
        new.domains[0].texts[c]: n for c, n in zip(new.codes[0].tolist(), new.counts.tolist(), strict=True)
    }
    before = {
        old.domains[0].texts[c]: n for c, n in zip(old.codes[0].tolist(), old.counts.tolist(), strict=True)
    }
    often = sorted(
        (n, text) for text, n in counts.items() if n >= FEWEST and not 0 < before.get(text, 0) < FEWEST
    )
    shown = [text for _, text in reversed(often[-SHOWN:])]
    rows = [_share_row(text or "(missing)", before.get(text, 0), counts[text], old, new) for text in shown]
    rest_before = sum(n for text, n in before.items() if text not in shown)
    rest = sum(n for text, n in counts.items() if text not in shown)
    return [*rows, _share_row("(other)", rest_before, rest, old, new)] if rest or rest_before else rows


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
        note="Values are those of the release; a coarser label has no share before.",
        internal=True,
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
