"""Counts that add up, by least squares; compared with a general solver."""

import itertools

import numpy as np
import pytest

from worker.engine.dp.accuracy import Noise
from worker.engine.dp.cells import Cells, Grid
from worker.engine.dp.consistency import (
    fitted_cells,
    fitted_levels,
    level_variances,
    margin_variances,
    nearest_with_margins,
    nearest_with_total,
    one_way,
    shared_out,
)
from worker.engine.dp.layouts import Levels, WithLevels, WithMargins

RNG = np.random.default_rng(5)
PARENTS = (np.array([0, 0, 1, 1, 1, 2]), np.array([0, 0, 1]), np.array([0, 0]))
SIZES = (6, 3, 2, 1)


def margins_of(shape):
    """The matrix that measures a table: all cells, then each column's margin."""
    cells = np.eye(int(np.prod(shape))).reshape(*shape, -1)
    rows = [cells.reshape(-1, cells.shape[-1])]
    for axis in range(len(shape)):
        rows.append(cells.sum(axis=tuple(a for a in range(len(shape)) if a != axis)))
    return np.concatenate(rows)


def levels_matrix():
    rows = [np.eye(6)]
    for to, size in zip(PARENTS, SIZES[1:], strict=True):
        up = np.zeros((size, len(to)))
        up[to, np.arange(len(to))] = 1
        rows.append(up @ rows[-1])
    return np.concatenate(rows)


@pytest.mark.parametrize("shape", [(2, 3), (4, 1), (2, 3, 4)])
def test_a_cross_table_is_the_least_squares_solution(shape):
    matrix = margins_of(shape)
    measured = RNG.normal(size=len(matrix)) * 10
    size = int(np.prod(shape))
    ends = np.cumsum([size, *shape])
    margins = [measured[a:b] for a, b in itertools.pairwise(ends)]
    found = fitted_cells(measured[:size].reshape(shape), margins)
    expected = np.linalg.lstsq(matrix, measured, rcond=None)[0]
    np.testing.assert_allclose(found.ravel(), expected, atol=1e-9)
    covariance = np.linalg.inv(matrix.T @ matrix)
    cell, of_margins, total = margin_variances(shape)
    assert cell == pytest.approx(covariance[0, 0])
    assert total == pytest.approx(covariance.sum())
    for axis, variance in enumerate(of_margins):
        entry = np.take(np.arange(size).reshape(shape), 0, axis=axis).ravel()
        assert variance == pytest.approx(covariance[np.ix_(entry, entry)].sum())


def test_levels_are_the_least_squares_solution():
    matrix = levels_matrix()
    measured = RNG.integers(-1000, 1000, len(matrix)) * 1000.0
    ends = np.cumsum([0, *SIZES])
    levels = [measured[a:b] for a, b in itertools.pairwise(ends)]
    found = np.concatenate(fitted_levels(levels, PARENTS, False))
    expected = matrix @ np.linalg.lstsq(matrix, measured, rcond=None)[0]
    np.testing.assert_allclose(found, expected, atol=4)  # whole numbers that add up
    variances = np.concatenate(level_variances(SIZES, PARENTS))
    covariance = matrix @ np.linalg.inv(matrix.T @ matrix) @ matrix.T
    np.testing.assert_allclose(variances, np.diag(covariance))


@pytest.mark.parametrize("nonnegative", [False, True])
def test_parts_are_whole_and_add_up(nonnegative):
    for _ in range(200):
        parts = RNG.normal(size=RNG.integers(1, 12)) * 20
        total = int(RNG.integers(-20, 60))
        found = shared_out(parts, total, nonnegative)
        assert found.sum() == (max(total, 0) if nonnegative else total)
        assert not nonnegative or (found >= 0).all()
    assert shared_out(np.zeros(0), 0, nonnegative).tolist() == []


def table_and_margins(shape):
    """A noisy table and margins that some other table has, with entries that nobody is in."""
    other = RNG.poisson(3, shape) * RNG.integers(0, 2, shape) * 1.0
    other[0] = 0
    return other + RNG.normal(size=shape) * 5, one_way(other)


