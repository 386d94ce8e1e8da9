"""The table of columns: what became of each, and every figure per column that measures declare for it.

Which columns the table has follows from the figures: those per column that are headlines or say that they
are tabled. No measure is named here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from django.urls import reverse

from stewardapp.forms.columns import ROLE_LABELS, UNTAGGED
from stewardapp.presenters import charts, measures
from stewardapp.presenters.column_shapes import Shapes, shapes
from stewardapp.presenters.how_to_read import HowToRead, how_to_read, printed
from stewardapp.presenters.numbers import NO_BREAK, percent
from stewardapp.presenters.results import lowered
from worker.engine.contracts.facts import Facts
from worker.engine.contracts.figure import Figure, Scalar
from worker.engine.contracts.traces import Trace
from worker.engine.recipes.stored import results_of
from worker.engine.tables.kinds import Role

if TYPE_CHECKING:
    from stewardapp.reads.runs import SeenRun
    from worker.engine.contracts.chart import Chart
    from worker.engine.contracts.result import Result

WORDS = {
    Trace.KEPT: "kept",
    Trace.COARSER: "coarser",
    Trace.EXCHANGED: "exchanged between rows",
    Trace.PERTURBED: "moved",
    Trace.MADE_UP: "made up",
    Trace.REMOVED: "not released",
}
ORDER = (Role.QUASI_IDENTIFIER, Role.SENSITIVE, Role.OTHER, Role.WEIGHT)
"""First what identifies; the rest as the file has it."""
WHOLE = 100


@dataclass(frozen=True)
class Cell:
    """One figure of one column; a share has a bar, whose length is a number of 0 to 100."""

    words: str
    bar: int | None = None


@dataclass(frozen=True)
class Head:
    """One figure that all columns of the file are asked for."""

    title: str
    section: str
    help: HowToRead
    has_bar: bool


@dataclass(frozen=True)
class Line:
    """One column of the original."""

    name: str
    role: str
    happened: str
    known: str = ""
    shapes: Shapes | None = None
    cells: tuple[Cell, ...] = ()
    counted: tuple[str, ...] = ()
    """What it holds now, in a few words: its figures that are counts."""


@dataclass(frozen=True)
class Chosen:
    """One column looked at closely: its charts, and all figures about it."""

    line: Line
    pictures: Sequence[charts.Picture]
    figures: Sequence[tuple[str, str, HowToRead]]


@dataclass(frozen=True)
class ColumnTable:
    """The whole table; columns that do not leave stand together at its end, by role."""

    heads: tuple[Head, ...]
    lines: tuple[Line, ...]
    gone: tuple[tuple[str, str], ...] = ()
    chosen: Chosen | None = None
    by_name: Mapping[str, Line] = field(default_factory=dict)

    @property
    def width(self) -> int:
        """How many columns stand beside the names."""
        return 1 + 2 * self.drawn + len(self.heads)

    @property
    def drawn(self) -> bool:
        """Whether any column has a shape to show."""
        return any(line.shapes for line in self.lines)


def column_table(seen: SeenRun, wanted: str, *, internal: bool) -> ColumnTable:
    """The table of a run; the column that was asked for stands below it, or the first that has a chart."""
    found = _Found(seen, internal)
    lines = tuple(found.line(name) for name in found.leaving)
    by_name = {line.name: line for line in lines}
    first = next((line for line in lines if line.shapes), lines[0] if lines else None)
    chosen = by_name.get(wanted, first)
    return ColumnTable(
        heads=tuple(found.head(*one) for one in found.tabled),
        lines=lines,
        gone=tuple(found.gone()),
        chosen=found.chosen(chosen) if chosen else None,
        by_name=by_name,
    )


class _Found:
    """What a run's recipe and report say of its columns."""

    def __init__(self, seen: SeenRun, internal: bool) -> None:
        self.seen, self.run, self.internal = seen, seen.run, internal
        self.entries: Mapping[str, Mapping[str, str]] = seen.run.recipe.get("columns", {})
        output = seen.run.report.get("output", {})
        self.schema = {one["name"]: one for one in output.get("schema", ())}
        self.steps = [Facts.of(step) for step in seen.run.report.get("steps", ())]

    @cached_property
    def results(self) -> Mapping[str, Result]:
        """What the run measured, and what was measured afterwards."""
        later = (one for asked in self.seen.measured_afterwards for one in results_of(asked.report))
        return {one.id: one for one in later} | self.seen.results

    @cached_property
    def leaving(self) -> list[str]:
        """The columns of the release, those that identify first."""
        places = {str(role): place for place, role in enumerate(ORDER)}
        return sorted(self.schema, key=lambda name: places.get(self._role(name), len(places)))

    def _role(self, name: str) -> str:
        return str(self.schema.get(name, {}).get("role") or self.entries.get(name, {}).get("role", ""))

    @cached_property
    def parted(self) -> list[tuple[Result, Figure]]:
        """Every figure per column that was found, as its measure declares it."""
        return [
            (result, figure)
            for result in self.results.values()
            for figure in measures.declared_of(result)
            if figure.per == "column"
        ]

    @cached_property
    def tabled(self) -> list[tuple[Result, Figure]]:
        """Those that have a place in the table, utility first."""
        shown = [one for one in self.parted if one[1].in_table]
        return sorted(shown, key=lambda one: one[0].section != "utility")

    def head(self, result: Result, figure: Figure) -> Head:
        """The head of one figure."""
        help = how_to_read(figure, result.measure)
        return Head(figure.title, result.section, help, figure.unit == "share")

    def line(self, name: str) -> Line:
        """One column that leaves."""
        return Line(
            name=name,
            role=ROLE_LABELS.get(self._role(name), self._role(name)).lower(),
            happened=happened(name, self.schema[name].get("trace"), self.steps),
            known=known_words(self.entries.get(name, {})),
            shapes=next((found for chart in self._charts(name) if (found := shapes(chart[1]))), None),
            cells=tuple(cell(result, figure, name) for result, figure in self.tabled),
            counted=tuple(self._counted(name)),
        )

    def _counted(self, name: str) -> Iterator[str]:
        for result, figure in self.tabled:
            value = measures.parts_of(figure, result.after or {}).get(name)
            if figure.unit == "count" and value:
                yield f"{printed(figure, value)} {lowered(figure.title)}"

    def gone(self) -> Iterator[tuple[str, str]]:
        """The columns that do not leave, by the words for their role."""
        staying = [name for name in self.entries if name not in self.schema]
        for role in dict.fromkeys(self._role(name) for name in staying):
            names = ", ".join(name for name in staying if self._role(name) == role)
            yield names, ROLE_LABELS.get(role or UNTAGGED, role).lower()

    def chosen(self, line: Line) -> Chosen:
        """One column looked at closely."""
        pictures = [self._picture(owner, chart) for owner, chart in self._charts(line.name)]
        found = [(figure, result, cell(result, figure, line.name)) for result, figure in self.parted]
        figures = [
            (figure.title, one.words, measures.help_on(figure, result))
            for figure, result, one in found
            if one.words
        ]
        return Chosen(line, pictures, figures)

    def _charts(self, name: str) -> Iterable[tuple[str, Chart]]:
        """The charts about a column that this person may see, with the result they belong to."""
        for id, result in self.seen.results.items():
            for chart in result.charts:
                if chart.column == name and (self.internal or not chart.internal):
                    yield id, chart

    def _picture(self, owner: str, chart: Chart) -> charts.Picture:
        return charts.pictured(
            chart, reverse("run-chart", args=[self.run.pk, measures.address(owner, chart)])
        )


