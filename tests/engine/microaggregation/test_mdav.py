"""MDAV equals its definition row for row; the univariate partition is the best; k … 2 k − 1 rows a group."""

import math
import statistics
from functools import lru_cache
from unittest import mock

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from worker.engine.microaggregation import shell
from worker.engine.microaggregation.mdav import mdav
from worker.engine.microaggregation.partitions import middles, principal_component, scaled, univariate

SIZES = st.tuples(st.integers(1, 5), st.integers(1, 3))
NUMBERS = st.integers(0, 6).map(float) | st.floats(-5, 5, allow_subnormal=False)
CASES = SIZES.flatmap(
    lambda kd: st.tuples(
        st.just(kd[0]), st.lists(st.tuples(*[NUMBERS] * kd[1]), min_size=kd[0], max_size=110)
    )
)


def silent(_fraction):
    """Nobody looks."""


def groups_of(rows, k):
    return mdav([np.array(column, float) for column in zip(*rows, strict=True)], k, silent)


class Defined:
    """MDAV straight from its definition in plain Python; sums and distances in the order of the columns."""

    def __init__(self, points, k):
        self.points, self.k = points, k
        self.left, self.groups = list(range(len(points[0]))), []
        self.sums = [0.0] * len(points)
        for j, column in enumerate(points):
            for value in column:
                self.sums[j] += value

    def far(self, i, centre):
        total = 0.0
        for column, at in zip(self.points, centre, strict=True):
            total += (column[i] - at) * (column[i] - at)
        return total

    def farthest(self, centre):
        return max(self.left, key=lambda i: (self.far(i, centre), -i))

    def take(self, row):
        self.left.remove(row)
        centre = [column[row] for column in self.points]
        near = sorted(self.left, key=lambda i: (self.far(i, centre), i))[: self.k - 1]
        self.groups.append([row, *near])
        self.left = [i for i in self.left if i not in near]
        for i in [row, *near]:
            for j, column in enumerate(self.points):
                self.sums[j] -= column[i]
        return centre

    def all_groups(self):
        while len(self.left) >= 2 * self.k:
            both = len(self.left) >= 3 * self.k
            first = self.take(self.farthest([total / len(self.left) for total in self.sums]))
            if both:
                self.take(self.farthest(first))
        return [*self.groups, self.left]


def defined(points, k):
    of = [0] * len(points[0])
    for number, rows in enumerate(Defined(points, k).all_groups()):
        for i in rows:
            of[i] = number
    return of


@settings(max_examples=150, deadline=None)
@given(case=CASES, room=st.sampled_from([1, 5, 512]))
def test_mdav_equals_its_definition(case, room):
    k, rows = case
    columns = [np.array(column, float) for column in zip(*rows, strict=True)]
    with mock.patch.object(shell, "LEAST_ROOM", room):
        found = groups_of(rows, k).tolist()
    expected = defined(scaled(columns).tolist(), k) if k > 1 else list(range(len(rows)))
    assert found == expected


def test_mdav_of_many_rows_equals_its_definition():
    points = np.random.default_rng(3).normal(size=(3, 1500))
    assert mdav(list(points), 4, silent).tolist() == defined(scaled(list(points)).tolist(), 4)


def defined_of_many(points, k):
    """The same definition, where distances to all rows are computed at once."""
    left, of, sums = (
        np.ones(points.shape[1], bool),
        np.zeros(points.shape[1], np.int32),
        np.zeros(len(points)),
    )
    for j, column in enumerate(points):
        sums[j] = np.add.accumulate(column)[-1]

    def far(centre):
        total = np.zeros(points.shape[1])
        for column, at in zip(points, centre, strict=True):
            total += (column - at) * (column - at)
        return total

    def take(row, group):
        left[row] = False
        distance = np.where(left, far(points[:, row]), np.inf)
        for i in [row, *np.argsort(distance, kind="stable")[: k - 1]]:
            left[i], of[i] = False, group
            sums[:] -= points[:, i]
        return group + 1

    group = 0
    while left.sum() >= 2 * k:
        both = left.sum() >= 3 * k
        first = int(np.argmax(np.where(left, far(sums / left.sum()), -1.0)))
        group = take(first, group)
        if both:
            group = take(int(np.argmax(np.where(left, far(points[:, first]), -1.0))), group)
    of[left] = group
    return of


