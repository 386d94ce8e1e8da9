"""Rows that the columns which leave single out, tagged or not."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from worker.engine.algorithms.class_sizes import sizes_of
from worker.engine.fields import Role
from worker.engine.measure import Measure, Section, register
from worker.engine.statistics import Statistics

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
    labels: ClassVar[Mapping[str, str]] = {
        "unique_rows": "Rows singled out",
        "unique_share": "Share of rows singled out",
    }
    explanations: ClassVar[Mapping[str, str]] = {
        "columns": "Quasi-identifiers and columns kept as they are, counted together.",
        "kept": "Those of them that are kept as they are and that no goal looks at.",
        "rows": "Rows looked at; rows with * in every one of these columns are not among them.",
        "unique_rows": "Rows that no other row equals in all of these columns.",
        "unique_share": "Unique rows divided by rows.",
    }

    def applies(self, statistics: Statistics) -> bool:
        return bool(self._columns(statistics))

    def read(self, statistics: Statistics) -> dict[str, Any]:
        names = self._columns(statistics)
        sizes = sizes_of(statistics.tuples(names, persons=True), names)
        unique = sizes.among(sizes.values == 1)
        return {
            "columns": len(names),
            "kept": len(statistics.schema.named(Role.OTHER)),
            "rows": sizes.rows,
            "unique_rows": unique,
            "unique_share": unique / sizes.total if sizes.total else None,
        }

    @staticmethod
    def _columns(statistics: Statistics) -> tuple[str, ...]:
        return tuple(name for role in LEAVING for name in statistics.schema.named(role))
