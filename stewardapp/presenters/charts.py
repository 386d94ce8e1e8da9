"""The engine's charts as Plotly JSON and as tables. The only module that knows Plotly.

Only plain lists go in, so only plain numbers come out. Colours are names of tokens, which the
page's script resolves from the style sheet in both themes; Plotly would refuse such names, so they
are put in after it has checked everything else.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any

import plotly.graph_objects as go

from stewardapp.presenters.chart_table import ChartTable, table, trimmed
from stewardapp.presenters.numbers import NO_BREAK, THIN, thousands
from worker.engine.contracts.chart import Axis, Chart, Region, Series, Threshold
from worker.engine.contracts.chart_values import union

ROOM = 66
TOKENS = ("after", "third", "fourth", "fifth")
BEFORE = frozenset({"before", "original", "true figure", "exact answers"})
PLAIN = {"exponentformat": "none", "separatethousands": True}
Trace = dict[str, Any]


def figure_json(
    chart: Chart, links: Mapping[str, str] | None = None, symbols: Mapping[str, str] | None = None
) -> str:
    """The chart as Plotly's JSON: no template, no binary arrays, no colours of its own. `links` say where a
    click on a series leads, by its name, `symbols` how its points look.
    """
    chart = in_percent(trimmed(chart))
    draw = DRAW.get(chart.kind, points)
    figure = go.Figure(data=[draw(series) for series in chart.series], layout=layout(chart))
    drawn = paint(json.loads(figure.to_json()), chart)
    for trace in drawn["data"]:
        if trace["name"] in (links or {}):
            trace["meta"] = {"href": (links or {})[trace["name"]]}
        if trace["name"] in (symbols or {}):
            trace["marker"]["symbol"] = (symbols or {})[trace["name"]]
    return json.dumps(drawn, ensure_ascii=False)


def paint(figure: dict[str, Any], chart: Chart) -> dict[str, Any]:
    """The figure with a token wherever a colour belongs."""
    tokens = colours(chart.series) if not single_points(chart) else fronts(chart.series)
    for trace in figure["data"]:
        colour = tokens.get(trace["name"], "after")
        if trace["type"] == "heatmap":
            trace["colorscale"] = [[0, "surface"], [1, colour]]
        else:
            trace["marker"] = {**trace.get("marker", {}), "color": colour}
        if "error_y" in trace:
            trace["error_y"]["color"] = "ink"
        if trace["type"] == "scatter":
            trace["line"] = {**trace.get("line", {}), "color": colour}
    for mark in (*figure["layout"].get("shapes", ()), *figure["layout"].get("annotations", ())):
        if mark.get("type") == "rect":
            mark["fillcolor"] = "third"
        else:
            mark["line" if mark.get("type") == "line" else "font"]["color"] = "limit"
    return figure


def colours(series: tuple[Series, ...]) -> dict[str, str]:
    """A token per series: what was there before is grey, everything else has a colour."""
    later = [one.name for one in series if one.name.lower() not in BEFORE and not one.reference]
    given = {name: TOKENS[place % len(TOKENS)] for place, name in enumerate(later)}
    given |= {one.name: "limit" for one in series if one.reference}
    return {one.name: given.get(one.name, "before") for one in series}


def fronts(series: tuple[Series, ...]) -> dict[str, str]:
    """Beside single points only the lines that join the best of them have a colour of their own."""
    return {one.name: "third" for one in series if one.reference}


def points(series: Series, mode: str = "markers") -> Trace:
    """Markers, or a line through them; a series of one point is named beside it."""
    if series.reference and mode == "markers":
        mode = "lines"
    trace: Trace = {"type": "scatter", "name": series.name, "mode": mode}
    if mode == "markers" and len(series.x) == 1:
        trace |= {"mode": "markers+text", "text": [series.name], "textposition": "top right"}
        trace |= {"marker": {"size": 12}, "cliponaxis": False}
    return {**trace, "x": list(series.x), "y": list(series.y), **whiskers(series)}


def bars(series: Series) -> Trace:
    """One bar per value."""
    drawn = {"type": "bar", "name": series.name, "x": list(series.x), "y": list(series.y)}
    return {**drawn, **whiskers(series)}


def line(series: Series) -> Trace:
    """A line from value to value."""
    if series.reference and len(series.x) > 1:
        return {**points(series, mode="lines"), "line": {"dash": "dot", "width": 2}}
    return points(series, mode="lines+markers" if len(series.x) <= 40 else "lines")


def steps(series: Series) -> Trace:
    """A line that jumps, as cumulative shares do."""
    return {**points(series, mode="lines"), "line": {"shape": "hv"}}


def heat(series: Series) -> Trace:
    """A rectangle of shades."""
    rows = [list(row) for row in series.z]
    said = [[thousands(cell) for cell in row] for row in rows]
    drawn = {"type": "heatmap", "name": series.name, "x": list(series.x), "y": list(series.y), "z": rows}
    return {**drawn, "hovertext": said, "hoverinfo": "x+y+text", "colorbar": dict(PLAIN)}


def in_percent(chart: Chart) -> Chart:
    """Shares as per cent: Plotly's own form sets no space before the sign."""
    for name in ("x", "y"):
        if getattr(chart, name).scale == "percent":
            chart = replace(chart, series=tuple(_times_100(one, name) for one in chart.series))
            if chart.threshold and chart.threshold.axis == name:
                limit = replace(chart.threshold, value=_hundredfold(chart.threshold.value))
                chart = replace(chart, threshold=limit)
            if chart.region and (ends := getattr(chart.region, name)):
                wider = {name: (_hundredfold(ends[0]), _hundredfold(ends[1]))}
                chart = replace(chart, region=replace(chart.region, **wider))
    return chart


