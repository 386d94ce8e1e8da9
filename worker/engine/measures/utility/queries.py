"""Whether a steward's own questions are answered as before."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, ClassVar, Self

from pydantic import AfterValidator, Field

from worker.engine.contracts.chart import Axis, Chart, Series
from worker.engine.contracts.figure import Figure, Scalar
from worker.engine.contracts.measure import Effort, Found, Measure, Section, register
from worker.engine.contracts.scene import Outlook, Scene
from worker.engine.errors import EngineError
from worker.engine.information.bins import ORDERED, Line
from worker.engine.information.labels import declared_hierarchy
from worker.engine.queries.answering import Known, answer
from worker.engine.queries.language import OF_NUMBERS, ORDERED_SIGNS, Query, parsed
from worker.engine.tables.kinds import RELEASED
from worker.engine.tables.questions import CountsOf, Question
from worker.engine.tables.statistics import Statistics
from worker.engine.tables.table import Schema

MOST_QUERIES = 100
SECONDS_PER_TUPLE = 1.5e-7


def _understood(texts: tuple[str, ...]) -> tuple[str, ...]:
    for number, text in enumerate(texts, 1):
        try:
            parsed(text)
        except ValueError as form:
            raise ValueError(f"Query {number} is not understood: {form}.") from None
    return texts


@register
class Queries(Measure):
    """Whether the questions that people will ask of the file are answered as before.

    One query a line: `count`, `share`, `sum COLUMN` or `mean COLUMN`, then `where COLUMN = VALUE` and more
    conditions after `and`; names and values with blanks stand in double quotes. It is asked of the original
    and of the release, where a label counts with the part of its values that meet the condition, an interval
    with the part of its width and as its middle; a missing value and `*` meet no condition. A sum or a mean
    over fewer than 10 rows is not told. A subgroup is a condition.
    """

    slug = "queries"
    title = "Own queries"
    section = Section.UTILITY
    figures: ClassVar = (
        Figure(
            "mean_relative_error",
            "Mean relative error",
            "The mean over the queries of the difference between both answers, divided by the original's.",
            better="low",
            usual=(0, 0.1),
            headline=True,
        ),
        Figure(
            "largest_relative_error",
            "Largest relative error",
            "Of the query whose answer changed most.",
            better="low",
            usual=(0, 0.3),
        ),
        Figure("answer", "Answer", "What the file answers to each query, in their order.", per="part"),
        Figure(
            "relative_error",
            "Relative error",
            "The difference between both answers, divided by that of the original.",
            better="low",
            per="part",
        ),
    )

    queries: Annotated[tuple[str, ...], AfterValidator(_understood)] = Field(
        title="Queries",
        description="One a line, such as: mean income where age >= 40 and sex = female",
        min_length=1,
        max_length=MOST_QUERIES,
    )

    @classmethod
    def examples(cls) -> tuple[Self, ...]:
        asked = (
            "count where age >= 40 and sex = female",
            "mean income where disease = flu",
            "share where age < 30",
        )
        return (cls(queries=asked),)

    @property
    def asked(self) -> tuple[Query, ...]:
        """The queries, read."""
        return tuple(map(parsed, self.queries))

    def check(self, schema: Schema) -> None:
        super().check(schema)
        for number, query in enumerate(self.asked, 1):
            ordered = [query.column] if query.asks in OF_NUMBERS and query.column is not None else []
            ordered += [one.column for one in query.conditions if one.sign in ORDERED_SIGNS]
            for name in query.columns:
                if name not in schema or schema[name].role not in RELEASED:
                    text = f"queries: query {number} names {name!r}, which is no column that leaves."
                    raise EngineError("no-such-column", text, param="queries")
                if name in ordered and schema[name].kind not in ORDERED:
                    text = (
                        f"queries: query {number} takes {name!r} for numbers, and it is {schema[name].kind}."
                    )
                    raise EngineError("wrong-kind", text, param="queries")

    def effort(self, outlook: Outlook) -> Effort:
        return Effort(seconds=2 * outlook.rows * len(self.queries) * SECONDS_PER_TUPLE)

    def questions(self, schema: Schema) -> Sequence[Question]:
        alone = dict.fromkeys((name,) for query in self.asked for name in query.columns)
        together = dict.fromkeys(_asked_of(query) for query in self.asked if query.columns)
        return tuple(CountsOf(names) for names in alone | together)

    def compare(self, scene: Scene) -> Found:
        known = {name: _known(scene, name) for query in self.asked for name in query.columns}
        was, became = (_answers(side, self.asked, known) for side in (scene.before, scene.after))
        errors = {name: _relative(was[name], became[name]) for name in was}
        found = [one for one in errors.values() if one is not None]
        return Found(
            {
                "mean_relative_error": sum(found) / len(found) if found else None,
                "largest_relative_error": max(found, default=None),
                "answer": became,
                "relative_error": errors,
            },
            charts=(_chart(errors),),
            before={"answer": was},
        )


def _asked_of(query: Query) -> tuple[str, ...]:
    """The columns to count, in one order for all queries about the same ones."""
    return tuple(sorted(query.columns))


def _known(scene: Scene, name: str) -> Known:
    """What conditions on a column can go by."""
    column, table = scene.before.schema[name], scene.before.counts((name,))
    hierarchy = declared_hierarchy(scene.before.declaration(name).hierarchy, table.domains[0])
    if column.kind not in ORDERED:
        return Known(column.kind, hierarchy)
    line = Line.of(table, column.kind)
    return Known(column.kind, hierarchy, line.of_texts, line.numbers, line.middles)


def _answers(side: Statistics, queries: Sequence[Query], known: dict[str, Known]) -> dict[str, float | None]:
    """By the place of each query in the list. A column that does not leave answers nothing."""
    found: dict[str, float | None] = {}
    for number, query in enumerate(queries, 1):
        there = all(name in side.schema for name in query.columns)
        if not query.columns:
            found[f"Query {number}"] = float(side.rows()) if query.asks == "count" else 1.0
        else:
            found[f"Query {number}"] = answer(query, side.counts(_asked_of(query)), known) if there else None
    return found


def _relative(was: Scalar, became: Scalar) -> float | None:
    if not isinstance(was, float) or not isinstance(became, float):
        return None
    if was == 0:
        return 0.0 if became == 0 else None
    return abs(became - was) / abs(was)


def _chart(errors: dict[str, float | None]) -> Chart:
    known = {name: one for name, one in errors.items() if one is not None}
    return Chart(
        "query-errors",
        "Error of each query",
        "bar",
        Axis("Query", "", "category"),
        Axis("Relative error", "", "percent"),
        (Series("Relative error", tuple(known), tuple(known.values())),),
        note="How far the answer of the release is from that of the original, in parts of the original's.",
    )
