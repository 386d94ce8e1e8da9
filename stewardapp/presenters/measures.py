"""The results of measures as tables with explanations, and their charts. No measure is named here."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from stewardapp.presenters.how_to_read import HowToRead, how_to_read, printed, usual_words
from stewardapp.presenters.numbers import percent, thousands
from worker.engine import catalogue
from worker.engine.contracts.figure import Figure, Figures, Parts, Scalar
from worker.engine.contracts.parameters import Params
from worker.engine.recipes.report import ReportJson
from worker.engine.recipes.stored import results_of

if TYPE_CHECKING:
    from worker.engine.contracts.chart import Chart
    from worker.engine.contracts.measure import Measure
    from worker.engine.contracts.result import Result

STATES = {
    "measured": "",
    "does-not-apply": "Does not apply",
    "too-large": "Too large to measure",
    "failed": "Not measured",
}
SECTIONS = ("risk", "utility", "attack")
SHOWN_AT_ONCE = 12
"""Longer tables are folded."""
ARROWS = {"low": "↓ lower is better", "high": "↑ higher is better", "neither": ""}


@dataclass(frozen=True)
class Row:
    """One figure before and after, how to read it, and which way is better."""

    name: str
    label: str
    before: str
    after: str
    help: HowToRead
    better: str = ""
    leads: bool = False
    worded: bool = False
    """Whether it is words, which need more room than a number."""


@dataclass(frozen=True)
class Grid:
    """Figures that have one value per column, part or threshold."""

    title: str
    help: HowToRead | None
    headers: tuple[tuple[str, HowToRead | None], ...]
    rows: tuple[tuple[str, ...], ...]

    @property
    def long(self) -> bool:
        """Whether it is shown when somebody asks."""
        return len(self.rows) > SHOWN_AT_ONCE


@dataclass(frozen=True)
class Reading:
    """One instance of a measure: its figures, tables and charts, or the reason why there are none."""

    id: str
    slug: str
    title: str
    summary: str
    params: tuple[tuple[str, str], ...]
    state: str
    reason: str
    known: bool
    rows: tuple[Row, ...]
    grids: tuple[Grid, ...]
    charts: tuple[Chart, ...]
    compared: bool
    """Whether its single figures stand on one side only."""
    assessment: str = ""
    """The assessment that found it, where the run itself did not."""

    @property
    def leading(self) -> tuple[Row, ...]:
        """The figures that stand first; all of a measure that says of none that it leads."""
        return tuple(one for one in self.rows if one.leads) or self.rows

    @property
    def further(self) -> tuple[Row, ...]:
        """The others."""
        return tuple(one for one in self.rows if one not in self.leading)

    @property
    def anchor(self) -> str:
        """A name for the page to jump to."""
        return self.id.replace("#", "-")


def readings(report: ReportJson, section: str, files: Mapping[str, str] | None = None) -> tuple[Reading, ...]:
    """Every result of a section that the report holds; `files` are what people call those it names."""
    return tuple(reading(one, files or {}) for one in results_of(report) if one.section == section)


def charts(report: ReportJson) -> dict[str, Chart]:
    """Every chart of a report by its address: the instance it belongs to and its own name."""
    return {address(one.id, chart): chart for one in results_of(report) for chart in one.charts}


def address(owner: str, chart: Chart) -> str:
    """Where a chart is found: no chart can stand under another owner."""
    return f"{owner}/{chart.slug}"


def reading(result: Result, files: Mapping[str, str]) -> Reading:
    """One result as the page shows it; a measure that is no longer known still shows its figures."""
    contract = catalogue.measures().get(result.measure)
    before, after = result.before or {}, result.after or {}
    told = declared(contract, {**before, **after})
    return Reading(
        id=result.id,
        slug=result.measure,
        title=contract.title if contract else words(result.measure),
        summary=contract.in_short() if contract else "This installation no longer has this measure.",
        params=parameter_lines(contract, result.params, files),
        state=STATES[result.state],
        reason=result.reason or "",
        known=contract is not None,
        rows=tuple(row(one, result) for one in told if one.per == "once"),
        grids=tuple(grids(told, result)),
        charts=result.charts,
        compared=not any(one.per == "once" and one.name in before for one in told),
    )


def declared(contract: type[Measure] | None, found: Figures) -> tuple[Figure, ...]:
    """The figures that were found, in the order of their declaration; then those nobody declares now."""
    known = [one for one in (contract.figures if contract else ()) if one.name in found]
    names = {one.name for one in known}
    return (*known, *(unknown(name, value) for name, value in found.items() if name not in names))


def declared_of(result: Result) -> tuple[Figure, ...]:
    """The same of a result, whichever side it has."""
    found = {**(result.before or {}), **(result.after or {})}
    return declared(catalogue.measures().get(result.measure), found)


def unknown(name: str, value: Scalar | Parts) -> Figure:
    """A figure of an engine that knew more."""
    parted = isinstance(value, Mapping)
    worded = isinstance(value, str | bool)
    return Figure(name, words(name), "", "words" if worded else "number", per="part" if parted else "once")


def figure_of(slug: str, name: str) -> Figure:
    """What a measure declares of one of its figures."""
    contract = catalogue.measures().get(slug)
    found = (one for one in (contract.figures if contract else ()) if one.name == name)
    return next(found, None) or unknown(name, None)


def parameter_lines(
    contract: type[Measure] | None, params: Params, files: Mapping[str, str]
) -> tuple[tuple[str, str], ...]:
    """What the instance was told, by the titles of its parameters."""
    titles = {one.name: one.title for one in contract.parameters()} if contract else {}
    told = (
        (name, files.get(value, value) if isinstance(value, str) else value) for name, value in params.items()
    )
    return tuple((titles.get(name, words(name)), said(value)) for name, value in told)


def said(value: Any) -> str:
    """A parameter in words."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return ", ".join(map(str, value)) if isinstance(value, list | tuple) else thousands(value)


