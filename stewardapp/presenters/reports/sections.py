"""Sections that reports of both audiences have."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from stewardapp.presenters.numbers import size, thousands
from stewardapp.presenters.reports.measured import picture
from stewardapp.presenters.reports.parts import Part, Section, Text, filled, table
from stewardapp.presenters.step_notes import told

if TYPE_CHECKING:
    from stewardapp.models import Run
    from stewardapp.presenters.results import GoalLine
    from worker.engine.recipes.codebook import ColumnLine

HOLDS = {True: "Holds", False: "Does not hold"}


def goals(lines: Iterable[GoalLine]) -> tuple[Section, ...]:
    """The goals, as they were recomputed from the released bytes."""
    rows = ((one.title, one.required, one.achieved, HOLDS[one.holds], one.remark) for one in lines)
    heads = ("Goal", "Required", "Achieved", "Answer", "Remark")
    return filled("What holds, recomputed from the released bytes", table(heads, rows, numbers=(1, 2)))


def usage(run: Run, notes: Iterable[str], *, steps: bool) -> tuple[Section, ...]:
    """How to work with the file, as its codebook says it; the steps of a table are among the notes."""
    parts: list[Part] = []
    for number, note in enumerate(told(run) if steps else (), start=1):
        parts.append(Text(f"Step {number}: {note.sentence}"))
        parts += [Text(line) for line in note.guidance]
        parts += [picture(chart) for chart in note.charts if not chart.internal]
    return filled("What was done, and how to use it", (*parts, *(Text(line) for line in notes)))


def codebook(lines: Iterable[ColumnLine]) -> tuple[Section, ...]:
    """The columns of the file."""
    rows = ((one.name, one.label or "–", one.kind, one.treatment) for one in lines)
    return filled("Codebook", table(("Column", "Meaning", "Kind", "What was done"), rows))


def files(listed: Iterable[tuple[str, int | None, int, str]]) -> tuple[Section, ...]:
    """Files by name, rows, size and hash."""
    rows = ((name, thousands(rows), size(bytes), sha256) for name, rows, bytes, sha256 in listed)
    return filled("Files", table(("File", "Rows", "Size", "sha256"), rows, numbers=(1, 2)))
