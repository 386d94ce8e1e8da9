"""What released cells attribute to originals, and cells of two sides in shared numbers."""

import numpy as np
import pytest

from worker.engine.attributes.attribution import Cells, attributed, cells_of
from worker.engine.tables.frequency import Domain, FrequencyTable
from worker.engine.tables.kinds import Kind


def cells(*rows):
    keys, values, counts = (np.array(column, np.int64) for column in zip(*rows, strict=True))
    return Cells(keys, values, counts)


def test_a_cell_of_originals_by_hand():
    found = attributed(
        cells((5, 0, 2), (5, 1, 1), (7, 9, 4), (8, 0, 1)), cells((5, 0, 3), (5, 2, 1), (7, 9, 2))
    )
    assert found.share.tolist() == [0.75, 0, 1, 0]
    assert found.matched.tolist() == [True, True, True, False]
    assert found.certain.tolist() == [False, False, True, False]
    assert found.mean == pytest.approx((2 * 0.75 + 4) / 8)
    assert found.mean_of_matched == pytest.approx((2 * 0.75 + 4) / 7)
    assert (found.matched_share, found.targeted) == (7 / 8, 1)


def test_a_value_that_is_not_released_is_never_right():
    found = attributed(cells((1, 50, 1)), cells((1, 0, 1), (2, 3, 1)))
    assert found.share.tolist() == [0]


def table(*columns):
    domains = tuple(
        Domain(f"c{at}", Kind.TEXT, tuple(sorted(set(texts))), np.zeros(len(set(texts)), bool))
        for at, texts in enumerate(columns)
    )
    codes = tuple(np.array([d.find(t) for t in texts]) for d, texts in zip(domains, columns, strict=True))
    return FrequencyTable(domains, codes, np.ones(len(columns[0]), np.int64))


def test_sides_share_their_numbers():
    one, other = table("ab", "xy"), table("b", "y")
    sides = [(one, [np.array([0, 3]), np.array([1, 2])]), (other, [np.array([3]), np.array([2])])]
    first, second = cells_of(sides, [4, 3])
    assert first.keys[1] == second.keys[0] != first.keys[0]
    assert (first.values.tolist(), second.values.tolist()) == ([1, 2], [2])
    assert first.shares(3).tolist() == [0, 0.5, 0.5]
