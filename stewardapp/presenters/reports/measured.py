"""The results of measures in a report: a section for each, with its figures, tables and charts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from stewardapp.presenters.chart_table import table as chart_table
from stewardapp.presenters.chart_table import trimmed
from stewardapp.presenters.charts import BEFORE
from stewardapp.presenters.measures import Grid, Reading
from stewardapp.presenters.reports.drawing import drawn
from stewardapp.presenters.reports.parts import Facts, Part, Picture, Section, Table, Text, parted, table
from worker.engine.contracts.chart import Chart


def section(reading: Reading, charts: Iterable[Chart], *, sided: bool) -> Section:
    """One instance of a measure; `sided` where figures of the original may stand beside the others."""
    if reading.state:
        return Section(reading.title, (Text(f"{reading.state}. {reading.reason}".strip(), "muted"),))
    parts: list[Part] = [Text(reading.summary, "muted")]
    if told := tuple(line for line in reading.params if line[1]):
        parts.append(Facts(told))
    parts += figures(reading, sided=sided and not reading.compared)
    parts += [piece for one in reading.grids for piece in parted(grid(one))]
    parts += [picture(one) for one in charts]
    return Section(reading.title, tuple(parts))


def figures(reading: Reading, *, sided: bool) -> tuple[Table, ...]:
    """The single figures of a reading, each with how to read it."""
    if sided:
        rows = ((one.label, one.before, one.after, one.help.definition) for one in reading.rows)
        return table(("Figure", "Before", "After", "How to read it"), rows, numbers=(1, 2))
    alone = ((one.label, one.after if reading.compared else one.before, one) for one in reading.rows)
    said = ((label, value, one.help.definition) for label, value, one in alone)
    return table(("Figure", "Value", "How to read it"), said, numbers=(1,))


def grid(found: Grid) -> Table:
    """A table of figures that have a value for each column, part or threshold."""
    heads = tuple(title for title, _ in found.headers)
    return Table(heads, found.rows, found.title, frozenset(range(1, len(heads))))


def picture(chart: Chart) -> Picture:
    """A chart with its table."""
    found = chart_table(trimmed(chart))
    numbers = frozenset(range(1, len(found.headers)))
    whole = Table(found.headers, found.rows, "", numbers)
    return Picture(chart.title, chart.note, drawn(chart), parted(whole))


def publishable(charts: Iterable[Chart]) -> Iterator[Chart]:
    """What may leave of charts: nothing internal, and no series of what was there before the treatment."""
    for chart in charts:
        kept = tuple(one for one in chart.series if not is_before(one.name))
        if kept and not chart.internal:
            yield replace(chart, series=kept)


def is_before(series: str) -> bool:
    """Whether a series is of the original."""
    name = series.lower()
    return name in BEFORE or name.endswith(", before")
