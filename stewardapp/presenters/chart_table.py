"""The numbers of a chart as a table: made from the same object as the drawing."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from stewardapp.presenters.numbers import percent, thousands
from worker.engine.contracts.chart import Axis, Chart, Series
from worker.engine.contracts.chart_values import union, values_of


@dataclass(frozen=True)
class ChartTable:
    """Headers, and rows whose first cell names the row; `values` are the numbers themselves."""

    headers: tuple[str, ...]
    values: tuple[tuple[Any, ...], ...]
    rows: tuple[tuple[str, ...], ...]


def trimmed(chart: Chart) -> Chart:
    """The chart without the places at its end where every series is zero; drawing and table share it."""
    if chart.kind != "bar" or chart.x.scale != "category":
        return chart
    filled = {place for series in chart.series for place, y in zip(series.x, series.y, strict=True) if y}
    places = union(chart.series, "x")
    last = max((number for number, place in enumerate(places) if place in filled), default=len(places) - 1)
    kept = set(places[: last + 1])
    return replace(chart, series=tuple(shortened(series, kept) for series in chart.series))


def shortened(series: Series, kept: set[Any]) -> Series:
    """A series at these places only."""
    at = [number for number, place in enumerate(series.x) if place in kept]
    error = tuple(series.error[number] for number in at) if series.error else ()
    return replace(
        series,
        x=tuple(series.x[number] for number in at),
        y=tuple(series.y[number] for number in at),
        error=error,
    )


def table(chart: Chart) -> ChartTable:
    """The table that stands below the chart."""
    headers, values = values_of(chart)
    rows = tuple((label(row[0], chart), *(text(cell, chart) for cell in row[1:])) for row in values)
    return ChartTable(headers, values, rows)


def label(place: Any, chart: Chart) -> str:
    """The name of a row."""
    axis = chart.y if chart.kind == "heatmap" else chart.x
    return scaled(place, axis)


def text(cell: Any, chart: Chart) -> str:
    """A number as printed; nothing where a series has no value."""
    if cell is None:
        return "–"
    return thousands(cell) if chart.kind == "heatmap" else scaled(cell, chart.y)


def scaled(value: Any, axis: Axis) -> str:
    """A value with the digits its axis calls for."""
    if isinstance(value, str):
        return value
    return percent(value) if axis.scale == "percent" else thousands(value)