def happened(name: str, trace: str | None, facts: Sequence[Facts]) -> str:
    """What the steps left of a column, from what they announced; an older report does not tell."""
    levels = [one.levels for one in facts if one.levels and name in one.levels.chosen]
    changed = [one.changed for one in facts if one.changed and one.changed.cells.get(name)]
    said = WORDS[Trace(trace)] if trace else ""
    if levels and trace in (None, Trace.COARSER, Trace.KEPT):
        said = level_words(levels[-1].chosen[name], levels[-1].heights.get(name))
    elif changed:
        share = changed[-1].changed.get(name, 0) / changed[-1].cells[name]
        said = f"{said}: {percent(share)} of cells differ".removeprefix(": ")
    return said


def level_words(level: int, height: int | None) -> str:
    """How far up its hierarchy a column is."""
    of_all = f" of{NO_BREAK}{height}" if height else ""
    return f"{'coarser' if level else 'kept'}, level{NO_BREAK}{level}{of_all}"


def known_words(entry: Mapping[str, str]) -> str:
    """Of a column kept as it is: whether others could know it, and why not."""
    if entry.get("role") != Role.OTHER or "known" not in entry:
        return ""
    why = f": {entry['why']}" if entry.get("why") else ""
    return f"known to others: {entry['known']}{why}"


def cell(result: Result, figure: Figure, name: str) -> Cell:
    """A figure of a column: before and after where both sides have one and they differ."""
    was, now = (measures.parts_of(figure, side or {}).get(name) for side in (result.before, result.after))
    if was is None and now is None:
        return Cell("")
    value = now if now is not None else was
    words = printed(figure, value)
    if was is not None and now is not None and was != now:
        words = f"{printed(figure, was)} → {words}"
    return Cell(words, bar(figure, value))


def bar(figure: Figure, value: Scalar) -> int | None:
    """How long the bar of a share is."""
    if figure.unit != "share" or not isinstance(value, int | float):
        return None
    return round(WHOLE * min(max(value, 0), 1))
