"""Charts as marks on a sheet, for paper: no browser, no script, the same numbers as the table below them.

Bars lie on their sides, so that names of any length stand beside them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from stewardapp.presenters.chart_table import scaled, trimmed
from stewardapp.presenters.charts import colours
from stewardapp.presenters.numbers import thousands
from stewardapp.presenters.reports.marks import DASHES, SIZE, Box, Dot, Drawing, Line, Mark, Words, cut, wide
from stewardapp.presenters.reports.scales import Scale, scale_of
from worker.engine.contracts.chart import Chart, Series
from worker.engine.contracts.chart_values import titled, union

WIDTH = 480.0
LEFT, RIGHT, NAMES = 46.0, 14.0, 150.0
PLOT = 170.0
LINE = 13.0
BAR, GAP = 7.0, 5.0
MOST_BARS, MOST_CELLS, MOST_DOTS = 40, 14, 40
Numbers = list[tuple[float, float]]


def drawn(chart: Chart) -> Drawing:
    """A chart as marks; a chart of nothing is an empty sheet."""
    shown = trimmed(chart)
    if not shown.series:
        return Drawing(WIDTH, 0.0, ())
    if shown.kind == "heatmap":
        return heat_map(shown)
    named = shown.x.scale == "category" or shown.kind == "bar"
    return bars(shown) if named else curves(shown)


# -- bars ----------------------------------------------------------------------------------------------


def bars(chart: Chart) -> Drawing:
    """A group of bars for each name, one for each series, with whiskers where these have errors."""
    names = union(chart.series, "x")
    shown = names[:MOST_BARS]
    top = legend_height(chart)
    room = BAR * len(chart.series) + GAP
    bottom = top + room * len(shown)
    scale = scale_of(chart.y, reach(chart.series, set(shown)), NAMES, WIDTH - RIGHT - 34, from_zero=True)
    marks = [*legend(chart), *upright_grid(scale, top, bottom)]
    for number, name in enumerate(shown):
        marks += group(chart, scale, name, top + room * number)
    marks += threshold_across(chart, scale, top, bottom)
    marks.append(Words((NAMES + WIDTH - RIGHT) / 2, bottom + 2 * LINE, titled(chart.y), "middle", "muted"))
    if len(shown) < len(names):
        told = f"The first {thousands(len(shown))} of {thousands(len(names))}; the table has all."
        marks.append(Words(0.0, bottom + 2 * LINE, told, "start", "muted"))
    return Drawing(WIDTH, bottom + 2 * LINE + 6, tuple(marks))


def reach(series: Sequence[Series], shown: set[float | str]) -> list[float]:
    """How far bars and whiskers go."""
    found = []
    for one in series:
        for place, (x, y) in enumerate(zip(one.x, one.y, strict=True)):
            if x in shown and isinstance(y, int | float):
                half = one.error[place] if one.error else 0.0
                found += [y - half, y + half] if one.error else [float(y)]
    return found


def group(chart: Chart, scale: Scale, name: float | str, top: float) -> Iterator[Mark]:
    """The bars of one name, and its words to the left."""
    tall = BAR * len(chart.series)
    words = cut(scaled(name, chart.x), NAMES - 8)
    yield Words(NAMES - 6, top + tall / 2 + SIZE * 0.36, words, "end")
    tokens = colours(chart.series)
    for number, series in enumerate(chart.series):
        if name in series.x and isinstance(y := series.y[series.x.index(name)], int | float):
            half = series.error[series.x.index(name)] if series.error else 0.0
            yield from bar(scale, y, half, top + BAR * number, tokens[series.name])
            yield Words(max(scale.at(y + half), scale.at(0)) + 3, top + BAR * number + 6, scaled(y, chart.y))


def bar(scale: Scale, value: float, half: float, top: float, colour: str) -> Iterator[Mark]:
    """From nothing to the value, with its whisker."""
    zero, end = scale.at(0.0), scale.at(value)
    yield Box(min(zero, end), top, max(abs(end - zero), 0.5), BAR - 1.5, colour)
    if half:
        middle = top + (BAR - 1.5) / 2
        yield Line(((scale.at(value - half), middle), (scale.at(value + half), middle)), "ink", width=0.8)


def upright_grid(scale: Scale, top: float, bottom: float) -> Iterator[Mark]:
    """Thin lines at round values, which stand below them."""
    for place, words in apart(scale.ticks()):
        yield Line(((place, top), (place, bottom)), "line", width=0.5)
        yield Words(place, bottom + LINE - 2, words, "middle", "muted")


def apart(ticks: list[tuple[float, str]]) -> list[tuple[float, str]]:
    """Ticks whose words do not touch one another."""
    tight = any(abs(b - a) < (wide(one) + wide(two)) / 2 + 4 for (a, one), (b, two) in pairwise(ticks))
    return apart(ticks[::2]) if tight and len(ticks) > 2 else ticks


def threshold_across(chart: Chart, scale: Scale, top: float, bottom: float) -> Iterator[Mark]:
    """The value to compare the bars with."""
    limit = chart.threshold
    if limit is not None and limit.axis == "y":
        place = scale.at(limit.value)
        yield Line(((place, top - 2), (place, bottom)), "limit", "dashed", 1.2)
        yield Words(place - 3, bottom - 2, limit.label, "end", "limit")


# -- lines, steps and points ---------------------------------------------------------------------------


def curves(chart: Chart) -> Drawing:
    """Lines or points in a frame with two axes."""
    top, right = legend_height(chart) + 4, WIDTH - RIGHT
    bottom = top + PLOT
    points = [numbers_of(one) for one in chart.series]
    from_zero = chart.kind in ("scatter", "interval")
    limits = [chart.threshold.value] if chart.threshold else []
    sideways = limits if chart.threshold and chart.threshold.axis == "x" else []
    upward = [] if sideways else limits
    heights = [y for one in points for _, y in one] + (reach_up(chart) if chart.series else [])
    x = scale_of(chart.x, [a for one in points for a, _ in one] + sideways, LEFT, right, from_zero=from_zero)
    y = scale_of(chart.y, heights + upward, bottom, top, from_zero=True)
    marks: list[Mark] = [*legend(chart), *frame(chart, x, y, top, bottom)]
    for number, (series, found) in enumerate(zip(chart.series, points, strict=True)):
        marks += curve(chart, series, found, x, y, number)
    marks += level(chart, x, y, top, bottom)
    return Drawing(WIDTH, bottom + 2 * LINE + 6, tuple(marks))


def numbers_of(series: Series) -> Numbers:
    """The points of a series that are numbers."""
    pairs = zip(series.x, series.y, strict=True)
    return [
        (float(x), float(y)) for x, y in pairs if isinstance(x, int | float) and isinstance(y, int | float)
    ]


def reach_up(chart: Chart) -> list[float]:
    """The ends of all whiskers."""
    places = {place for one in chart.series for place in one.x}
    return reach([one for one in chart.series if one.error], places)


def frame(chart: Chart, x: Scale, y: Scale, top: float, bottom: float) -> Iterator[Mark]:
    """Grid, round values and the names of both axes."""
    yield from upright_grid(x, top, bottom)
    for place, words in y.ticks():
        yield Line(((LEFT, place), (WIDTH - RIGHT, place)), "line", width=0.5)
        yield Words(LEFT - 5, place + SIZE * 0.36, words, "end", "muted")
    yield Words((LEFT + WIDTH - RIGHT) / 2, bottom + 2 * LINE, titled(chart.x), "middle", "muted")
    yield Words(0.0, top - 6, titled(chart.y), "start", "muted")


def curve(chart: Chart, series: Series, found: Numbers, x: Scale, y: Scale, number: int) -> Iterator[Mark]:
    """One series: a line, a line that jumps, or points."""
    colour = colours(chart.series)[series.name]
    places = [(x.at(a), y.at(b)) for a, b in found]
    joined = chart.kind in ("line", "step") or series.reference
    if joined and len(places) > 1:
        path = stairs(places) if chart.kind == "step" and not series.reference else places
        yield Line(tuple(path), colour, dash_of(series, number), 1.4)
    if (
        not joined
        or len(places) == 1
        or (chart.kind == "line" and not series.reference and len(places) <= MOST_DOTS)
    ):
        yield from (Dot(a, b, colour) for a, b in places)
    for (a, b), half in zip(found, series.error, strict=False):
        yield Line(((x.at(a), y.at(b - half)), (x.at(a), y.at(b + half))), colour, width=0.8)


def dash_of(series: Series, number: int) -> str:
    """Series differ by their strokes too, so that grey paper tells them apart."""
    return "dotted" if series.reference else list(DASHES)[number % len(DASHES)]


def stairs(places: Numbers) -> Numbers:
    """Sideways first, then up or down."""
    found = [places[0]]
    for (_, before), (a, b) in pairwise(places):
        found += [(a, before), (a, b)]
    return found


def level(chart: Chart, x: Scale, y: Scale, top: float, bottom: float) -> Iterator[Mark]:
    """The value to compare with, and its name at the end of the line."""
    limit = chart.threshold
    if limit is None:
        return
    if limit.axis == "x":
        place = x.at(limit.value)
        yield Line(((place, top), (place, bottom)), "limit", "dashed", 1.2)
        yield Words(place + 3, top + SIZE, limit.label, "start", "limit")
    else:
        place = y.at(limit.value)
        yield Line(((LEFT, place), (WIDTH - RIGHT, place)), "limit", "dashed", 1.2)
        yield Words(WIDTH - RIGHT, place - 3, limit.label, "end", "limit")


# -- heat maps -----------------------------------------------------------------------------------------


def heat_map(chart: Chart) -> Drawing:
    """A cell for each pair, the darker the larger; several maps stand below one another."""
    marks: list[Mark] = []
    top = 0.0
    values = [cell for one in chart.series for row in one.z for cell in row if cell is not None]
    ends = (min(values, default=0.0), max(values, default=0.0))
    for series in chart.series:
        if series.name and len(chart.series) > 1:
            marks.append(Words(0.0, top + SIZE, series.name))
            top += LINE
        marks += heat_cells(chart, series, top, ends)
        top += LINE * (len(series.y) + 1) + 8
    return Drawing(WIDTH, top + 4, tuple(marks))


def heat_cells(chart: Chart, series: Series, top: float, ends: tuple[float, float]) -> Iterator[Mark]:
    """The rows of one map; numbers stand in the cells where there is room for them."""
    across = (WIDTH - NAMES - RIGHT) / max(1, len(series.x))
    for place, name in enumerate(series.x):
        words = cut(scaled(name, chart.x), across - 2)
        yield Words(NAMES + across * (place + 0.5), top + SIZE, words, "middle", "muted")
    for number, (name, row) in enumerate(zip(series.y, series.z, strict=True), start=1):
        foot = top + LINE * number
        yield Words(NAMES - 6, foot + SIZE + 1, cut(scaled(name, chart.y), NAMES - 8), "end")
        for place, cell in enumerate(row):
            yield from heat_cell(cell, NAMES + across * place, foot, across, ends)


def heat_cell(
    cell: float | None, left: float, top: float, across: float, ends: tuple[float, float]
) -> Iterator[Mark]:
    """One cell; where there is no number there is no box."""
    if cell is None:
        return
    low, high = ends
    strength = (cell - low) / (high - low) if high > low else 0.0
    yield Box(left + 0.5, top + 0.5, across - 1, LINE - 1, "after", round(0.04 + 0.9 * strength, 3))
    if wide(thousands(cell)) <= across:
        colour = "surface" if strength > 0.5 else "ink"
        yield Words(left + across / 2, top + SIZE + 1.5, thousands(cell), "middle", colour)


# -- names of series -----------------------------------------------------------------------------------


def legend(chart: Chart) -> Iterator[Mark]:
    """A stroke of each colour with the name of its series, where there are several."""
    tokens = colours(chart.series)
    for number, (series, left, row) in enumerate(legend_places(chart)):
        foot = LINE * row + SIZE
        colour = tokens[series.name]
        if chart.kind == "bar" or chart.x.scale == "category":
            yield Box(left, foot - 6, 12, 6, colour)
        else:
            yield Line(((left, foot - 3), (left + 14, foot - 3)), colour, dash_of(series, number), 1.6)
        yield Words(left + 18, foot, series.name)


def legend_places(chart: Chart) -> list[tuple[Series, float, int]]:
    """Where each name stands: from the left to the right, then in the next line."""
    if len(chart.series) < 2:
        return []
    found, left, row = [], 0.0, 0
    for series in chart.series:
        needed = 18 + wide(series.name) + 16
        if left and left + needed > WIDTH:
            left, row = 0.0, row + 1
        found.append((series, left, row))
        left += needed
    return found


def legend_height(chart: Chart) -> float:
    """How much room the names take above the drawing, and the name of an axis below them."""
    places = legend_places(chart)
    rows = places[-1][2] + 1 if places else 0
    return LINE * rows + (0.0 if chart.kind == "bar" or chart.x.scale == "category" else LINE) + 2
