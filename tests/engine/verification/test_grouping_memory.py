"""Grouping holds so many combinations as it may, however many the file has."""

import tracemalloc
from math import inf

import numpy as np

from worker.engine.verification.grouping import Grouping
from worker.engine.verification.released import Vocabulary

ROWS, AT_ONCE, MOST = 400_000, 20_000, 25_000


class AllDifferent:
    """A release in which every row is a class of its own, made up as it is read."""

    knows_persons = False

    def vocabulary(self, name):
        return Vocabulary()

    def pieces(self, names):
        for first in range(0, ROWS, AT_ONCE):
            rows = np.arange(first, first + AT_ONCE)
            columns = [(rows % 1000).astype(np.int32), (rows // 1000).astype(np.int32)]
            yield AT_ONCE, columns[: len(names)], None


def peak_and_classes(most):
    grouping = Grouping(AllDifferent(), ("age", "zip"), (), most)
    tracemalloc.start()
    try:
        found = sum(group.number for _, group in grouping.groups(lambda: None))
        return tracemalloc.get_traced_memory()[1], found
    finally:
        tracemalloc.stop()


def test_parts_bound_the_memory():
    whole, found = peak_and_classes(inf)
    parts, again = peak_and_classes(MOST)
    assert found == again == ROWS
    assert parts < whole / 6
