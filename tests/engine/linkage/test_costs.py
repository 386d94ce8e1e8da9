"""What released values cost, column by column."""

import numpy as np

from worker.engine.linkage.costs import ANYTHING, NOTHING, Listed, alike, cells, places, range_of
from worker.engine.tables.frequency import Domain
from worker.engine.tables.kinds import Kind


def domain(*texts):
    return Domain("x", Kind.DECIMAL, texts, np.array([not text for text in texts]))


def test_a_star_is_anything_and_a_strange_value_nothing():
    assert alike(domain("1", "2"), domain("*", "2", "3"), 1.0).became.tolist() == [ANYTHING, 1, NOTHING]


def test_a_star_stands_at_infinity_and_a_missing_number_nowhere():
    found = places(domain("", "*", "2.5"))
    assert np.isnan(found[0])
    assert found[1:].tolist() == [np.inf, 2.5]
    assert range_of(found, np.array([1.0])) == 1.5
    assert range_of(np.array([np.nan])) == 0.0


def test_combinations_are_known_where_all_values_are_listed():
    listed = Listed(np.zeros((2, 3)))
    assert cells([listed, listed]) == 9
    assert cells([listed, alike(domain("1"), domain("1"), 1.0)]) is None
