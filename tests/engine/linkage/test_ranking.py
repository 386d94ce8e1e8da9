"""Loops over trees of tuples against plain loops over pairs of rows."""

import math
import random

import numpy as np
import pytest

from worker.engine.contracts.channels import AddedNoise, RankWindow, Transitions
from worker.engine.contracts.traces import Trace
from worker.engine.linkage import likelihoods
from worker.engine.linkage.attackers import Release
from worker.engine.linkage.costs import ANYTHING, LINEAR, SQUARE, WINDOW, Alike, Apart, Listed
from worker.engine.linkage.distances import nearest_standings
from worker.engine.linkage.likelihoods import highest_belief, mean_likelihoods
from worker.engine.linkage.mechanisms import likelihood
from worker.engine.linkage.quasi_identifiers import Key
from worker.engine.linkage.tuples import Layout, Tuples
from worker.engine.randomness import Source, key_from_seed
from worker.engine.tables.frequency import Domain
from worker.engine.tables.kinds import Kind

SOURCE = Source(key_from_seed(1))
WAS, BECAME = 4, 5
"""Values of a column on either side."""


def random_costs(draw):
    """Columns of all kinds in any order, with impossible values, `*` and missing numbers among them."""
    costs = []
    for _ in range(draw.randrange(1, 5)):
        kind = draw.choice(["listed", "alike", "apart"])
        if kind == "listed":
            cells = [draw.choice([0.0, 0.5, draw.random(), np.inf]) for _ in range(WAS * BECAME)]
            costs.append(Listed(np.array(cells).reshape(WAS, BECAME)))
        elif kind == "alike":
            codes = [draw.choice([0, 1, 2, 3, -1, ANYTHING]) for _ in range(BECAME)]
            miss = draw.choice([1.0, np.inf])
            costs.append(Alike(np.arange(WAS, dtype=np.int32), np.array(codes, np.int32), miss))
        else:
            costs.append(random_numbers(draw))
    return tuple(costs)


def random_numbers(draw):
    centres = np.array([draw.choice([draw.randrange(5), np.nan]) for _ in range(WAS)], float)
    places = np.array(
        [draw.choice([draw.randrange(5), draw.random(), np.nan, np.inf]) for _ in range(BECAME)]
    )
    scales = np.array([draw.choice([0.0, 0.5, 2.0]) for _ in range(WAS)])
    bases = np.array([draw.choice([-1.0, 0.0, 0.7]) for _ in range(WAS)])
    return Apart(
        centres, scales, bases, places, draw.choice([LINEAR, SQUARE, WINDOW]), draw.choice([1.0, np.inf])
    )


def cost_of(one, was, became):
    if isinstance(one, Listed):
        return one.costs[was, became]
    if isinstance(one, Alike):
        return 0.0 if one.became[became] in (ANYTHING, one.was[was]) else one.miss
    centre, place = one.centres[was], one.places[became]
    if math.isinf(place):
        return 0.0
    if math.isnan(place) or math.isnan(centre):
        return 0.0 if math.isnan(place) and math.isnan(centre) else one.gone
    away = abs(place - centre)
    grown = {LINEAR: away * one.scales[was], SQUARE: away * away * one.scales[was]}
    if one.shape == WINDOW:
        return one.bases[was] if away <= one.scales[was] else math.inf
    return one.bases[was] + grown[one.shape]


def random_tuples(draw, columns, values):
    found = {tuple(draw.randrange(values) for _ in range(columns)) for _ in range(draw.choice([1, 4, 30]))}
    counts = [draw.randrange(1, 4) for _ in found]
    return Tuples(np.array(sorted(found), np.int32), np.array(counts, np.int64))


def whole(costs, was, became):
    return sum(cost_of(one, x, y) for one, x, y in zip(costs, was, became, strict=True))


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


@pytest.mark.parametrize("grid", [0, likelihoods.MOST_CELLS])
@pytest.mark.parametrize("seed", range(40))
def test_means_and_beliefs_are_sums_over_all_pairs(seed, grid, monkeypatch):
    monkeypatch.setattr(likelihoods, "MOST_CELLS", grid)
    draw = random.Random(seed)
    costs = random_costs(draw)
    if seed % 2:
        costs = tuple(one for one in costs if isinstance(one, Listed)) or (Listed(np.ones((WAS, BECAME))),)
    originals, released = (random_tuples(draw, len(costs), size) for size in (WAS, BECAME))
    mean = mean_likelihoods(costs, originals, released, SOURCE)
    pairs = [[math.exp(-whole(costs, x, y)) for x in originals.codes] for y in released.codes]
    rows = originals.counts.sum()
    expected = [float(np.dot(one, originals.counts)) / rows for one in pairs]
    assert mean.tolist() == pytest.approx(expected, rel=1e-9)
    highest = 0.0
    for x in originals.codes:
        likely = [
            math.exp(-whole(costs, x, y)) / m if m else 0.0
            for y, m in zip(released.codes, expected, strict=True)
        ]
        total = float(np.dot(likely, released.counts))
        highest = max(highest, max(likely) / total) if total else highest
    found = highest_belief(costs, originals.codes, released, mean)
    assert (found or 0.0) == pytest.approx(highest, rel=1e-9)


