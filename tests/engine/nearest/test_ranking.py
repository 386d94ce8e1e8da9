"""Members told from others: every pair compared."""

import random

import numpy as np
import pytest

from worker.engine.nearest.ranking import Scores


@pytest.mark.parametrize("seed", range(40))
def test_auc_is_the_share_of_pairs_and_its_error_delongs(seed):
    draw = random.Random(seed)
    values = draw.choice([3, 100])
    members, others = (
        [draw.randrange(values) + shift for _ in range(draw.randrange(2, 30))] for shift in (1, 0)
    )
    wins = [[(a > b) + (a == b) / 2 for b in others] for a in members]
    auc = sum(map(sum, wins)) / len(members) / len(others)
    rows = [sum(line) / len(others) for line in wins]
    columns = [sum(line[i] for line in wins) / len(members) for i in range(len(others))]
    spread = sum(sum((x - auc) ** 2 for x in part) / (len(part) - 1) / len(part) for part in (rows, columns))
    found = Scores(np.array(members, float), np.array(others, float)).told
    half = 1.959963984540054 * spread**0.5
    assert found.value == pytest.approx(auc, abs=1e-9)
    assert (found.low, found.high) == pytest.approx((max(0, auc - half), min(1, auc + half)), abs=1e-9)


def test_known_answers():
    two, one = np.array([2.0, 3.0]), np.array([1.0, 0.0])
    assert Scores(two, one).told.value == 1
    assert Scores(one, two).told.value == 0
    assert Scores(one, one).told.value == 0.5
    curve = Scores(np.array([4.0, 2.0]), np.array([3.0, 1.0])).curve((0.0, 0.5, 1.0))
    assert curve == (0.5, 1.0, 1.0)