def _times_100(series: Series, name: str) -> Series:
    if name == "x":
        return replace(series, x=tuple(map(_hundredfold, series.x)))
    return replace(series, y=tuple(map(_hundredfold, series.y)), error=tuple(map(_hundredfold, series.error)))


def _hundredfold(share: Any) -> Any:
    return round(100 * share, 9) if isinstance(share, int | float) else share


def whiskers(series: Series) -> Trace:
    """Error bars, where the series has them."""
    if not series.error:
        return {}
    return {"error_y": {"type": "data", "array": list(series.error), "visible": True}}


DRAW: dict[str, Callable[[Series], Trace]] = {
    "bar": bars,
    "line": line,
    "step": steps,
    "heatmap": heat,
}


def layout(chart: Chart) -> dict[str, Any]:
    """Axes, legend and the line of the threshold."""
    names = union(chart.series, "x") if chart.x.scale == "category" or chart.kind == "bar" else []
    drawn: dict[str, Any] = {
        "template": "none",
        "separators": f".{THIN}",
        "barmode": "group",
        "hovermode": "closest" if chart.kind in ("scatter", "lattice", "heatmap") else "x unified",
        "showlegend": len(chart.series) > 1 and not single_points(chart),
        "legend": {"orientation": "h", "x": 0, "y": 1.02, "yanchor": "bottom"},
        "margin": {"l": 56, "r": 16, "t": 32, "b": 48},
        "xaxis": axis(chart.x, names, zero=chart.kind == "scatter"),
        "yaxis": axis(chart.y, [], zero=chart.kind in ("bar", "scatter")),
        **limit(chart.threshold),
    }
    if chart.region:
        drawn["shapes"] = [*drawn.get("shapes", ()), rectangle(chart.region)]
    if chart.kind == "heatmap" and chart.y.scale == "category":
        drawn["yaxis"]["autorange"] = "reversed"  # the first row on top, as in its table
    compared = chart.kind == "scatter" or any(series.reference for series in chart.series)
    if compared and chart.y.scale == "percent":
        drawn["yaxis"]["range"] = [0, 105]  # the whole, so that maps can be compared
    return drawn