@pytest.mark.parametrize("shape", [(2, 3), (5, 4), (2, 3, 4)])
def test_the_nearest_table_keeps_its_margins_and_has_no_negative_cell(shape):
    """No table on the way to another feasible one is nearer: what makes a nearest point one."""
    for _ in range(30):
        full, margins = table_and_margins(shape)
        found = nearest_with_margins(full, margins)
        assert found.min() >= 0
        for own, wanted in zip(one_way(found), margins, strict=True):
            np.testing.assert_allclose(own, wanted, atol=0.5)
        for _ in range(20):
            other = nearest_with_margins(RNG.normal(size=shape) * 20, margins)
            assert ((found - full) * (other - found)).sum() >= -0.5 * np.abs(full).max() * len(shape)


def test_the_nearest_point_with_a_total():
    assert nearest_with_total(np.array([5.0, 1.0, -4.0]), 4).tolist() == [4.0, 0.0, 0.0]
    assert nearest_with_total(np.array([5.0, 3.0, -4.0]), 6).tolist() == [4.0, 2.0, 0.0]
    assert nearest_with_total(np.array([5.0, 3.0]), -1).tolist() == [0.0, 0.0]
    assert nearest_with_total(np.zeros(0), 3).tolist() == []


def two_columns():
    return WithMargins(Grid((Cells("x", tuple("abc")), Cells("y", tuple("stuv")))))


def tree():
    return WithLevels(
        Grid((Cells("x", tuple("abcdef")),)),
        Levels((tuple("abcdef"), tuple("ABC"), tuple("KL"), ("*",)), PARENTS),
    )


@pytest.mark.parametrize("make", [two_columns, tree])
@pytest.mark.parametrize("nonnegative", [False, True])
def test_errors_are_kept_and_every_total_adds_up(make, nonnegative):
    """19 of 20 figures of every sort lie within their stated error; with exact counts nothing changes."""
    layout = make()
    noise = Noise("laplace", 6.0, 3, 0.5)
    cells = RNG.integers(30, 200, layout.grid.size)
    exact = layout.measured(cells)
    true = layout.published(exact, nonnegative)
    errors, inside, rounds = np.array(layout.errors(noise)), 0, 600
    ratio = np.exp(-1 / noise.scale)
    for _ in range(rounds):
        drawn = RNG.geometric(1 - ratio, len(exact)) - RNG.geometric(1 - ratio, len(exact))
        found = layout.published(exact + drawn, nonnegative)
        inside = inside + (np.abs(found - true) <= errors)
        assert (
            layout.published(layout.measured(found[: layout.grid.size]), nonnegative).tolist()
            == found.tolist()
        )
    assert (inside / rounds > 0.93).all()
    assert (np.abs(found - true) <= layout.everywhere(noise) * 2).all()


@pytest.mark.parametrize("shape", [(30, 30, 30), (4, 900), (900, 4)])
def test_the_stated_errors_of_totals_of_many_cells_hold(shape):
    """What the totals tell of each cell is less than rounding it can show."""
    layout = WithMargins(
        Grid(tuple(Cells(str(n), tuple(map(str, range(size)))) for n, size in enumerate(shape)))
    )
    noise = Noise("laplace", 4.0, 4, 1)
    cells = RNG.poisson(2, layout.grid.size)
    exact, errors = layout.measured(cells), np.array(layout.errors(noise))[layout.grid.size :]
    true, inside, rounds = exact[layout.grid.size :], 0, 60
    ratio = np.exp(-1 / noise.scale)
    for _ in range(rounds):
        drawn = RNG.geometric(1 - ratio, len(exact)) - RNG.geometric(1 - ratio, len(exact))
        found = layout.published(exact + drawn, False)[layout.grid.size : -1]
        inside = inside + (np.abs(found - true) <= errors[:-1])
    assert (inside / rounds > 0.75).all()
    assert (inside / rounds).mean() > 0.93


def test_the_texts_of_a_cross_table():
    texts = two_columns().texts()
    assert texts[0][:4] == ["a"] * 4
    assert texts[0][12:] == ["a", "b", "c", "*", "*", "*", "*", "*"]
    assert texts[1][12:] == ["*", "*", "*", "s", "t", "u", "v", "*"]
