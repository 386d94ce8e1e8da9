"""Distances by hand."""

import numpy as np
import pytest

from tests.engine.information.pairs import pairs_of
from worker.engine.information.distances import Distances
from worker.engine.tables.kinds import Kind


def of(pairs, kind=Kind.INTEGER):
    return Distances.of(pairs_of(pairs, kind), kind)


def total(distances):
    return float(np.dot(distances.errors, distances.counts))


def test_a_number_says_itself_and_a_label_the_median_under_it():
    assert total(of([("1", "4"), ("2", "low"), ("3", "low"), ("9", "low")])) == 3 + 1 + 0 + 6
    assert total(of([("1", "low"), ("2", "low")])) == 1


def test_a_missing_original_is_nowhere_and_a_missing_reading_is_a_label():
    found = of([("", "4"), ("2", ""), ("4", "")])
    assert (found.rows, total(found)) == (2, 2)


def test_days_are_as_far_apart_as_in_the_calendar():
    assert total(of([("2020-02-28", "2020-03-01"), ("2020-01-05", "2020-01-05")], Kind.DATE)) == 2


def test_who_knows_nothing_says_the_median_of_all():
    found = of([("1", "x"), ("2", "x"), ("2", "x"), ("9", "y")])
    assert found.without_knowing() == 8
    assert found.deviation() == pytest.approx(np.std([1, 2, 2, 9], ddof=1))


def test_of_one_row_nothing_deviates():
    assert of([("1", "x")]).deviation() == of([("1", "x")]).without_knowing() == 0