def single_points(chart: Chart) -> bool:
    """Whether every series is one point, named beside it."""
    return chart.kind == "scatter" and all(len(one.x) == 1 for one in chart.series if not one.reference)


def axis(spec: Axis, names: list[Any], zero: bool = False) -> dict[str, Any]:
    """One axis with its title and its unit; names of categories keep their order."""
    unit = f" ({spec.unit})" if spec.unit and spec.scale != "percent" else ""
    drawn: dict[str, Any] = {"title": {"text": f"{spec.title}{unit}"}, "automargin": True, **PLAIN}
    if names:
        drawn |= {"type": "category", "categoryorder": "array", "categoryarray": names}
        return {**drawn, "showgrid": False, "tickangle": 0 if fits(names) else -40}
    if spec.scale == "category":
        return {**drawn, "type": "category"}
    if spec.scale == "log":
        return {**drawn, "type": "log", "dtick": 1}
    drawn["type"] = "linear"
    if spec.scale == "percent":
        drawn |= {"ticksuffix": NO_BREAK + "%", "hoverformat": ".3~g"}
    if zero:
        drawn["rangemode"] = "tozero"
    return drawn


def fits(names: list[Any]) -> bool:
    """Whether the names stand side by side below half a page: each in the middle of an equal share of it."""
    lengths = [len(str(name)) for name in names]
    longest = max((left + right for left, right in pairwise(lengths)), default=0)
    return longest / 2 + 1 <= ROOM / max(1, len(names))


def limit(threshold: Threshold | None) -> dict[str, Any]:
    """A dashed line at the value to compare with, and its name at the end of the line."""
    if threshold is None:
        return {}
    ends = {"x0": 0, "x1": 1, "xref": "paper", "y0": threshold.value, "y1": threshold.value, "yref": "y"}
    place: dict[str, Any] = {"x": 1, "xref": "paper", "y": threshold.value, "yref": "y", "xanchor": "right"}
    if threshold.axis == "x":
        ends = {"y0": 0, "y1": 1, "yref": "paper", "x0": threshold.value, "x1": threshold.value, "xref": "x"}
        place = {"y": 1, "yref": "paper", "x": threshold.value, "xref": "x", "xanchor": "left"}
    line_style = {"dash": "dash", "width": 2}
    note = {**place, "text": threshold.label, "showarrow": False, "yanchor": "bottom", "font": {"size": 13}}
    return {"shapes": [{"type": "line", "line": line_style, **ends}], "annotations": [note]}


def rectangle(region: Region) -> dict[str, Any]:
    """Where every bound holds, below all else; an axis without a bound is all of it."""
    drawn: dict[str, Any] = {"type": "rect", "layer": "below", "opacity": 0.12, "line": {"width": 0}}
    for name, ends in (("x", region.x), ("y", region.y)):
        low, high = ends or (0, 1)
        drawn |= {f"{name}0": low, f"{name}1": high, f"{name}ref": name if ends else "paper"}
    return drawn


LONGEST_LABEL = 60


@dataclass(frozen=True)
class Picture:
    """What the chart component prints around the drawing, and where that is fetched from."""

    title: str
    note: str
    table: ChartTable
    empty: bool
    url: str = ""
    leads: Mapping[str, str] = field(default_factory=dict)
    """Where rows of the table lead, by their names."""


def pictured(chart: Chart, url: str = "") -> Picture:
    """A chart as pages print it; without an address the table stands alone, as it does for sentences."""
    drawn = "" if speaks(chart) else url
    return Picture(chart.title, chart.note, table(trimmed(chart)), not chart.series, drawn)


def speaks(chart: Chart) -> bool:
    """Whether its categories are sentences: there is no room for them along an axis."""
    labels = (str(label) for one in chart.series for label in one.x)
    return chart.x.scale == "category" and max(map(len, labels), default=0) > LONGEST_LABEL
