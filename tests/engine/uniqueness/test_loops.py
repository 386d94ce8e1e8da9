"""Loops of the population models against closed forms and the library's own."""

import math

import numpy as np
import pytest
from scipy import special

from worker.engine.uniqueness.loops import drawn_once, psi


def test_closed_forms():
    euler = 0.5772156649015329
    assert psi(1.0) == pytest.approx((-euler, math.pi**2 / 6), rel=1e-13)
    assert psi(0.5) == pytest.approx((-euler - 2 * math.log(2), math.pi**2 / 2), rel=1e-13)


def test_equals_the_library_over_fourteen_decades():
    x = np.logspace(-6, 8, 300)
    found = np.array([psi(float(one)) for one in x])
    assert found[:, 0] == pytest.approx(special.digamma(x), rel=1e-12, abs=1e-14)
    assert found[:, 1] == pytest.approx(special.polygamma(1, x), rel=1e-12)


@pytest.mark.parametrize(("people", "rows"), [(40, 10), (40, 39), (52, 52), (1000, 10)])
def test_one_of_a_class_is_drawn_as_urns_say(people, rows):
    sizes = range(1, 11)
    ways = [size * math.comb(people - size, rows - 1) / math.comb(people, rows) for size in sizes]
    for size, expected in zip(sizes, ways, strict=True):
        found = drawn_once(float(people), float(rows), np.array([float(size)]), np.ones(1))
        assert found == pytest.approx(expected, rel=1e-12)
    together = drawn_once(float(people), float(rows), np.array(sizes, float), np.full(10, 3.0))
    assert together == pytest.approx(3 * sum(ways), rel=1e-12)
