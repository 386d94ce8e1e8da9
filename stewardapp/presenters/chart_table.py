"""The numbers of a chart as a table: made from the same object as the drawing."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from stewardapp.presenters.numbers import percent, thousands
from worker.engine.chart import Axis, Chart, Series


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
    headers, values = heat_values(chart) if chart.kind == "heatmap" else series_values(chart)
    rows = tuple((label(row[0], chart), *(text(cell, chart) for cell in row[1:])) for row in values)
    return ChartTable(headers, values, rows)


def series_values(chart: Chart) -> tuple[tuple[str, ...], tuple[tuple[Any, ...], ...]]:
    """One row per place on the x axis, one column per series (and its error)."""
    columns = [column for series in chart.series for column in series_columns(series)]
    headers = (titled(chart.x), *(name for name, _ in columns))
    places = union(chart.series, "x")
    return headers, tuple((place, *(found.get(place) for _, found in columns)) for place in places)


def series_columns(series: Series) -> Iterable[tuple[str, dict[Any, Any]]]:
    """The values of a series by their place, and its half-widths when it has them."""
    yield series.name, dict(zip(series.x, series.y, strict=True))
    if series.error:
        yield f"{series.name} ±", dict(zip(series.x, series.error, strict=True))


def heat_values(chart: Chart) -> tuple[tuple[str, ...], tuple[tuple[Any, ...], ...]]:
    """One row per row of the heat map; several maps stand below one another."""
    first = chart.series[0] if chart.series else Series("", (), ())
    rows = tuple(
        (place, *line) for series in chart.series for place, line in zip(series.y, series.z, strict=True)
    )
    return (titled(chart.y), *map(str, first.x)), rows


def union(series: Iterable[Series], axis: str) -> list[Any]:
    """Every place the series name, in the order they first name it."""
    return list(dict.fromkeys(place for one in series for place in getattr(one, axis)))


def titled(axis: Axis) -> str:
    """An axis title with its unit."""
    return f"{axis.title} ({axis.unit})" if axis.unit and axis.scale != "percent" else axis.title


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
