"""The numbers of a chart as rows below a header: for the table under a drawing and for the codebook."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from worker.engine.contracts.chart import Axis, Chart, Series

Values = tuple[tuple[str, ...], tuple[tuple[Any, ...], ...]]


def values_of(chart: Chart) -> Values:
    """Headers, and rows whose first cell names the row."""
    return heat_values(chart) if chart.kind == "heatmap" else series_values(chart)


def series_values(chart: Chart) -> Values:
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


def heat_values(chart: Chart) -> Values:
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
