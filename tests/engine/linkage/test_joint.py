"""Classes laid over one another."""

import numpy as np
import pytest

from worker.engine.linkage.joint import Joint, mean_chance
from worker.engine.linkage.releases import Standing


class Classes(list):
    """A table of which only the number of its classes is asked."""


def standing(*classes, hidden=()):
    number = max(classes) + 1
    marks = np.isin(np.arange(number), hidden)
    return Standing(Classes(range(number)), np.array(classes), marks, by_row=True)


def test_rows_that_share_all_classes_are_counted():
    joint = Joint.of([standing(0, 0, 0, 1, -1), standing(0, 1, 1, 1, 0)], None)
    assert joint.sizes.tolist() == [1, 2, 2, 1]
    assert joint.rows.tolist() == [True, True, True, True, False]
    assert (joint.smallest, joint.unique) == (1, 2)


def test_suppressed_everywhere_is_in_no_joint_class():
    joint = Joint.of([standing(0, 1, 1, hidden=(0,)), standing(0, 0, 1, hidden=(0,))], None)
    assert joint.rows.tolist() == [False, True, True]


def test_persons_are_counted_once():
    joint = Joint.of([standing(0, 0, 0), standing(0, 0, 0)], np.array([7, 7, 8]))
    assert joint.sizes.tolist() == [2, 2, 2]


def test_nobody_has_no_chance():
    assert mean_chance(np.array([], np.int64)) is None
    assert mean_chance(np.array([0, 2])) == pytest.approx(0.25)
