"""Loops over trees of tuples against plain loops over pairs of rows."""

import math
import random

import numpy as np
import pytest

from tests.engine.linkage.costs_oracle import BECAME, SOURCE, WAS, random_costs, random_tuples, whole
from worker.engine.linkage.attackers import Release
from worker.engine.linkage.quasi_identifiers import Key
from worker.engine.tables.frequency import Domain
from worker.engine.tables.kinds import Kind


@pytest.mark.parametrize("seed", range(150))
def test_rows_before_the_own_one_and_as_good_are_counted(seed):
    draw = random.Random(seed)
    costs = random_costs(draw)
    originals, released = (random_tuples(draw, len(costs), size) for size in (WAS, BECAME))
    number, most = draw.randrange(1, 6), draw.choice([1, 3])
    targets = np.array([draw.choice(originals.codes.tolist()) for _ in range(number)], np.int32)
    became = np.array([draw.choice(released.codes.tolist()) for _ in range(number)], np.int32)
    there = np.array([draw.random() < 0.8 for _ in range(number)])
    offsets = np.array([draw.choice([0.0, draw.gauss(0, 1), np.inf]) for _ in released.counts])
    blank = Domain("", Kind.TEXT, ("x",) * BECAME, np.zeros(BECAME, bool))
    key = Key(blank, blank, np.ones(WAS, np.int64), np.ones(BECAME, np.int64))
    release = Release(
        (key,) * len(costs), originals, released, targets, became, there, SOURCE, most, np.arange(number)
    )
    found = release._standings(costs, offsets)
    for target in range(number):
        scores = [whole(costs, targets[target], y) + o for y, o in zip(released.codes, offsets, strict=True)]
        own = scores[released.codes.tolist().index(became[target].tolist())]
        if not there[target] or math.isinf(own):
            assert found.before[target] == most
            continue
        less, same = counted(scores, released.counts, own)
        assert found.before[target] == min(less, most)
        if less < most:
            assert found.level[target] == same


def counted(scores, counts, own):
    slack = 1e-9 * max(1.0, abs(own))
    each = list(zip(scores, counts.tolist(), strict=True))
    less = sum(rows for score, rows in each if score < own - slack)
    return less, sum(rows for score, rows in each if abs(score - own) <= slack)
