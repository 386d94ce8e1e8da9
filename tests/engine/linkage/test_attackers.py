"""Who picks which row, and how sure one can be of a share."""

import math

import numpy as np
import pytest

from worker.engine.linkage.attackers import NORMAL, Standings, wilson


def test_ties_are_divided_among_the_first():
    found = Standings(np.array([0, 0, 1, 2, 3]), np.array([1, 4, 2, 4, 0]))
    assert found.among(1).tolist() == [1, 1 / 4, 0, 0, 0]
    assert found.among(3).tolist() == [1, 3 / 4, 1, 1 / 4, 0]


def test_the_interval_is_that_of_wilson():
    for end in wilson(0.3, 50):
        assert abs(0.3 - end) == pytest.approx(NORMAL * math.sqrt(end * (1 - end) / 50))
    assert wilson(0.0, 10)[0] == 0.0
    assert wilson(0.0, 0) == (0.0, 1.0)
