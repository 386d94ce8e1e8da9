"""A column that is to be foretold, as classes of rows on both sides."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from worker.engine.comparable.words import Words, words_of
from worker.engine.contracts.scene import Scene
from worker.engine.information.bins import ORDERED, Line, quantiles
from worker.engine.tables.column import SUPPRESSED, Codes
from worker.engine.tables.frequency import Counts
from worker.engine.tables.keys import totals

UNKNOWN = -1
"""The class of a row that has none."""
MOST = 10
"""Values of a category that are foretold one by one; the rarer ones are one class."""


@dataclass(frozen=True)
class Classes:
    """The class of each value of either side."""

    before: Codes
    after: Codes
    number: int

    @classmethod
    def of(cls, scene: Scene, name: str) -> Classes:
        """Numbers and dates: above the median of the original or not, an interval by its middle. Categories:
        each value at the released level; the commonest of the original where they are many."""
        if scene.before.schema[name].kind in ORDERED:
            return cls._of_numbers(scene, name)
        words, old = words_of(scene, name), scene.before.counts((name,))
        rows = totals(words.before[old.codes[0]], old.counts, len(words))
        return cls._of_categories(words, rows)

    @classmethod
    def _of_numbers(cls, scene: Scene, name: str) -> Classes:
        old, new = scene.before.counts((name,)), scene.after.counts((name,))
        line = Line.of(old, scene.before.schema[name].kind)
        median = quantiles(line.numbers(old.domains[0])[old.codes[0]], old.counts, np.array([0.5]))
        was, became = (line.middles(table.domains[0]) for table in (old, new))
        if not len(median):
            return cls(np.full(len(was), UNKNOWN, np.int32), np.full(len(became), UNKNOWN, np.int32), 0)
        before, after = (
            np.where(np.isnan(side), UNKNOWN, side > median[0]).astype(np.int32) for side in (was, became)
        )
        return cls(before, after, 2)

    @classmethod
    def _of_categories(cls, words: Words, rows: Counts) -> Classes:
        order = np.argsort(-rows, kind="stable")
        listed = [code for code in order.tolist() if rows[code] and words.texts[code] != SUPPRESSED]
        to = np.full(len(words), min(len(listed), MOST - 1), np.int32)
        for number, code in enumerate(listed[: MOST if len(listed) <= MOST else MOST - 1]):
            to[code] = number
        if words.star >= 0:
            to[words.star] = UNKNOWN
        if len(listed) <= MOST:
            to[rows == 0] = UNKNOWN  # a released word that no original stands for
        return cls(to[words.before], to[words.after], min(len(listed), MOST))
