"""Which class each row is in, so that figures of classes become figures of rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol

import numpy as np

from worker.engine.contracts.scene import Side
from worker.engine.tables.classes import Classes
from worker.engine.tables.column import Codes, Floats
from worker.engine.tables.keys import Packer
from worker.engine.tables.table import Chunk
from worker.engine.uniqueness.rated_classes import risks_of


class Rows(Protocol):
    """What knows its rows."""

    def chunks(self, columns: Sequence[str]) -> Iterator[Chunk]:
        """Some columns of them."""


def class_of_rows(data: Rows, classes: Classes, names: Sequence[str], rows: int) -> Codes:
    """For each row of the input its class; −1 for one suppressed, left out or without consent."""
    table, found = classes.table, np.full(rows, -1, np.int32)
    packer = Packer(tuple(len(table.domain(name)) for name in names))
    keys, first = np.unique(packer.fit([table.column(name) for name in names], len(table)), return_index=True)
    ids = classes.ids[first]
    for chunk in data.chunks(names):
        codes = [table.domain(name).translate(chunk[name]) for name in names]
        found[chunk.row_ids] = ids[np.searchsorted(keys, packer.apply(codes, chunk.rows))]
    return found


def of_rows(values: Floats, found: Codes) -> Floats:
    """A figure of classes, row by row; NaN where a row is in none."""
    return np.append(values, np.nan)[found]


def risks_by_row(side: Side, alpha: float | None) -> Floats:
    """The individual risk of each row of the input; NaN for a row in no class."""
    table = side.statistics.counts(side.keys, persons=True, weights=True)
    classes, risks = risks_of(table, side.keys, alpha)
    if not classes.number:
        return np.full(side.rows, np.nan)
    return of_rows(risks, class_of_rows(side.statistics, classes, side.keys, side.rows))
