"""What a k would cost, from the sets that a reading counted."""

import pytest

from stewardapp.presenters.counted_sets import Counted
from stewardapp.presenters.preflight import Coarser, preflight

HEIGHTS = {"age": 3, "sex": 1, "zip": 5}


def sets_of(**shares):
    return {frozenset(names.split("_")): Counted(share, 0.0) for names, share in shares.items()}


def test_what_k_costs_is_counted_in_rows_and_in_levels_that_spare_them():
    sets = sets_of(age_sex_zip=0.4, age_sex=0.01, sex=0.0, sex_zip=0.02)
    found = preflight(sets, ["age", "sex", "zip"], 10_000, HEIGHTS)
    assert found.words == "4\u202f000"
    assert found.coarser == Coarser(("age",), 3), "fewer levels than making the zip coarser"
    assert preflight(sets, ["age", "sex"], 10_000, HEIGHTS).coarser is None, "hardly a row"


@pytest.mark.parametrize(
    ("sets", "words"),
    [
        ({}, "not known how many"),
        (sets_of(age=0.1), "at least 100"),
        (sets_of(age_sex_zip=0.1), "at most 100"),
        (sets_of(age=0.1, age_sex_zip=0.3), "100 to 300"),
        ({frozenset(["age", "sex"]): Counted(0.2, 0.01)}, "about 200"),
    ],
)
def test_what_was_not_counted_has_bounds(sets, words):
    assert preflight(sets, ["age", "sex"], 1000, HEIGHTS).words == words


def test_at_worst_every_column_says_nothing_any_more():
    found = preflight(sets_of(age_sex=0.5, age=0.4), ["age", "sex"], 100, {"age": 3, "sex": None})
    assert found.coarser == Coarser(("age", "sex"), None)
