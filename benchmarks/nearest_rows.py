"""The nearest of many rows of mixed columns, beside every pair of them compared by scipy.

Five columns of numbers that hang together and five of categories. The reference lays categories out as one
column each, half a step apart, so that its sum of differences is the same distance.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from benchmarks.table import Result
from benchmarks.timing import processor
from worker.engine.nearest.cells import NUMBER, Cells
from worker.engine.nearest.neighbours import nearest
from worker.engine.reporting import NullReporter
from worker.engine.tables.column import Floats

if TYPE_CHECKING:
    from benchmarks.suite import Setting

MOST, AT_ONCE, LABELS = 20_000, 500, 6


def nearest_rows(setting: Setting) -> list[Result]:
    """As many made-up rows as records."""
    from scipy.spatial.distance import cdist

    rows = min(setting.rows, MOST)
    one, other = _mixed(rows, 1), _mixed(rows, 2)
    flat, records = _flat(one), _flat(other)

    def every_pair() -> None:
        for start in range(0, rows, AT_ONCE):
            cdist(flat[start : start + AT_ONCE], records, "cityblock").min(axis=1)

    nearest(one.take(slice(0, 1)), other, NullReporter())  # compiled before
    ours = processor(setting.repeat, lambda: nearest(one, other, NullReporter()))
    reference = processor(setting.repeat, every_pair)
    name = f"nearest of {rows} rows, 10 mixed columns"
    return [Result(name, ours, reference, "scipy: every pair", 0.3)]


def _mixed(rows: int, seed: int) -> Cells:
    draw = np.random.default_rng(seed)
    numbers, codes = np.zeros((rows, 10)), np.full((rows, 10), NUMBER, np.int32)
    numbers[:, :5] = draw.standard_normal((rows, 1)) / 4 + draw.standard_normal((rows, 5)) / 10
    codes[:, 5:] = draw.integers(0, LABELS, (rows, 5))
    return Cells(numbers, codes)


def _flat(cells: Cells) -> Floats:
    labels = [(cells.codes[:, [at]] == np.arange(LABELS)) / 2 for at in range(5, 10)]
    return np.hstack([cells.numbers[:, :5], *labels])