def row(figure: Figure, result: Result) -> Row:
    """One figure."""
    was, now = (printed(figure, (side or {}).get(figure.name)) for side in (result.before, result.after))
    how, better = help_on(figure, result), ARROWS[figure.better]
    return Row(figure.name, figure.title, was, now, how, better, figure.headline, figure.unit == "words")


def help_on(figure: Figure, result: Result) -> HowToRead:
    """How to read a figure of a result, on its own numbers."""
    before = (result.before or {}).get(figure.name)
    return how_to_read(
        figure, result.measure, result.after or result.before, before if result.after else None
    )


def help_of(figure: Figure) -> str:
    """How to read a figure, and where it mostly lies."""
    usual = usual_words(figure)
    return f"{figure.explanation} Usually {usual}." if usual else figure.explanation


def grids(figures: Iterable[Figure], result: Result) -> Iterable[Grid]:
    """One table for all figures of each column, and one for every other figure that has parts."""
    parted = [one for one in figures if one.per != "once"]
    columns = [one for one in parted if one.per == "column"]
    if columns:
        yield grid("By column", None, columns, result)
    for one in parted:
        if one.per != "column":
            yield grid(one.title, help_on(one, result), [one], result)


def grid(title: str, help: HowToRead | None, figures: list[Figure], result: Result) -> Grid:
    """A row for each part; a figure that has two sides has a column for each."""
    before, after = result.before or {}, result.after or {}
    sided = [(one, side, name) for one in figures for name, side in sides_of(one, before, after)]
    heads = [heading(one, name, result, alone=len(figures) == 1) for one, _, name in sided]
    parts = dict.fromkeys(part for one, side, _ in sided for part in parts_of(one, side))
    rows = (
        (
            part_words(part, figures[0]),
            *(printed(one, parts_of(one, side).get(part)) for one, side, _ in sided),
        )
        for part in parts
    )
    return Grid(title, help, (("", None), *heads), tuple(rows))


def sides_of(figure: Figure, before: Figures, after: Figures) -> list[tuple[str, Figures]]:
    """The sides on which a figure stands."""
    both = (("before", before), ("after", after))
    found = [(name, side) for name, side in both if figure.name in side]
    return found if len(found) == 2 else [("", side) for _, side in found]


def heading(figure: Figure, side: str, result: Result, *, alone: bool) -> tuple[str, HowToRead | None]:
    """The head of a column and how to read it."""
    if alone:
        return side.capitalize() or "Value", None
    return (f"{figure.title}, {side}" if side else figure.title), help_on(figure, result)


def parts_of(figure: Figure, side: Figures) -> Parts:
    """The parts of a figure on one side."""
    found = side.get(figure.name)
    return found if isinstance(found, Mapping) else {}


def part_words(part: str, figure: Figure) -> str:
    """The name of a part; a threshold between 0 and 1 as a percentage."""
    if figure.per != "threshold":
        return part
    return percent(float(part)) if 0 < float(part) <= 1 else thousands(float(part))


def words(name: str) -> str:
    """A name in words."""
    text = str(name).replace("_", " ").replace("-", " ")
    return text[:1].upper() + text[1:]
