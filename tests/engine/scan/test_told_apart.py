"""Tallies of classes, by hand."""

import numpy as np
import pytest

from worker.engine.scan.told_apart import NOTHING, Tally, ToldApart, tallied


def test_classes_are_tallied_and_add_up():
    tally = tallied(np.array([1, 0, 3, 1]))
    assert tally == Tally(combinations=3, ones=2, squares=11)
    assert tally.plus(NOTHING).plus(Tally(1, 0, 4)) == Tally(4, 2, 15)


def test_shares_are_of_rows_and_of_pairs():
    told = ToldApart.of(Tally(3, 2, 11), 5)
    assert (told.singled_out, told.distinction) == (0.4, 0.6)
    assert told.separation == pytest.approx(7 / 10), "three pairs of ten are equal"
    assert ToldApart.of(Tally(1, 1, 1), 1).separation is None
    assert ToldApart.of(Tally(3, 2, 11), 5, everybody=4).singled_out == 0.5
