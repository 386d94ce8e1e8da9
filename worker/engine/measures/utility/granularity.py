"""How much the labels of a release leave open."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from worker.engine.contracts.figure import Figure
from worker.engine.contracts.measure import Found, Measure, Section, register
from worker.engine.contracts.scene import Scene
from worker.engine.information.columns import (
    CONSTANT,
    PASSED_OVER,
    Scores,
    released_columns,
    row_by_row,
    truthful,
)
from worker.engine.information.labels import open_shares
from worker.engine.information.side_by_side import exactly
from worker.engine.tables.statistics import Statistics
from worker.engine.tables.table import Field

BY_CHANCE = "Chance changed it: its labels leave nothing open, and need not be true."
NOTE = "0 % means that every value is as it was, 100 % that every cell is as good as `*`."


@register
class Granularity(Measure):
    """How much the labels of the release leave open.

    The share of a column's values that a label could stand for beside the one it does: 0 of a value as it
    was, 1 of `*`. Counted in rows of the hierarchy (covered − 1) ÷ (all − 1); an interval by its width
    divided by the range of the original; any other label by the originals found under it. A row that was left
    out is `*` in every column. Columns that chance changed are passed over: a wrong value
    leaves nothing open.
    """

    slug = "granularity"
    title = "Granularity"
    section = Section.UTILITY
    by_default = False
    references = ("Iyengar (2002), Transforming data to satisfy privacy constraints",)
    figures: ClassVar = (
        Figure(
            "granularity",
            "Left open",
            "The mean over all columns of the original but identifiers and keys; a column that does not "
            "leave counts 1. 0 % is the original, 100 % tells nothing.",
            unit="share",
            better="low",
            usual=(0, 0.7),
            headline=True,
            of_rows=True,
        ),
        Figure(
            "per_column",
            "Left open in each column",
            "The mean over the rows of the share of values that the label could stand for.",
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
        beside.announce(exactly(one.name) for one in columns)
        scores = Scores.where_gone(scene, 1.0)
        for column in columns:
            scores.add(column.name, _left_open(scene, beside, column))
        return scores.told(scene, self.slug, "Left open", NOTE)


def _left_open(scene: Scene, beside: Statistics, column: Field) -> float | str:
    """The mean share, or why there is none."""
    pairs = beside.counts(exactly(column.name).columns)
    if not truthful(scene, column, pairs):
        return BY_CHANCE
    shares = open_shares(pairs, column.kind, scene.before.declaration(column.name).hierarchy)
    if shares is None:
        return CONSTANT
    return float(np.dot(shares, pairs.marginal(pairs.names[1])) / pairs.rows)
