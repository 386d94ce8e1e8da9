"""The fewest of the smallest classes are given up, those that come first among equals."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from worker.engine.search.judging import sized
from worker.engine.tables.classes import Classes
from worker.engine.tables.frequency import FrequencyTable
from worker.engine.uniqueness.smallest_first import Tally, smallest_dropped

SIZES = st.lists(st.integers(1, 9) | st.sampled_from([50, 10**6]), min_size=1, max_size=40)


@given(SIZES, st.floats(0.0, 1.0))
def test_the_fewest_of_the_smallest_go(sizes, limit):
    order = sorted(range(len(sizes)), key=lambda i: sizes[i])

    def share(left):
        return len(left) / sum(sizes[i] for i in left)

    fewest = next((n for n in range(len(sizes)) if share(order[n:]) <= limit), len(sizes))
    stay = smallest_dropped(sized(np.array(sizes)), lambda left: left.classes / left.rows <= limit)
    assert np.flatnonzero(~stay).tolist() == sorted(order[:fewest])


@given(SIZES, st.data())
def test_a_tally_without_some_is_the_tally_of_the_others(sizes, data):
    number = data.draw(st.integers(0, len(sizes) - 1))
    found = Tally.of(np.array(sizes)).without(number)
    others = Tally.of(np.array(sorted(sizes)[number:]))
    assert (found.sizes.tolist(), found.counts.tolist()) == (others.sizes.tolist(), others.counts.tolist())
    assert (found.rows, found.classes) == (sum(sorted(sizes)[number:]), len(sizes) - number)
    assert found.with_size(1) == sorted(sizes)[number:].count(1)


def test_of_as_many_persons_those_of_the_fewest_rows_go():
    """Three classes of one person each, of 5, 2 and 3 rows, and one of two persons."""
    persons = np.array([0, 1, 2, 3, 4])
    table = FrequencyTable((), (), np.array([5, 2, 3, 1, 1]), persons)
    classes = Classes(table, np.array([0, 1, 2, 3, 3]), 4)
    stay = smallest_dropped(classes, lambda left: left.with_size(1) <= 1)
    assert stay.tolist() == [True, False, False, True]
