"""Loops over trees of tuples against plain loops over pairs of rows."""

import math
import random

import numpy as np
import pytest

from tests.engine.linkage.costs_oracle import BECAME, SOURCE, WAS, random_costs, random_tuples, whole
from worker.engine.linkage.attackers import Release
from worker.engine.linkage.costs import LINEAR, SQUARE, WINDOW, Apart
from worker.engine.linkage.likelihoods import _believed, _over
from worker.engine.linkage.quasi_identifiers import Key
from worker.engine.linkage.tuples import Tuples
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


@pytest.mark.parametrize("seed", range(3))
def test_boxes_that_are_passed_over_hold_nothing_that_counts(seed):
    draw, rows = np.random.default_rng(seed), 2500
    places = draw.normal(size=(3, rows)) * [[1], [5], [0.1]]
    places[0, draw.integers(0, rows, 3)] = [np.nan, np.inf, np.nan]
    centres = np.where(np.isfinite(places), places, 0.0)
    kinds = (SQUARE, LINEAR, WINDOW)
    columns = zip(places, centres, kinds, strict=True)
    costs = tuple(
        Apart(was, draw.uniform(0.5, 2, rows), draw.normal(size=rows), became, kind, 2.0)
        for became, was, kind in columns
    )
    codes = np.tile(np.arange(rows, dtype=np.int32)[:, None], 3)
    released = Tuples(codes, draw.integers(1, 4, rows))
    targets, offsets = np.arange(0, rows, 200), draw.normal(size=rows)
    blank = Domain("", Kind.TEXT, ("x",) * rows, np.zeros(rows, bool))
    key = Key(blank, blank, np.ones(rows, np.int64), np.ones(rows, np.int64))
    release = Release(
        (key,) * 3, released, released, codes[targets], codes[targets], np.ones(len(targets), bool),
        SOURCE, 50, targets,
    )  # fmt: skip
    found = release._standings(costs, offsets)
    believed = _believed(costs, codes[targets], released, np.exp(-offsets))
    likely = _over(costs, codes[targets], np.ones(len(targets)), released, 5.0)
    every = np.zeros(rows)
    for number, target in enumerate(targets.tolist()):
        scores = np.array([whole(costs, codes[target], y) for y in codes])
        less, same = counted(scores + offsets, released.counts, scores[target] + offsets[target])
        assert found.before[number] == min(less, 50)
        assert less >= 50 or found.level[number] == same
        each = np.exp(-scores - offsets)
        assert believed[0, number] == pytest.approx((released.counts * each).sum(), rel=1e-12)
        assert believed[1, number] == pytest.approx(each.max(), rel=1e-12)
        every += np.exp(-scores)
    assert likely == pytest.approx(every, rel=1e-9, abs=1e-12 * math.exp(-5))
