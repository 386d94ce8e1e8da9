"""The answer to a question: as a table, and as a chart with the error of every figure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from stewardapp.models import Query
from stewardapp.presenters.numbers import grouped
from worker.engine.contracts.chart import Axis, Chart, Series
from worker.engine.dp.questions import OF_CELLS, SELECTING, TITLES, Question

MOST_SERIES = 4
TRUE = "True figure"
NAMING = OF_CELLS - {"histogram"}


@dataclass(frozen=True)
class AnswerTable:
    """Names of the cells, answers and intervals; the true figures only for those cleared for raw data.

    A row holds its figures as they were written, and `printed` as people read them.
    """

    labels: list[str]
    rows: list[dict[str, Any]]
    has_interval: bool
    has_exact: bool


def answer_table(query: Query, *, exact: Sequence[str] = ()) -> AnswerTable:
    """The stored answer as a table, beside the true figures for those who may see them."""
    columns, rows = query.answer["columns"], query.answer["rows"]
    labels = columns[: columns.index("answer")]
    question = Question.of(query.question)
    lines = []
    for at, row in enumerate(rows):
        answer, error = row[len(labels)] or "too few rows to say", row[len(labels) + 1]
        told = {"answer": answer, "error": error, "exact": exact[at] if at < len(exact) else ""}
        printed = {name: printed_answer(text, question) for name, text in told.items()}
        lines.append({"labels": row[: len(labels)], **told, "printed": printed})
    return AnswerTable(labels, lines, question.ask not in SELECTING, bool(exact))


def printed_answer(text: str, question: Question) -> str:
    """A figure with its thousands apart; the name of a value as it is, even when it looks like a number."""
    return text if question.ask in NAMING else grouped(text)


Point = tuple[str, str, float, float]
"""Series, place, figure, half-width of its interval."""


def answer_chart(query: Query, *, exact: Sequence[str] = ()) -> Chart | None:
    """Figures by group or cell with their intervals; nothing for a single figure or a choice of names."""
    question, found = Question.of(query.question), answer_table(query, exact=exact)
    drawn = question.ask == "histogram" or question.ask not in OF_CELLS
    if not drawn or len(found.rows) < 2:
        return None
    series = _series(_points(found), intervals=found.has_interval)
    if found.has_exact and len(series) == 1:
        series = (*series, _true(found))
    counting = question.ask in ("count", "histogram", "sum")
    about = TITLES[question.ask] + (f" {question.column}" if question.counted_column else "")
    return Chart(
        slug="answer",
        title="The answer with its 95 % intervals" if found.has_interval else "The answer",
        kind="bar" if counting else "interval",
        x=Axis(" × ".join(found.labels[-1:] if len(series) > 1 else found.labels), scale="category"),
        y=Axis("Rows" if question.ask in ("count", "histogram") else about),
        series=series,
        note="A figure whose interval reaches beyond zero says little." if counting else "",
        internal=found.has_exact,
    )


def _points(found: AnswerTable) -> list[Point]:
    """What can be drawn; with few first labels these are the series, otherwise they name the place too."""
    grouped = len({tuple(row["labels"][:-1]) for row in found.rows}) <= MOST_SERIES
    points = []
    for row in found.rows:
        *group, last = row["labels"]
        name = " · ".join(group) if grouped else ""
        place = last if grouped else " · ".join(row["labels"])
        if (figure := _number(row["answer"])) is not None:
            points.append((name, place, figure, _number(row["error"]) or 0.0))
    return points


def _series(points: Sequence[Point], *, intervals: bool) -> tuple[Series, ...]:
    found = []
    for name in dict.fromkeys(one[0] for one in points):
        own = [one for one in points if one[0] == name]
        errors = tuple(one[3] for one in own) if intervals else ()
        x, y = tuple(one[1] for one in own), tuple(one[2] for one in own)
        found.append(Series(name or "Answer", x, y, error=errors))
    return tuple(found)


def _true(found: AnswerTable) -> Series:
    """The true figures at the same places."""
    rows = [(" · ".join(row["labels"]), _number(row["exact"])) for row in found.rows]
    known = [(place, figure) for place, figure in rows if figure is not None]
    return Series(TRUE, tuple(place for place, _ in known), tuple(figure for _, figure in known))


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None
