"""What rounding leaves of noise, judged against noise that was drawn and rounded."""

import numpy as np
import pytest

from worker.engine.perturbation.rounded_noise import may_undo, rounded_variance, said_of_rounding
from worker.engine.tables.drawing import unit_noise

ROWS = 1_000_000


@pytest.mark.parametrize("shape", ["gaussian", "laplace", "uniform"])
@pytest.mark.parametrize("deviation", [0.15, 0.3, 0.5, 1.0, 4.9, 5.1, 20.0])
@pytest.mark.parametrize("places", [0, 2])
def test_the_variance_is_that_of_rounded_draws(shape, deviation, places):
    step = 10.0**-places
    drawn = np.rint(deviation * unit_noise(np.random.default_rng(1), shape, ROWS)) * step
    squares = drawn**2
    error = 6.2 * squares.std() / np.sqrt(ROWS) + 1e-12
    assert rounded_variance(shape, deviation * step, places) == pytest.approx(squares.mean(), abs=error)


def test_no_noise_leaves_none():
    assert rounded_variance("gaussian", 0.0, 0) == 0.0
    assert rounded_variance("gaussian", 1e-9, 0) == 0.0


def test_rounding_is_told_of_only_where_it_gave_values_back():
    def said(changed: int, cells: int):
        return said_of_rounding("1 decimals", {"changed_cells": changed, "noisy_cells": cells})

    assert said(60, 100) == said(0, 0) == said_of_rounding("1 decimals", {}) == ()
    assert "none of the values" in said(0, 100)[0]
    assert "about 2.5\u00a0%" in said(25, 1000)[0]


def test_what_rounding_may_undo_is_worth_counting():
    assert may_undo(0.0, 0)
    assert may_undo(4.9, 0)
    assert not may_undo(5.1, 0)
    assert not may_undo(0.051, 2)
