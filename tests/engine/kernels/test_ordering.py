"""Rows in order by several keys, whatever numbers they are and however many rows are alike."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from worker.engine.kernels.ordering import SHORT, settle, sort_rows

WHOLE = st.integers(-(2**63), 2**63 - 1)


def in_order(first, *further):
    rows, fresh = np.empty(len(first), np.int64), np.empty(len(first), bool)
    sort_rows(first, rows, fresh)
    for key in further:
        settle(key[rows], rows, fresh)
    return rows, fresh


@settings(deadline=None)
@given(st.lists(st.tuples(st.one_of(st.integers(0, 3), WHOLE), st.integers(0, 2), WHOLE), min_size=1))
def test_any_keys_give_the_order_of_a_plain_sort(keys):
    columns = [np.array(column, np.int64) for column in zip(*keys, strict=True)]
    rows, fresh = in_order(*columns)
    assert rows.tolist() == sorted(range(len(keys)), key=lambda row: keys[row])
    ordered = [keys[row] for row in rows]
    assert fresh.tolist() == [at == 0 or ordered[at] != ordered[at - 1] for at in range(len(keys))]


@pytest.mark.parametrize("size", [SHORT, SHORT + 1, 5000])
def test_rows_alike_stay_as_they_stood(size):
    draw = np.random.default_rng(size)
    keys = [draw.integers(0, most, size) for most in (2, 3)]
    rows, _ = in_order(*keys)
    assert rows.tolist() == np.lexsort(keys[::-1]).tolist()
