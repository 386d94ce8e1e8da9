"""What a judge says of classes by several goals at once."""

import numpy as np
import pytest

from worker.engine.goals.k_anonymity import KAnonymity
from worker.engine.search.judging import Judge, sized


class Relative(KAnonymity):
    """One that is asked of the whole release."""

    @property
    def relative(self):
        return True


def judge(*ks, drop=False, limit=0):
    return Judge([KAnonymity(k=k) for k in ks], limit, drop)


def test_what_two_goals_force_out_is_no_more_than_the_stricter_one_does():
    """Who adds them up passes over nodes that are good."""
    classes = sized(np.array([1, 2, 3, 9]))
    assert judge(2).forced(classes).tolist() == [1, 0, 0, 0]
    assert judge(2, 3).forced(classes).tolist() == judge(3, 2).forced(classes).tolist() == [1, 2, 0, 0]


@pytest.mark.parametrize(("drop", "forced"), [(False, [2]), (True, [0])])
def test_of_dropped_rows_goals_about_the_whole_release_force_none(drop, forced):
    one = Judge([Relative(k=3)], 0, drop)
    assert one.forced(sized(np.array([2]))).tolist() == forced


@pytest.mark.parametrize(("limit", "feasible"), [(2, False), (3, True)])
def test_up_to_the_limit_rows_may_go(limit, feasible):
    one, classes = judge(3, limit=limit), sized(np.array([1, 2, 5]))
    assert one.feasible(classes, one.kept(classes)) is feasible
