"""Figures of classes become figures of rows."""

import random

import numpy as np
import pytest

from tests.engine.uniqueness.rows import statistics_of_rows
from worker.engine.tables.classes import released_classes
from worker.engine.uniqueness.rows_of_classes import class_of_rows, of_rows


@pytest.mark.parametrize("seed", range(40))
def test_rows_of_a_class_are_equal_and_others_differ(seed):
    draw = random.Random(seed)
    rows = [tuple(draw.choice(["a", "b", "", "*"]) for _ in range(2)) for _ in range(30)]
    statistics, names = statistics_of_rows(rows)
    classes, _ = released_classes(statistics.counts(names, persons=True, weights=True), names)
    found = class_of_rows(statistics, classes, names, 32)
    assert found[30:].tolist() == [-1, -1]
    for i, row in enumerate(rows):
        assert (found[i] < 0) == (row == ("*", "*"))
        assert all((found[i] == found[j]) == (row == other) for j, other in enumerate(rows))
    sizes = of_rows(classes.sizes.astype(float), found)
    expected = [np.nan if row == ("*", "*") else rows.count(row) for row in rows] + [np.nan] * 2
    np.testing.assert_array_equal(sizes, expected)
