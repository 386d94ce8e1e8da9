"""Shares of released rows by their nearest record."""

import numpy as np
import pytest

from worker.engine.nearest.closeness import Closeness
from worker.engine.nearest.neighbours import Nearest


def near(first: list[float], tied: list[int], where: list[int]) -> Nearest:
    return Nearest(np.array(first), np.array(first) + 1, np.array(tied), np.array(where))


def test_ties_are_divided_by_the_tied_records():
    found = Closeness(
        near([0.1, 0.2, 0.3], [1, 1, 3], [0, 1, 2]), near([0.2, 0.1, 0.3], [1, 1, 1], [0, 1, 2]), 3, 3
    )
    assert found.closer.value == pytest.approx((1 + 0 + 0.75) / 3)
    assert found.baseline == 0.5


def test_rows_beside_one_record_are_no_more_than_one():
    """A hundred rows beside a single record tell as much as one."""
    many = Closeness(
        near([0.1] * 100, [1] * 100, [0] * 100), near([0.2] * 100, [1] * 100, [0] * 100), 5, 5
    ).closer
    one = Closeness(near([0.1], [1], [0]), near([0.2], [1], [0]), 5, 5).closer
    assert (many.value, many.low) == pytest.approx((one.value, one.low))
