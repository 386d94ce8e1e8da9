"""Keys dealt out by digits, against a counter."""

from collections import Counter

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from worker.engine.kernels.dealing import DIGIT_BITS, DIGITS, added_up, counted

FEW = st.integers(0, 3)
KEYS = st.lists(
    FEW | st.integers(0, 2**64 - 1) | st.integers(0, 5).map(lambda one: one << DIGIT_BITS), min_size=1
)


def room(keys):
    words = np.array(keys, np.uint64)
    return words, np.empty_like(words), max(keys).bit_length(), np.empty(DIGITS, np.int64)


@settings(deadline=None)
@given(KEYS)
def test_each_key_once_in_order_and_how_often(keys):
    words, *rest = room(keys)
    counts = np.empty(len(keys), np.int64)
    size = counted(words, *rest, counts)
    found = list(zip(words[:size].tolist(), counts[:size].tolist(), strict=True))
    assert found == sorted(Counter(keys).items())


@settings(deadline=None)
@given(st.lists(st.tuples(FEW | st.integers(0, 2**40), st.integers(0, 2**40)), min_size=1))
def test_counts_of_equal_keys_are_added_up(pairs):
    words, *rest = room([key for key, _ in pairs])
    counts = np.array([count for _, count in pairs], np.int64)
    size = added_up(words, *rest, counts, np.empty_like(counts))
    known = Counter()
    for key, count in pairs:
        known[key] += count
    found = list(zip(words[:size].tolist(), counts[:size].tolist(), strict=True))
    assert found == sorted(known.items())
