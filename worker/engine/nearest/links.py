"""Two lists of the same people brought together by the released row that is nearest to both."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from worker.engine.nearest.cells import Cells
from worker.engine.nearest.neighbours import nearest, pieces
from worker.engine.reporting import Reporter
from worker.engine.tables.column import Floats


def linked(
    targets: Cells, released: Cells, one: Sequence[int], other: Sequence[int], reporter: Reporter
) -> Floats:
    """The chance for each target that the row nearest by some columns is the row nearest by the others.

    Of several that are nearest each is taken as often.
    """
    from worker.engine.nearest.loops import common

    known, more = targets.only(one), targets.only(other)
    records, beside = released.only(one), released.only(other)
    first, second = nearest(known, records, reporter), nearest(more, beside, reporter)
    both = np.zeros(len(targets), np.int64)
    for part in pieces(len(targets), len(released), reporter):
        mine, theirs = known.take(part), more.take(part)
        common(
            *(mine.numbers, mine.codes, records.numbers, records.codes, first.first[part] * len(one)),
            *(theirs.numbers, theirs.codes, beside.numbers, beside.codes, second.first[part] * len(other)),
            both[part],
        )
    return np.asarray(both / (first.tied * second.tied), np.float64)
