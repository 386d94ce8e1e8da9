"""The only door to the rows for differentially private answers: what one person adds is bounded behind it."""

from __future__ import annotations

from collections.abc import Sequence

from worker.engine.dp import counting
from worker.engine.dp.answering import Asked, Tuples
from worker.engine.dp.cells import Cells
from worker.engine.dp.gathering import gathered
from worker.engine.randomness import Source
from worker.engine.tables.statistics import Statistics


def bounded_counts(
    statistics: Statistics, columns: Sequence[Cells], key: bytes, rows: int, unknown: bool = False
) -> counting.BoundedCounts:
    """Rows per declared cell, at most `rows` per person, chosen by a keyed hash before counting.

    Values of undeclared categories are kept apart, and only when `unknown` asks for them.
    """
    read = statistics.rows_with_person([cells.name for cells in columns])
    return counting.bounded_counts(read, columns, statistics.person_key, key, rows, unknown)


def bounded_rows(
    statistics: Statistics, columns: Sequence[Cells], key: bytes, rows: int
) -> counting.CellRows:
    """The same for several marginals of the same rows, bounded once."""
    read = statistics.rows_with_person([cells.name for cells in columns])
    return counting.bounded_rows(read, columns, statistics.person_key, key, rows)


def bounded_tuples(statistics: Statistics, asked: Asked, source: Source) -> Tuples:
    """The same for a question: distinct (group, value) of the rows it is about, bounded per person."""
    read = statistics.rows_with_person([name for _, name, _ in asked.question.named_columns()])
    return gathered(read, asked, statistics.person_key, source)
