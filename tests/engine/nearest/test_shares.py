"""Shares, their intervals, and what one is above another."""

import math
import random

import pytest

from tests.engine.nearest.made_up import wilson
from worker.engine.nearest.shares import Share, advantage, difference


def test_known_intervals():
    found = Share.of(10, 100)  # as printed in textbooks
    assert (found.low, found.high) == pytest.approx((0.05522914, 0.17436566), abs=1e-7)
    assert Share.of(0, 30).low == 0
    assert Share.of(30, 30).high == 1
    found = difference(Share.of(56, 70), Share.of(48, 80))  # Newcombe (1998), table II, (a), method 10
    assert (found.value, found.low, found.high) == pytest.approx((0.2, 0.0524, 0.3339), abs=1e-4)


@pytest.mark.parametrize("seed", range(40))
def test_intervals_hold_what_was_found(seed):
    draw = random.Random(seed)
    tries = draw.randrange(1, 200)
    one, other = (Share.of(draw.random() * tries, tries) for _ in range(2))
    for share in (one, other):
        assert (share.low, share.high) == pytest.approx(wilson(share.value * tries, tries), abs=1e-9)
        assert 0 <= share.low <= share.value <= share.high <= 1
    gained = advantage(one, other)
    assert gained.value == pytest.approx((one.value - other.value) / (1 - other.value))
    assert gained.low <= gained.value <= gained.high
    bounded = gained.bounded()
    assert 0 <= bounded.low <= bounded.value <= bounded.high <= 1


def test_more_tries_make_narrower_intervals():
    widths = [one.high - one.low for one in (Share.of(tries / 4, tries) for tries in (20, 200, 2000))]
    assert widths == sorted(widths, reverse=True)


def test_no_advantage_where_strangers_fall_too():
    assert advantage(Share.of(30, 40), Share.of(30, 40)).value == 0
    assert advantage(Share.of(40, 40), Share.of(0, 40)).value == 1
    assert advantage(Share.of(40, 40), Share.of(40, 40)) is None


def test_the_interval_of_the_advantage_covers():
    """In 600 experiments the true advantage is missed in about one of twenty, and never in one of five."""
    draw, missed = random.Random(1), 0
    for _ in range(600):
        one, other = (Share.of(sum(draw.random() < p for _ in range(120)), 120) for p in (0.4, 0.25))
        found = advantage(one, other)
        missed += not found.low <= 0.2 <= found.high
    chance = sum(math.comb(600, k) * 0.05**k * 0.95 ** (600 - k) for k in range(missed, 601))
    assert chance > 1e-9
    assert missed