def test_a_sample_of_originals_is_near_the_mean_of_all(monkeypatch):
    draw = np.random.default_rng(1)
    codes = np.arange(4000, dtype=np.int32)[:, None]
    tuples = Tuples(codes, np.ones(4000, np.int64))
    numbers = draw.standard_normal(4000)
    cost = Apart(numbers, np.full(4000, 2.0), np.zeros(4000), numbers, SQUARE, np.inf)
    exact = mean_likelihoods([cost], tuples, tuples, SOURCE)
    monkeypatch.setattr(likelihoods, "MOST_PAIRS", 4000 * 1000)
    some = mean_likelihoods([cost], tuples, tuples, SOURCE)
    dense = exact > 0.1
    assert np.abs(some[dense] / exact[dense] - 1).max() < 0.25


@pytest.mark.parametrize("seed", range(60))
def test_nearest_points_are_those_of_all_distances(seed):
    """Whole numbers make many ties, of points that stand for several rows and of others as far away."""
    draw = np.random.default_rng(seed)
    size, width, most = int(draw.integers(1, 40)), int(draw.integers(1, 4)), int(draw.integers(1, 5))
    points = np.unique(draw.integers(0, 5, (size, width)), axis=0).astype(float) * 0.1
    counts = draw.integers(1, 4, len(points))
    targets = draw.integers(0, 5, (size, width)) * 0.1
    own = points[draw.integers(0, len(points), size)]
    there = draw.random(size) < 0.9
    found = nearest_standings(points, counts, targets, own, there, most)
    for target in range(size):
        far = np.sqrt(((points - targets[target]) ** 2).sum(axis=1))
        mine = np.sqrt(((own[target] - targets[target]) ** 2).sum())
        less = int(counts[far < mine - 1e-9].sum())
        assert found[target, 0] == (min(less, most) if there[target] else most)
        if there[target] and less < most:
            assert found[target, 1] == counts[np.abs(far - mine) <= 1e-9].sum()


def domain(*texts, kind=Kind.CATEGORICAL):
    return Domain("x", kind, tuple(texts), np.array([not text for text in texts]))


def key_of(was, became, channel, **more):
    ones = (np.ones(len(one), np.int64) for one in (was, became))
    return Key(was, became, *ones, channel=channel, **more)


def test_a_matrix_is_looked_up_by_category_and_others_stay():
    channel = Transitions(("a", "b"), np.array([[0.9, 0.1], [0.3, 0.7]]))
    cost = likelihood(key_of(domain("", "a", "b", "c"), domain("*", "", "b", "c"), channel))
    assert np.exp(-cost.costs).tolist() == pytest.approx(
        np.array([[1, 1, 0, 0], [1, 0, 0.1, 0], [1, 0, 0.7, 0], [1, 0, 0, 1]]), rel=1e-12
    )


@pytest.mark.parametrize(
    ("shape", "density"),
    [
        ("gaussian", lambda away: math.exp(-away * away / 8) / 2 / math.sqrt(2 * math.pi)),
        ("laplace", lambda away: math.exp(-abs(away) * math.sqrt(2) / 2) / 2 / math.sqrt(2)),
        ("uniform", lambda away: (abs(away) <= 2 * math.sqrt(3)) / 4 / math.sqrt(3)),
    ],
)
def test_noise_of_each_shape_has_its_density(shape, density):
    numbers = [domain(*map(str, range(-6, 7)), kind=Kind.DECIMAL) for _ in range(2)]
    cost = likelihood(key_of(*numbers, AddedNoise(2.0, shape)))
    places = numbers[0].numbers
    found = [[math.exp(-cost_of(cost, x, y)) for y in range(13)] for x in range(13)]
    assert found == [pytest.approx([density(y - x) for y in places], rel=1e-9) for x in places]


def test_ranks_bound_what_a_value_can_become():
    numbers = domain(*map(str, range(10)), kind=Kind.INTEGER)
    cost = likelihood(key_of(numbers, numbers, RankWindow(0.2)))
    possible = [[math.isfinite(cost_of(cost, x, y)) for y in range(10)] for x in range(10)]
    assert possible == [[abs(x - y) <= 2 for y in range(10)] for x in range(10)]


def test_what_was_kept_or_made_coarser_says_what_it_holds():
    town = domain("a", "b")
    kept = likelihood(key_of(town, domain("*", "a", "c"), None, trace=Trace.KEPT))
    assert [[cost_of(kept, x, y) for y in range(3)] for x in range(2)] == [
        [0, 0, math.inf],
        [0, math.inf, math.inf],
    ]


def test_a_tree_without_categories_has_one_leaf():
    numbers = Apart(np.zeros(3), np.ones(3), np.zeros(3), np.array([1.0, np.inf, 0.5]), LINEAR, 1.0)
    tree = Layout((numbers,)).tree(
        Tuples(np.array([[0], [1], [2]], np.int32), np.ones(3, np.int64)), np.zeros(3)
    )
    assert (tree.roots, tree.deep) == (1, 0)
    assert tree.order.tolist() == [2, 0, 1]
    assert tree.known.tolist() == [2]
