"""Rows counted in cells, against counting them plainly."""

from collections import Counter

import numpy as np
import pytest

from worker.engine.scan.loops import AT_ONCE, count, count_runs

SIZES = (3, 4)
STEPS = np.array([4, 1])
PLACES = np.array([0, 1])


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("rows", [0, 1, 50, AT_ONCE + 3])
def test_cells_and_runs_hold_what_plain_counting_finds(rows, weighted):
    draw = np.random.default_rng(rows)
    codes = np.stack([draw.integers(0, size, rows) for size in SIZES]).astype(np.int16)
    runs = np.sort(draw.integers(0, 9, rows)).astype(np.int32)
    times = draw.integers(1, 4, rows) if weighted else np.ones(rows, np.int64)
    given = times if weighted else np.zeros(0, np.int64)
    cells, wanted, classes = np.zeros(12, np.int64), Counter(), Counter()
    count(codes, PLACES, STEPS, given, cells)
    for run, one, other, more in zip(runs, *codes, times, strict=True):
        wanted[one * 4 + other] += more
        classes[run, one, other] += more
    assert {at: n for at, n in enumerate(cells.tolist()) if n} == dict(wanted)
    sizes = list(classes.values())
    found = count_runs(runs, codes, PLACES, STEPS, given, np.zeros(12, np.int64))
    assert found == (len(sizes), sizes.count(1), sum(size * size for size in sizes))
