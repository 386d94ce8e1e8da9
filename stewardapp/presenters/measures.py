"""The figures of a report as tables with explanations, and its charts. No measure is named here."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from stewardapp.presenters.numbers import duration, percent, thousands
from worker.engine import catalogue
from worker.engine.chart import Chart

SHARES = ("share", "risk", "rate", "loss", "total_variation")
Report = Mapping[str, Any]


@dataclass(frozen=True)
class Row:
    """One figure before and after, and how to read it."""

    name: str
    label: str
    before: str
    after: str
    explanation: str


@dataclass(frozen=True)
class Grid:
    """A figure that has one value per column or per threshold."""

    title: str
    explanation: str
    headers: tuple[tuple[str, str], ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class Reading:
    """One measure: its figures, tables and charts."""

    slug: str
    title: str
    summary: str
    rows: tuple[Row, ...]
    grids: tuple[Grid, ...]
    charts: tuple[Chart, ...]
    compared: bool


def readings(report: Report, section: str) -> tuple[Reading, ...]:
    """Every measure of a section that the report holds."""
    found = []
    for slug, contract in catalogue.measures().items():
        before, after = sides(report, slug)
        if contract.section == section and (before is not None or after is not None):
            found.append(reading(contract, before, after))
    return tuple(found)


def sides(report: Report, slug: str) -> tuple[Mapping[str, Any] | None, Mapping[str, Any] | None]:
    """What the report says of a measure: before and after, or the comparison alone."""
    risk = report.get("risk", {})
    before, after = risk.get("before", {}).get(slug), risk.get("after", {}).get(slug)
    if before is None and after is None:
        after = next(
            (report[name][slug] for name in ("utility", "attack") if slug in report.get(name, {})), None
        )
    return before, after


def reading(contract: Any, before: Mapping[str, Any] | None, after: Mapping[str, Any] | None) -> Reading:
    """One measure as the page shows it."""
    names = list(dict.fromkeys((*(before or {}), *(after or {}))))
    pairs = [(name, (before or {}).get(name), (after or {}).get(name)) for name in names]
    explain = contract.explanations
    return Reading(
        slug=contract.slug,
        title=contract.title,
        summary=contract.in_short(),
        rows=tuple(
            row(*pair, explain.get(pair[0], ""), contract.labels.get(pair[0], ""))
            for pair in pairs
            if not nested(*pair[1:])
        ),
        grids=tuple(grid(*pair, explain) for pair in pairs if parted(*pair[1:])),
        charts=charts_of(contract, before, after),
        compared=before is None,
    )


def charts_of(
    contract: Any, before: Mapping[str, Any] | None, after: Mapping[str, Any] | None
) -> tuple[Chart, ...]:
    """The charts of a measure, drawn again from the stored figures.

    A report written by an older engine may lack figures that today's charts need: then there is none.
    """
    try:
        drawn: tuple[Chart, ...] = contract.model_validate({}).charts(before, after)
    except (KeyError, TypeError):
        return ()
    return drawn


def charts(report: Report) -> dict[str, Chart]:
    """Every chart of a report by its name."""
    sections = ("risk", "utility", "attack")
    return {
        chart.slug: chart for section in sections for one in readings(report, section) for chart in one.charts
    }


def nested(before: Any, after: Any) -> bool:
    """Whether a figure has parts."""
    return isinstance(before if after is None else after, (Mapping, list))


def parted(before: Any, after: Any) -> bool:
    """Whether a figure has named parts; lists are what charts draw, and stand in the tables below them."""
    return isinstance(before if after is None else after, Mapping)


def row(name: str, before: Any, after: Any, explanation: str, label: str) -> Row:
    """One figure."""
    return Row(name, label or words(name), printed(name, before), printed(name, after), explanation)


def grid(name: str, before: Any, after: Any, explain: Mapping[str, str]) -> Grid:
    """A table of a figure's parts: one row per part, before and after, or one column per inner figure."""
    parts = [part for part in (before, after) if part]
    if any(isinstance(value, Mapping) for part in parts for value in part.values()):
        return wide(name, after or before, explain)
    heads = ("", "Before", "After") if len(parts) == 2 else ("", "Value")
    keys = dict.fromkeys(key for part in parts for key in part)
    rows = tuple((part_words(key), *(printed(name, part.get(key)) for part in parts)) for key in keys)
    return Grid(words(name), explain.get(name, ""), tuple((head, "") for head in heads), rows)


def wide(name: str, parts: Mapping[str, Any], explain: Mapping[str, str]) -> Grid:
    """A table with one row per part and one column per inner figure that is a single number."""
    entries = {key: part for key, part in parts.items() if isinstance(part, Mapping)}
    single = {key for part in entries.values() for key, value in part.items() if is_single(value)}
    inner = [key for key in dict.fromkeys(key for part in entries.values() for key in part) if key in single]
    heads = (("", ""), *((words(key), explain.get(key, "")) for key in inner))
    rows = tuple((key, *(printed(head, part.get(head)) for head in inner)) for key, part in entries.items())
    return Grid(words(name), explain.get(name, ""), heads, rows)


def is_single(value: Any) -> bool:
    """Whether a figure is one number or word."""
    return value is not None and not isinstance(value, (Mapping, list))


def part_words(key: str) -> str:
    """The name of a part; a threshold between 0 and 1 as a percentage."""
    try:
        return percent(float(key)) if 0 < float(key) <= 1 else key
    except ValueError:
        return key


def words(name: str) -> str:
    """The name of a figure in words."""
    text = str(name).replace("_", " ").replace("-", " ")
    return text[:1].upper() + text[1:]


def printed(name: str, value: Any) -> str:
    """A figure with its unit: shares in per cent, counts grouped."""
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float) and 0 <= value <= 1 and is_share(name):
        return percent(value)
    if str(name).endswith("seconds"):
        return duration(value)
    if isinstance(value, (Mapping, list)):
        return ", ".join(str(part) for part in value)
    return thousands(value)


def is_share(name: str) -> bool:
    """Whether a figure's name says it is a part of one."""
    return any(part in str(name) for part in SHARES)


def explanations(section_readings: Iterable[Reading]) -> dict[str, str]:
    """How to read each figure, by its name."""
    return {row.name: row.explanation for one in section_readings for row in one.rows}
