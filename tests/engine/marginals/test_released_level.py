"""The level at which a column is released, by hand."""

import pytest

from tests.engine.information.pairs import pairs_of
from worker.engine.marginals.released_level import at_released_level
from worker.engine.tables.declaration import HierarchySpec

LINES = HierarchySpec(lines=("a;ab;abc;*", "b;ab;abc;*", "c;c1;abc;*", "d;d1;d2;*"))


def at_level(before, after, spec=LINES):
    old, new = (pairs_of([(text, text) for text in texts]).only(["original x"]) for texts in (before, after))
    return tuple(
        dict(zip(table.domains[0].column(table.codes[0]).texts(), table.counts.tolist(), strict=True))
        for table in at_released_level(old, new, spec)
    )


def test_the_original_goes_up_with_the_labels():
    assert at_level("aabcd", ["ab", "ab", "ab", "c1", "*"]) == (
        {"ab": 3, "c1": 1, "d1": 1},
        {"ab": 3, "c1": 1, "*": 1},
    )


def test_labels_of_several_levels_meet_at_the_highest():
    assert at_level("aabcd", ["a", "a", "abc", "c1", "d1"]) == ({"abc": 4, "d2": 1}, {"abc": 4, "d2": 1})


def test_missing_values_stay_missing():
    assert at_level(["a", "b", ""], ["ab", "", ""]) == ({"ab": 2, "": 1}, {"ab": 1, "": 2})


@pytest.mark.parametrize(
    ("after", "spec"),
    [
        ("ba*", LINES),
        (["ab", "zz", "*"], LINES),
        (["ab", "ab", "*"], None),
        (["ab"], HierarchySpec(lines=("a;ab",))),
    ],
)
def test_without_a_level_that_knows_all_labels_both_stay(after, spec):
    before, found = at_level("abc", after, spec)
    assert set(before) == set("abc")
    assert set(found) == set(after)
