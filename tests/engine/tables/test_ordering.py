"""The order of numbers, whatever they are."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from worker.engine.tables.ordering import gathered, order_of, scattered


def generator(seed: int = 1):
    return np.random.default_rng(seed)


NUMBERS = st.floats(allow_nan=False) | st.integers(-5, 5).map(float) | st.just(-0.0)


@given(st.lists(NUMBERS, min_size=1, max_size=80))
@settings(max_examples=150, deadline=None)
def test_it_sorts(numbers):
    values = np.array(numbers)
    order = order_of(values, generator())
    assert sorted(order.tolist()) == list(range(len(values)))
    assert np.array_equal(values[order], np.sort(values))


@pytest.mark.parametrize("rows", [1000, 50_000])
def test_it_sorts_numbers_that_differ_only_in_their_last_bits(rows):
    close = 1e9 + np.arange(rows) * 2.0**-22
    mixed = np.concatenate([close, generator().standard_normal(rows)])
    values = generator().permutation(mixed)
    assert np.array_equal(values[order_of(values, generator())], np.sort(values))
    pairs = generator().permutation(
        np.repeat(generator().standard_normal(rows), 2) + np.tile([0, 2e-16], rows)
    )
    assert np.array_equal(pairs[order_of(pairs, generator())], np.sort(pairs))


def test_equal_numbers_come_in_an_order_that_tells_nothing_of_the_input():
    order = order_of(np.zeros(10_000), generator())
    assert abs(np.corrcoef(order, np.arange(10_000))[0, 1]) < 0.2


def test_gather_and_scatter_are_each_other_undone():
    values = generator().standard_normal(1000)
    order = order_of(values, generator())
    assert np.array_equal(gathered(values, order), np.sort(values))
    assert np.array_equal(scattered(gathered(values, order), order), values)
