"""Boxes of a lattice, against looking at every node."""

from __future__ import annotations

import random
from collections.abc import Callable

import numpy as np
import pytest

from worker.engine.search.lattice import Lattice
from worker.engine.search.marking import (
    ADD,
    LARGEST,
    MULTIPLY,
    mark_above,
    mark_below,
    node_of,
    raise_above,
    raise_below,
    steps_of,
)

JOIN: dict[int, Callable[[float, float], float]] = {
    ADD: lambda a, b: a + b,
    MULTIPLY: lambda a, b: a * b,
    LARGEST: max,
}


def drawn(seed: int) -> tuple[random.Random, Lattice, int]:
    chance = random.Random(seed)
    lows = [chance.randint(0, 2) for _ in range(chance.randint(1, 4))]
    lattice = Lattice.of_bounds([(low, low + chance.randint(0, 3)) for low in lows])
    return chance, lattice, chance.randrange(lattice.size)


def lies_below(lattice: Lattice, one: int, other: int) -> bool:
    return all(a <= b for a, b in zip(lattice.levels(one), lattice.levels(other), strict=True))


def below(lattice: Lattice, node: int) -> list[int]:
    return [one for one in range(lattice.size) if lies_below(lattice, one, node)]


def above(lattice: Lattice, node: int) -> list[int]:
    return [one for one in range(lattice.size) if lies_below(lattice, node, one)]


@pytest.mark.parametrize("seed", range(40))
def test_flags(seed: int) -> None:
    _, lattice, node = drawn(seed)
    shape, levels = lattice.shape(), np.array(lattice.levels(node))
    found = np.empty(len(levels), np.int64)
    steps_of(shape, node, found)
    assert found.tolist() == levels.tolist()
    assert node_of(shape, levels) == node
    flags = np.zeros(lattice.size, np.uint8)
    mark_below(shape, levels, flags, 1)
    mark_above(shape, levels, flags, 4)
    assert np.flatnonzero(flags & 1).tolist() == below(lattice, node)
    assert np.flatnonzero(flags & 4).tolist() == above(lattice, node)


@pytest.mark.parametrize("operation", JOIN)
@pytest.mark.parametrize("seed", range(15))
def test_bounds(seed: int, operation: int) -> None:
    chance, lattice, node = drawn(seed)
    levels, columns = np.array(lattice.levels(node)), len(lattice.counts)
    table = np.array([[chance.uniform(0, 3) for _ in range(9)] for _ in range(columns)])
    bounds = np.array([chance.uniform(0, 4) for _ in range(lattice.size)])
    expected = bounds.copy()
    for one in below(lattice, node):
        value = 1.0 if operation == MULTIPLY else 0.0
        for column, level in enumerate(lattice.levels(one)):
            value = JOIN[operation](value, table[column, level])
        expected[one] = max(expected[one], value + 0.25)
    raise_below(lattice.shape(), levels, bounds, table, operation, 0.25)
    assert bounds == pytest.approx(expected)
    for one in above(lattice, node):
        expected[one] = max(expected[one], 3.5)
    raise_above(lattice.shape(), levels, bounds, 3.5)
    assert bounds == pytest.approx(expected)
