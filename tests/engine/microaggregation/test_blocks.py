"""Blocks of points: nothing but the points left is found, however many are gone; halves are halves."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from worker.engine.microaggregation.blocks import BLOCK, halve, new_cloud, remove


@given(keys=st.lists(st.integers(0, 9).map(float), min_size=1, max_size=150), data=st.data())
def test_the_lower_keys_come_first_and_rows_go_with_them(keys, data):
    key, row, size = np.array(keys), np.arange(len(keys)), len(keys)
    start, end = sorted(data.draw(st.tuples(st.integers(0, size), st.integers(0, size))))
    middle = data.draw(st.integers(start, end))
    halve(key, row, np.empty(size), np.empty(size, np.int64), start, end, middle)
    assert key.tolist() == [keys[i] for i in row]
    assert sorted(row[start:end].tolist()) == list(range(start, end))
    assert max(key[start:middle], default=-1.0) <= min(key[middle:end], default=10.0)


@pytest.mark.parametrize("size", [1, 63, 64, 65, 500])
def test_boxes_are_tight_whatever_is_gone(size):
    draw = np.random.default_rng(size)
    points = draw.normal(size=(size, 3))
    cloud = new_cloud(points)
    for gone in draw.permutation(size):
        remove(cloud, gone)
        for block in range(cloud.left[1]):
            places = slice(block * BLOCK, min((block + 1) * BLOCK, size))
            rows = [row for row in cloud.row[places] if cloud.place[row] >= 0]
            own = points[rows]
            assert cloud.low[:, block].tolist() == own.min(axis=0, initial=np.inf).tolist()
            assert cloud.high[:, block].tolist() == own.max(axis=0, initial=-np.inf).tolist()
    assert cloud.left[0] == 0
