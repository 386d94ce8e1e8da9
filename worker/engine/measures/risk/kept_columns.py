"""Rows that the columns which leave single out, tagged or not."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from worker.engine.contracts.figure import Figure
from worker.engine.contracts.measure import Found, Measure, Section, register
from worker.engine.contracts.scene import Outlook, Side
from worker.engine.tables.kinds import Role
from worker.engine.tables.questions import CountsOf, Question
from worker.engine.tables.table import Schema
from worker.engine.uniqueness.class_sizes import sizes_of

LEAVING = (Role.QUASI_IDENTIFIER, Role.OTHER)


@register
class KeptColumns(Measure):
    """How many rows the columns that leave single out, whether or not they are tagged as quasi-identifiers.

    A column kept as it is can be known to others too. Rows equal on all quasi-identifiers and all kept
    columns form a class; a class of one is a row that whoever knows these columns of a person finds for
    certain. Sensitive columns are not counted: they are what an attacker wants to learn. With a person key,
    classes count distinct persons.
    """

    slug = "kept-columns"
    title = "Columns that leave"
    section = Section.RISK
    figures: ClassVar = (
        Figure(
            "unique_share",
            "Share of rows singled out",
            "Unique rows divided by rows.",
            unit="share",
            better="low",
            usual=(0, 0.05),
            public=True,
            headline=True,
            example="{unique_rows} rows are found for certain: {unique_share}",
        ),
        Figure(
            "unique_rows",
            "Rows singled out",
            "Rows that no other row equals in all of these columns.",
            unit="count",
            better="low",
            public=True,
        ),
        Figure(
            "columns",
            "Columns",
            "Quasi-identifiers and columns kept as they are, counted together.",
            unit="count",
            public=True,
        ),
        Figure(
            "kept",
            "Kept",
            "Those of them that are kept as they are and that no goal looks at.",
            unit="count",
            public=True,
        ),
        Figure(
            "rows",
            "Rows",
            "Rows looked at; rows with * in every one of these columns are not among them.",
            unit="count",
            public=True,
        ),
    )

    def does_not_apply(self, outlook: Outlook) -> str | None:
        if _columns(outlook.schema):
            return None
        return "No quasi-identifier and no column kept as it is leaves, so that nothing can be looked up."

    def questions(self, schema: Schema) -> Sequence[Question]:
        return (CountsOf(_columns(schema), persons=True),)

    def read(self, side: Side) -> Found:
        names = _columns(side.statistics.schema)
        sizes = sizes_of(side.statistics.tuples(names, persons=True), names)
        unique = sizes.among(sizes.values == 1)
        return Found(
            {
                "columns": len(names),
                "kept": len(side.statistics.schema.named(Role.OTHER)),
                "rows": sizes.rows,
                "unique_rows": unique,
                "unique_share": unique / sizes.total if sizes.total else None,
            }
        )


def _columns(schema: Schema) -> tuple[str, ...]:
    return tuple(name for role in LEAVING for name in schema.named(role))
