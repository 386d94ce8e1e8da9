"""What goes out with a released file: its columns, what was done to them, how to work with the result.

Everything here is public: columns that leave, and what each step says of itself for that purpose.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from worker.engine.chart import Chart
from worker.engine.chart_values import values_of
from worker.engine.column import SUPPRESSED
from worker.engine.fields import RELEASED

if TYPE_CHECKING:
    from worker.engine.recipe import Recipe

Report = Mapping[str, Any]

NOTES = (
    "An interval [a, b[ holds a and everything up to, but not including, b. A * stands for any value.",
    "The order of the rows says nothing: the file is sorted by its released values.",
    "Quote the sha256 of the file when you publish results, so that others can find exactly this file.",
)


@dataclass(frozen=True)
class ColumnLine:
    """One column of the file."""

    name: str
    label: str
    kind: str
    role: str
    treatment: str


@dataclass(frozen=True)
class StepNote:
    """What one step did, what its method tells an analyst, and the figures needed for that."""

    sentence: str
    guidance: tuple[str, ...]
    charts: tuple[Chart, ...]


def column_lines(
    columns: Mapping[str, Mapping[str, Any]], report: Report, labels: Mapping[str, str]
) -> list[ColumnLine]:
    """The columns that leave, as the report lists them; an older report leaves it to the recipe's roles."""
    listed = report.get("output", {}).get("schema") or [
        {"name": name, "kind": one.get("kind") or "", "role": one["role"]}
        for name, one in columns.items()
        if one.get("role") in RELEASED or one.get("release")
    ]
    levels, heights = _levels(report, "levels"), _levels(report, "heights")
    return [
        ColumnLine(
            one["name"],
            labels.get(one["name"], ""),
            one["kind"],
            one["role"],
            _treated(levels.get(one["name"]), heights.get(one["name"])) if one["role"] else "–",
        )
        for one in listed
    ]


def step_notes(recipe: Recipe, report: Report) -> list[StepNote]:
    """Each step with its guidance; steps of a report that an older engine wrote may have less to say."""
    told = zip(recipe.steps, report.get("steps", ()), strict=False)
    return [
        StepNote(step.describe(), tuple(facts.get("codebook", ())), _drawn(step, facts))
        for step, facts in told
    ]


def _drawn(step: Any, facts: Mapping[str, Any]) -> tuple[Chart, ...]:
    try:
        charts: tuple[Chart, ...] = step.charts(facts)
    except (KeyError, TypeError, IndexError):
        return ()
    return charts


def written(
    recipe: Recipe,
    report: Report,
    labels: Mapping[str, str],
    categories: Mapping[str, Sequence[str]] | None = None,
) -> str:
    """The codebook as a Markdown file; `categories` are the values that columns of few values hold."""
    columns = {name: {"role": part.role, "kind": part.kind} for name, part in recipe.columns.items()}
    held = categories or {}
    lines = [_all_hidden(line, held.get(line.name)) for line in column_lines(columns, report, labels)]
    notes = NOTES[-1:] if recipe.tabulates else NOTES
    parts = ["# Codebook", "## Columns", _table(COLUMN_HEADERS, map(_cells, lines)), "## What was done"]
    if shown := {name: values for name, values in held.items() if tuple(values) != (SUPPRESSED,)}:
        listed = [(name, "; ".join(values) or "–") for name, values in shown.items()]
        parts[3:3] = ["## Values", _table(("Column", "Values in the file"), listed)]
    for number, note in enumerate(step_notes(recipe, report), start=1):
        parts.append(f"### {number}. {note.sentence}")
        parts += [f"* {line}" for line in note.guidance]
        for chart in note.charts:
            parts += [f"**{chart.title}.** {chart.note}", _table(*_figures(chart))]
    return "\n\n".join([*parts, "## How to read the file", *(f"* {note}" for note in notes)]) + "\n"


HIDDEN = "suppressed: every value is *"


def _all_hidden(line: ColumnLine, values: Sequence[str] | None) -> ColumnLine:
    """A column of `*` alone is suppressed, whichever step made it so."""
    return replace(line, treatment=HIDDEN) if values is not None and tuple(values) == (SUPPRESSED,) else line


COLUMN_HEADERS = ("Column", "Meaning", "Kind", "What was done")


def _cells(line: ColumnLine) -> Sequence[str]:
    return line.name, line.label or "–", line.kind, line.treatment


def _figures(chart: Chart) -> tuple[Sequence[str], list[list[str]]]:
    headers, rows = values_of(chart)
    return headers, [[_printed(cell) for cell in row] for row in rows]


def _printed(cell: Any) -> str:
    if cell is None:
        return "–"
    return f"{cell:.9g}" if isinstance(cell, float) else str(cell)


def _table(headers: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    ruled = [headers, ["---"] * len(headers), *rows]
    return "\n".join(f"| {' | '.join(map(_escaped, row))} |" for row in ruled)


def _escaped(cell: str) -> str:
    return " ".join(cell.replace("|", "\\|").split())


def _levels(report: Report, fact: str) -> dict[str, int]:
    """How far each column was generalized, or could be, over all steps."""
    found: dict[str, int] = {}
    for step in report.get("steps", ()):
        for name, level in (step.get(fact) or {}).items():
            found[name] = max(found.get(name, 0), int(level))
    return found


def _treated(level: int | None, height: int | None) -> str:
    if level is None:
        return "as recorded, unless a step below says otherwise"
    if level and level == height:
        return HIDDEN
    of = f" of {height}" if height else ""
    return f"generalized to level {level}{of}" if level else "not generalized"
