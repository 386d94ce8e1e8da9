"""How wrong a reader of the release is about single cells."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from worker.engine.contracts.figure import Figure
from worker.engine.contracts.measure import Found, Measure, Section, register
from worker.engine.contracts.scene import Scene
from worker.engine.contracts.traces import Trace
from worker.engine.information.bins import ORDERED
from worker.engine.information.columns import (
    AT_RANDOM,
    CONSTANT,
    PASSED_OVER,
    Scores,
    released_columns,
    row_by_row,
)
from worker.engine.information.distances import Distances
from worker.engine.information.side_by_side import exactly
from worker.engine.tables.frequency import FrequencyTable
from worker.engine.tables.table import Field

MADE_UP = "Its values are made up: they say nothing of the rows they stand in."
BY_SEVERAL = "Chance and another step changed it, so that what a reading says of the original is not known."
NOTE = "0 % means that every cell says what it was, 100 % that nothing would have said as much."


@register
class ExpectedError(Measure):
    """How wrong a reader of the release is, relative to somebody who has not seen it.

    Numbers and dates: the mean distance of the released from the original value, over the mean distance of
    the original's median; a label is read as the median of the originals under it, so that a column of `*`
    costs 1, and no column costs more. Categories: how often the commonest original under a label is wrong,
    over how often the commonest of all is. A row that was left out is `*` in every column. For columns that
    are true, and columns that one step changed.
    """

    slug = "expected-error"
    title = "Expected error"
    section = Section.UTILITY
    by_default = False
    figures: ClassVar = (
        Figure(
            "expected_error",
            "Expected error",
            "The mean over all columns of the original but identifiers and keys; a column that does not "
            "leave counts 1. 0 % is the original, 100 % is as wrong as knowing nothing.",
            unit="share",
            better="low",
            usual=(0, 0.7),
            headline=True,
            of_rows=True,
        ),
        Figure(
            "per_column",
            "Expected error of each column",
            "How wrong a reader is about a cell, divided by how wrong somebody is who says the median or the "
            "commonest value of the whole column.",
            unit="share",
            better="low",
            usual=(0, 0.7),
            per="column",
            of_rows=True,
        ),
        PASSED_OVER,
    )

    def compare(self, scene: Scene) -> Found:
        beside = row_by_row(scene)
        columns = released_columns(scene)
        judged = [one for one in columns if _passed_over(scene, one) is None]
        beside.announce(exactly(one.name) for one in judged)
        scores = Scores.where_gone(scene, 1.0)
        for column in columns:
            why = _passed_over(scene, column)
            scores.add(column.name, why or _error(beside.counts(exactly(column.name).columns), column))
        return scores.told(scene, self.slug, self.title, NOTE)


def _passed_over(scene: Scene, column: Field) -> str | None:
    """Why nothing can be said of a column; None where something can."""
    if scene.traces is None or scene.traces[column.name] not in AT_RANDOM:
        return None
    if scene.traces[column.name] is Trace.MADE_UP:
        return MADE_UP
    return None if scene.traces.steps.get(column.name, 1) == 1 else BY_SEVERAL


def _error(pairs: FrequencyTable, column: Field) -> float | str:
    found = _of_numbers(pairs, column) if column.kind in ORDERED else _of_categories(pairs)
    return CONSTANT if found is None else min(found, 1.0)


def _of_numbers(pairs: FrequencyTable, column: Field) -> float | None:
    distances = Distances.of(pairs, column.kind)
    blind = distances.without_knowing()
    return float(np.dot(distances.errors, distances.counts)) / blind if blind else None


def _of_categories(pairs: FrequencyTable) -> float | None:
    """Wrong guesses of the commonest original under each label, over those of the commonest of all."""
    commonest = np.zeros(len(pairs.domains[1]), np.int64)
    np.maximum.at(commonest, pairs.codes[1], pairs.counts)
    blind = pairs.rows - int(pairs.marginal(pairs.names[0]).max(initial=0))
    return (pairs.rows - int(commonest.sum())) / blind if blind else None
