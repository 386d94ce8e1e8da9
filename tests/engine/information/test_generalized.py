"""Bits and levels by hand."""

import pytest

from tests.engine.information.pairs import pairs_of
from worker.engine.information.generalized import bits_lost, gone, levels_climbed
from worker.engine.tables.declaration import HierarchySpec
from worker.engine.tables.kinds import Kind

LINES = HierarchySpec(lines=("a;ab;*", "b;ab;*", "c;cd;*", "d;cd;*"))


def test_bits_of_what_a_label_could_stand_for():
    assert bits_lost(pairs_of([("a", "ab"), ("b", "ab")]), None) == 2
    assert bits_lost(pairs_of([("a", "a"), ("b", "b")]), None) == 0
    assert bits_lost(pairs_of([("a", "*"), ("b", "b"), ("c", "c"), ("d", "d")]), None) == 2


def test_a_label_stands_for_values_whose_rows_are_suppressed_too():
    pairs = pairs_of([("a", "ab"), ("b", "*")])
    assert (bits_lost(pairs, None), bits_lost(pairs, LINES)) == (1, 2)


def test_levels_over_the_height():
    assert levels_climbed(pairs_of([("a", "ab"), ("c", "c")]), LINES) == 0.25
    assert levels_climbed(pairs_of([("a", "*"), ("c", "*")]), LINES) == 1
    assert levels_climbed(pairs_of([("a", "cd")]), LINES) is None
    assert levels_climbed(pairs_of([("z", "z")]), LINES) is None


def test_a_column_that_is_gone_is_all_stars():
    pairs = pairs_of([("a", "a"), ("b", "b"), ("b", "b")])
    assert bits_lost(gone(pairs.only(["original x"])), None) == pytest.approx(
        1.584962500721156 + 2 * 0.584962500721156
    )
    assert levels_climbed(gone(pairs_of([("1", "1")], Kind.INTEGER).only(["original x"])), None) == 1
