"""Counting sets with one column of many values: rows are laid in its order, so that its values are runs.

Within a run only the other columns tell rows apart, and they have few values: a cell for each combination of
them is enough, and is used again in the next run. A run of one combination needs none.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from functools import partial

import numpy as np

from worker.engine.io.ahead import ahead
from worker.engine.scan.rows import Rows
from worker.engine.scan.told_apart import Names, Tally, tallied

CELLS = 1 << 17


def has_runs(rows: Rows, names: Names) -> bool:
    """Whether a set of columns is counted in runs."""
    others = _others(rows, names)
    return bool(others) and rows.places.keys() >= set(others) and rows.cells(others) <= CELLS


def in_runs(rows: Rows, sets: Iterable[Names]) -> Iterator[tuple[Names, Tally]]:
    """Each set with its tally; those with the same column of many values after one another."""
    together: dict[str, list[Names]] = defaultdict(list)
    for names in sets:
        together[_widest(rows, names)].append(names)
    for name, found in together.items():
        shared = rows.shared(name)
        alone = tallied(np.delete(rows.counts, shared))
        laid = rows.laid(dict.fromkeys(one for names in found for one in names), name, shared)
        others = [_others(rows, names) for names in found]
        for names, tally in zip(found, ahead(partial(_tally, laid, name), others), strict=True):
            yield names, alone.plus(tally)


def _tally(rows: Rows, widest: str, others: Names) -> Tally:
    from worker.engine.scan.loops import count_runs

    cells, runs = np.zeros(rows.cells(others), np.int64), rows.columns[widest].astype(np.int32, copy=False)
    return Tally(*count_runs(runs, rows.codes, *rows.layout(others), rows.weights, cells))


def _widest(rows: Rows, names: Names) -> str:
    return max(names, key=rows.values.__getitem__)


def _others(rows: Rows, names: Names) -> Names:
    widest = _widest(rows, names)
    return tuple(name for name in names if name != widest)
