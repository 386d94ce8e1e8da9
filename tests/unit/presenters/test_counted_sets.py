"""Sets that a reading counted, and bounds of those that it did not."""

from stewardapp.presenters.counted_sets import Counted, between, counted
from stewardapp.presenters.identifying import smallest


def sets_of(**shares):
    return {frozenset(names.split("_")): Counted(share, 0.0) for names, share in shares.items()}


def test_the_smallest_sets_are_of_all_columns_that_leave_and_none_holds_another():
    found = smallest(
        sets_of(zip=0.01, lab=0.9, age_sex=0.3, age_zip=0.06, age_sex_zip=0.7), ["age", "sex", "zip"]
    )
    assert [(one.names, one.share) for one in found.sets] == [(("age", "sex"), 0.3), (("age", "zip"), 0.06)]
    found = smallest(sets_of(age_sex_zip=0.01, age=0.0), ["age", "sex"])
    assert (found.sets, found.most, found.harmless) == ((), 0.01, True)
    assert not smallest({}, ["age"]).harmless


def test_a_reading_of_before_knows_nothing_of_few_rows():
    scan = [{"columns": ["age", "sex"], "unique_share": 0.2}]
    assert counted(scan, {"age": None}, (), ("few_share", "few_error95")) == {}


def test_a_set_lies_between_its_parts_and_the_sets_around_it():
    sets = sets_of(age=0.1, age_sex_zip=0.3)
    found = between(sets, frozenset(["age", "sex"]))
    assert (found.share, found.low, found.high) == (None, 0.1, 0.3)
    assert between({}, frozenset(["age"])).unknown
