"""Sets of columns are counted as somebody would who compares every row with every other."""

import pytest

from tests.engine.scan.brute_force import sets_of, told_apart
from tests.engine.scan.tables import NAMES, compared, drawn, tuples_of
from worker.engine.scan.counting import Table
from worker.engine.scan.subsets import scan


@pytest.mark.parametrize("seed", range(45))
def test_every_set_is_that_of_a_plain_comparison(seed):
    values, persons = drawn(seed)
    found = scan(Table(tuples_of(values, persons)), 3)
    assert sorted(found.sets) == sorted(sets_of(NAMES, 3))
    assert found.is_whole
    compared(found.sets, values, persons)


@pytest.mark.parametrize("seed", range(20))
def test_a_further_column_never_lowers_what_is_told_apart(seed):
    values, persons = drawn(seed)
    found = scan(Table(tuples_of(values, persons)), 4).sets
    for names, one in found.items():
        for part in (tuple(name for name in names if name != other) for other in names if len(names) > 1):
            assert found[part].singled_out <= one.singled_out
            assert found[part].distinction <= one.distinction
            assert (found[part].separation or 0) <= (one.separation or 0)


@pytest.mark.parametrize("seed", range(20))
def test_where_time_is_short_what_was_left_out_is_bounded(seed):
    values, persons = drawn(seed)
    table = Table(tuples_of(values, persons))
    found = scan(table, 3, most_work=12 * table.rows)
    assert len(found.sets) <= 12 < found.possible
    assert not found.is_whole
    compared(found.sets, values, persons)
    left = (names for names in sets_of(NAMES, 3) if names not in found.sets)
    assert all(told_apart(values, NAMES, names, persons)[0] <= found.at_most + 1e-12 for names in left)


def test_of_the_smallest_sets_no_part_suffices():
    values = {"a": list("wxyz"), "b": list("ppqq"), "c": list("rsrs"), "d": list("tttt"), "e": list("tttt")}
    found = scan(Table(tuples_of(values)), 3)
    assert found.smallest(0.5) == [("a",), ("b", "c")]
    constant = {name: ["t"] * 4 for name in NAMES}
    assert scan(Table(tuples_of(constant)), 3).smallest(0.5) == []


def test_of_no_rows_nothing_is_said():
    found = scan(Table(tuples_of({name: [] for name in NAMES})), 3)
    assert (found.sets, found.possible, found.smallest(0.1)) == ({}, 0, [])
