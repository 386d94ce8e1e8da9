"""How many rows agree with a class when a cell without a value may stand for any value.

A match with a row that tells all its keys counts whole, one with another row that does not tell them counts
`alpha`. A row that tells none agrees with everybody; it adds nothing to rows that tell all.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from worker.engine.tables.classes import Classes
from worker.engine.tables.column import Floats, Mask
from worker.engine.tables.frequency import Counts
from worker.engine.tables.wildcards import agreeing, wild_cells


def weighed_matches(classes: Classes, names: Sequence[str], alpha: float, amounts: Counts | Floats) -> Floats:
    """For each class the amounts of all classes that agree with it, each as far as it counts."""
    found = np.zeros(classes.number)
    wild = wild_cells(classes, names)
    for ids, others, keys in agreeing(classes, names):
        counts = _counting(wild[:, ids[0]], wild[:, others[0]], alpha)
        _, at = np.unique(keys, return_inverse=True)
        at = at.reshape(-1)
        totals = np.bincount(at[len(ids) :], weights=amounts[others], minlength=int(at.max()) + 1)
        found[ids] += counts * totals[at[: len(ids)]]
    return found


def _counting(mine: Mask, theirs: Mask, alpha: float) -> float:
    """How much a match counts between classes that tell these keys."""
    if (mine == theirs).all() or not theirs.any() or mine.all():
        return 1.0
    return 0.0 if theirs.all() and not mine.any() else alpha
