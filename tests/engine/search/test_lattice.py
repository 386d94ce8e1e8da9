"""Numbers of nodes: in the order of levels, above what lies below."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from worker.engine.search.lattice import LARGEST, Lattice

BOUNDS = [[(0, 0)], [(0, 3)], [(1, 2), (0, 2)], [(0, 1), (2, 4), (0, 0), (1, 3)]]


@pytest.mark.parametrize("bounds", BOUNDS)
def test_numbers_are_in_the_order_of_levels(bounds: list[tuple[int, int]]) -> None:
    lattice = Lattice.of_bounds(bounds)
    nodes = list(product(*(range(low, high + 1) for low, high in bounds)))
    assert lattice.size == len(nodes)
    assert [lattice.levels(number) for number in range(lattice.size)] == nodes
    assert lattice.nodes(np.arange(lattice.size)) == nodes


def test_a_climb_adds_its_stride() -> None:
    lattice = Lattice.of_bounds([(0, 2), (1, 3)])
    assert lattice.levels(0) == (0, 1)
    assert lattice.levels(lattice.strides[0]) == (1, 1)
    assert lattice.levels(lattice.strides[1]) == (0, 2)


def test_what_is_too_large_is_told_exactly() -> None:
    lattice = Lattice.of_bounds([(0, 9)] * 30)
    assert lattice.size == 10**30
    assert not lattice.is_searchable
    assert "Use fewer quasi-identifiers" in str(lattice.too_large())
    assert Lattice.of_bounds([(1, LARGEST)]).is_searchable
    assert not Lattice.of_bounds([(0, LARGEST)]).is_searchable
