"""What goes out with a released file: its columns, what was done to them, how to work with the result.

Everything here is public: columns that leave, and what each step says of itself for that purpose.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from worker.engine.contracts.chart import Chart
from worker.engine.contracts.chart_values import values_of
from worker.engine.contracts.facts import Facts, Generalized, Heights, StepJson
from worker.engine.contracts.traces import Trace
from worker.engine.recipes.value_lists import lists_of, stands_for
from worker.engine.tables.column import SUPPRESSED
from worker.engine.tables.kinds import RELEASED

if TYPE_CHECKING:
    from worker.engine.recipes.document import ColumnEntry
    from worker.engine.recipes.recipe import Recipe
    from worker.engine.recipes.report import ColumnJson, Counted, ReportJson

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
    values: tuple[str, ...] = ()
    """What it holds, when that is a short list."""
    stands_for: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """The original values of each label, where they may be named."""


@dataclass(frozen=True)
class StepNote:
    """What one step did, what its method tells an analyst, and the figures needed for that."""

    sentence: str
    guidance: tuple[str, ...]
    charts: tuple[Chart, ...]


def column_lines(
    columns: Mapping[str, ColumnEntry], report: ReportJson, labels: Mapping[str, str]
) -> list[ColumnLine]:
    """The columns that leave, as the report lists them; an older report leaves it to the recipe's roles."""
    listed: Sequence[ColumnJson] = report.get("output", {}).get("schema") or [
        {"name": name, "kind": one.get("kind") or "", "role": one["role"]}
        for name, one in columns.items()
        if one.get("role") in RELEASED or one.get("release")
    ]
    told = _generalized(report)
    levels, heights = _highest(one.chosen for one in told), _highest(one.heights for one in told)
    held, below = lists_of(report)
    return [
        _with_values(
            ColumnLine(
                one["name"],
                labels.get(one["name"], ""),
                one["kind"],
                one["role"],
                _treated(one, levels.get(one["name"]), heights.get(one["name"])),
            ),
            held.get(one["name"], ()),
            below.get(one["name"], {}),
        )
        for one in listed
    ]


def _with_values(line: ColumnLine, values: Sequence[str], below: Mapping[str, Sequence[str]]) -> ColumnLine:
    """With what the column holds; one of `*` alone is suppressed, whichever step made it so."""
    if tuple(values) == (SUPPRESSED,):
        return replace(line, treatment=HIDDEN)
    named = tuple((label, tuple(below[label])) for label in values if label in below)
    return replace(line, values=tuple(values), stands_for=named)


def with_lists(recipe: Recipe, report: ReportJson, categories: Mapping[str, Sequence[str]]) -> ReportJson:
    """A report that also says which values the released columns hold."""
    output: Counted = {
        **report.get("output", {}),
        "categories": {name: list(values) for name, values in categories.items()},
        "stands_for": stands_for(recipe, categories, _highest(one.chosen for one in _generalized(report))),
    }
    return {**report, "output": output}


def step_notes(recipe: Recipe, report: ReportJson) -> list[StepNote]:
    """Each step with its guidance; steps of a report that an older engine wrote may have less to say."""
    told = zip(recipe.steps, report.get("steps", ()), strict=False)
    return [
        StepNote(step.describe(), tuple(facts.get("codebook", ())), _drawn(step, facts))
        for step, facts in told
    ]


def _drawn(step: Any, facts: StepJson) -> tuple[Chart, ...]:
    try:
        charts: tuple[Chart, ...] = step.charts(facts)
    except (KeyError, TypeError, IndexError):
        return ()
    return charts


def written(recipe: Recipe, report: ReportJson, labels: Mapping[str, str]) -> str:
    """The codebook as a Markdown file."""
    columns: dict[str, ColumnEntry] = {
        name: {"role": part.role, "kind": part.kind or ""} for name, part in recipe.columns.items()
    }
    lines = column_lines(columns, report, labels)
    notes = NOTES[-1:] if recipe.tabulates else NOTES
    parts = ["# Codebook", "## Columns", _table(COLUMN_HEADERS, map(_cells, lines))]
    held = lists_of(report)[0]
    shown = [line for line in lines if line.name in held and line.treatment != HIDDEN]
    if shown:
        listed = [(line.name, "; ".join(line.values) or "–") for line in shown]
        parts += ["## Values", _table(("Column", "Values in the file"), listed)]
    if below := [(line.name, label, "; ".join(named)) for line in lines for label, named in line.stands_for]:
        parts += ["## What the coarser values stand for", _table(STANDS_FOR, below), DECLARED]
    parts.append("## What was done")
    for number, note in enumerate(step_notes(recipe, report), start=1):
        parts.append(f"### {number}. {note.sentence}")
        parts += [f"* {line}" for line in note.guidance]
        for chart in note.charts:
            parts += [f"**{chart.title}.** {chart.note}", _table(*_figures(chart))]
    return "\n\n".join([*parts, "## How to read the file", *(f"* {note}" for note in notes)]) + "\n"


HIDDEN = "suppressed: every value is *"


STANDS_FOR = ("Column", "Value in the file", "Stands for")
DECLARED = (
    "Original values are named only of columns whose categories were declared, from a list that is known "
    "without the data: all of them, whether they occur or not."
)
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


def _generalized(report: ReportJson) -> list[Generalized]:
    """What each step that generalized came to."""
    return [found for step in report.get("steps", ()) if (found := Facts.of(step).levels)]


def _highest(each: Iterable[Heights]) -> dict[str, int]:
    """How far each column was generalized, or could be, over all steps."""
    found: dict[str, int] = {}
    for levels in each:
        for name, level in levels.items():
            found[name] = max(found.get(name, 0), int(level))
    return found


TREATMENTS = {
    Trace.KEPT: "as recorded",
    Trace.COARSER: "coarser values, which follow from the original ones",
    Trace.EXCHANGED: "the original values, in other rows",
    Trace.PERTURBED: "other values in place of the original ones",
    Trace.MADE_UP: "made by a step below, not recorded",
}
UNTOLD = "as recorded, unless a step below says otherwise"
"""An older report does not say."""


def _treated(column: ColumnJson, level: int | None, height: int | None) -> str:
    trace = column.get("trace")
    if not column["role"]:
        return "–"
    if trace not in (None, Trace.KEPT, Trace.COARSER) or level is None:
        return UNTOLD if trace is None else TREATMENTS[Trace(trace)]
    if level and level == height:
        return HIDDEN
    of = f" of {height}" if height else ""
    return f"generalized to level {level}{of}" if level else "not generalized"
