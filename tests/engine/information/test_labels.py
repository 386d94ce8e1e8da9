"""What labels leave open, by hand."""

import pytest

from tests.engine.information.pairs import by_reading, pairs_of
from worker.engine.information.labels import declared_hierarchy, open_shares
from worker.engine.tables.declaration import HierarchySpec
from worker.engine.tables.kinds import Kind

LINES = HierarchySpec(lines=("a;ab;*", "b;ab;*", "c;cd;*", "d;cd;*"))


def shares(pairs, kind=Kind.CATEGORICAL, spec=None):
    table = pairs_of(pairs, kind)
    found = open_shares(table, kind, spec)
    return None if found is None else by_reading(table, found)


def test_by_rows_of_the_hierarchy():
    found = shares([("a", "ab"), ("b", "b"), ("c", "*")], spec=LINES)
    assert found == pytest.approx({"ab": 1 / 3, "b": 0, "*": 1})


def test_without_a_hierarchy_by_what_is_found_under_a_label():
    found = shares([("a", "a or b"), ("b", "a or b"), ("c", "c"), ("c", "*")])
    assert found == {"a or b": 0.5, "c": 0, "*": 1}


def test_intervals_by_their_width_within_the_range():
    found = shares([("0", "[-5, 5["), ("10", "10"), ("8", "8-9"), ("", "")], Kind.INTEGER)
    assert found == pytest.approx({"[-5, 5[": 0.5, "10": 0, "8-9": 0.1, "": 0})


def test_one_value_leaves_nothing_to_say():
    assert shares([("a", "*")]) is shares([("1", "1"), ("", "")], Kind.INTEGER) is None


def test_a_hierarchy_that_does_not_fit_is_none():
    domain = pairs_of([("a", "a")]).domains[0]
    assert declared_hierarchy(HierarchySpec(lines=("a;b", "b")), domain) is None
    assert declared_hierarchy(None, domain) is None