@pytest.mark.parametrize(
    "kind", ["normal", "few values", "heavy tails", "sorted", "one column", "far from zero", "one distance"]
)
@pytest.mark.parametrize(("size", "k"), [(4500, 7), (4200, 80), (64, 3), (65, 3), (129, 2)])
def test_mdav_equals_its_definition_where_there_are_many_blocks(kind, size, k):
    draw = np.random.default_rng(size)
    points = {
        "normal": lambda: draw.normal(size=(4, size)),
        "few values": lambda: draw.integers(0, 7, (3, size)).astype(float),
        "heavy tails": lambda: draw.standard_cauchy(size=(2, size)) ** 3,
        "sorted": lambda: np.sort(draw.normal(size=(2, size))),
        "one column": lambda: draw.normal(size=(1, size)),
        "far from zero": lambda: 1e9 + draw.normal(size=(3, size)),
        "one distance": lambda: np.array([np.cos(np.arange(size)), np.sin(np.arange(size))]),
    }[kind]()
    expected = defined_of_many(scaled(list(points)), k)
    assert mdav(list(points), k, silent).tolist() == expected.tolist()


@pytest.mark.parametrize("size", [5, 64, 300, 4097])
def test_mdav_of_equal_rows_takes_them_in_their_order(size):
    expected = defined_of_many(np.zeros((1, size)), 5)
    assert mdav([np.full(size, 7.0)], 5, silent).tolist() == expected.tolist()


def test_mdav_of_many_rows_has_groups_of_k_and_one_last():
    sizes = np.bincount(mdav(list(np.random.default_rng(1).normal(size=(3, 10_003))), 4, silent))
    assert set(sizes[:-1].tolist()) == {4}
    assert 4 <= sizes[-1] < 8


def test_mdav_stops_when_told():
    class Stop(Exception):
        pass

    def stop(fraction):
        raise Stop

    with pytest.raises(Stop):
        mdav(list(np.random.default_rng(1).normal(size=(2, 500))), 3, stop)


def test_columns_weigh_alike_whatever_their_unit():
    points = np.random.default_rng(2).normal(size=(2, 300))
    grams = [points[0], 1024 * points[1]]
    assert mdav(list(points), 3, silent).tolist() == mdav(grams, 3, silent).tolist()


@settings(max_examples=150, deadline=None)
@given(
    values=st.lists(st.floats(-100, 100, allow_subnormal=False), min_size=2, max_size=14), k=st.integers(1, 4)
)
def test_univariate_has_the_least_sum_of_squares(values, k):
    if len(values) < k:
        return
    ordered = sorted(values)

    def squares(part):
        mean = statistics.fmean(part)
        return math.fsum((x - mean) ** 2 for x in part)

    @lru_cache(None)
    def best(end):
        starts = range(0, end - k + 1)
        return min((best(at) + squares(ordered[at:end]) for at in starts), default=math.inf) if end else 0.0

    of = univariate(np.array(values), k).tolist()
    parts = [[x for x, g in zip(values, of, strict=True) if g == one] for one in set(of)]
    assert sum(map(squares, parts)) <= best(len(values)) + 1e-6
    assert all(k <= len(part) < 2 * k for part in parts)


def test_univariate_is_not_misled_by_a_large_mean():
    values = np.array([0.0, 0.1, 0.2, 5.0, 5.1, 5.2])
    assert univariate(values + 1e9, 3).tolist() == univariate(values, 3).tolist() == [0, 0, 0, 1, 1, 1]


def test_principal_component_groups_neighbours_on_a_line():
    line = np.array([5.0, 1.0, 4.0, 2.0, 3.0, 0.0, 6.0])
    of = principal_component([line, 2 * line, np.zeros(7)], 3)
    assert {tuple(sorted(line[of == g])) for g in set(of.tolist())} == {(0, 1, 2), (3, 4, 5, 6)}


def test_principal_component_follows_the_direction_of_the_widest_spread():
    draw = np.random.default_rng(5)
    main = draw.normal(size=2000)
    columns = [main + 0.1 * draw.normal(size=2000), -3 * main + 0.1 * draw.normal(size=2000)]
    of = principal_component(columns, 4)
    ranks = np.argsort(np.argsort(main))
    spread = [np.ptp(ranks[of == g]) for g in range(of.max() + 1)]
    assert np.median(spread) < 200  # of 2 000; along any other direction it would be several times that
    sizes = np.bincount(of)
    assert sizes.min() >= 4
    assert sizes.max() < 8


def test_middles_are_means_and_medians():
    column, of = np.array([1.0, 2.0, 6.0, 10.0, 20.0]), np.array([0, 0, 0, 1, 1], np.int32)
    assert middles(column, of, median=False).tolist() == [3, 3, 3, 15, 15]
    assert middles(column, of, median=True).tolist() == [2, 2, 2, 15, 15]
