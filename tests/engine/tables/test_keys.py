"""Packed keys: sorting finds what numpy's own functions find, which look keys up one by one."""

import ast
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from worker import engine
from worker.engine.tables import keys
from worker.engine.tables.keys import (
    LIMIT,
    Packed,
    Packer,
    distinct,
    group,
    grouped,
    ordered,
    pack,
    places_in,
    ranked,
)

NUMBERS = st.lists(st.integers(-(2**61), 2**61) | st.integers(0, 9)).map(lambda one: np.array(one, np.int64))


@given(NUMBERS | st.lists(st.integers(-(2**63), 2**63 - 1)).map(lambda one: np.array(one, np.int64)))
def test_numbers_are_in_order_whichever_way_they_are_sorted(numbers):
    for least in (1, keys.DEALT_FROM):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(keys, "DEALT_FROM", least)
            for given_ in (numbers, numbers.astype(np.float64)):
                order = ordered(given_)
                assert np.array_equal(np.sort(order), np.arange(len(numbers)))
                assert np.array_equal(given_[order], np.sort(given_))


@given(NUMBERS)
def test_what_occurs_and_where(numbers):
    values, ids = np.unique(numbers, return_inverse=True)
    assert np.array_equal(distinct(numbers), values)
    found, own = ranked(numbers)
    assert np.array_equal(found, values)
    assert np.array_equal(own, ids.reshape(-1))


@given(NUMBERS, NUMBERS)
def test_places_are_those_of_numpy_however_many_are_asked(known, numbers):
    known = np.unique(known)
    with pytest.MonkeyPatch.context() as patch:
        for fewest in (0, 1 << 14):
            patch.setattr(keys, "SORTED_FROM", fewest)
            assert np.array_equal(places_in(known, numbers), np.searchsorted(known, numbers))


@given(NUMBERS.map(np.abs))
def test_groups_are_in_order_and_know_their_first_row(numbers):
    _, first, ids = np.unique(numbers, return_index=True, return_inverse=True)
    for dense in (0, keys.DENSE):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(keys, "DENSE", dense)
            found = group(numbers)
        assert np.array_equal(found.ids, ids.reshape(-1))
        assert np.array_equal(found.first, first)


@given(st.lists(st.tuples(*(st.integers(0, 4) for _ in range(4))), min_size=1))
def test_tuples_too_wide_for_a_key_keep_their_order(rows):
    columns = list(np.array(rows).T)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(keys, "LIMIT", 40)
        packer = Packer((5, 5, 5, 5))
        made = packer.fit(columns, len(rows))
        assert np.array_equal(made, packer.apply(columns, len(rows)))
    order = {row: place for place, row in enumerate(sorted(set(rows)))}
    assert np.array_equal(np.unique(made, return_inverse=True)[1], [order[row] for row in rows])


def test_nobody_looks_distinct_numbers_up_one_by_one():
    """Without one of its options `np.unique` of whole numbers takes eighty times as long as sorting them."""
    slow = []
    for path in sorted(Path(engine.__path__[0]).rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and ast.unparse(node.func) == "np.unique" and not node.keywords:
                slow.append(f"{path.name}: {ast.unparse(node)}")
    assert slow == []


LENGTHS = (0, 1, 3, keys.DEALT_FROM - 1, keys.DEALT_FROM, keys.DEALT_TO, keys.DEALT_TO + 1)


@pytest.mark.parametrize("number", LENGTHS)
def test_long_and_short_lists_are_counted_alike(number):
    draw = np.random.default_rng(number)
    given = draw.integers(0, max(number, 1) * 100, number)
    before = given.copy()
    found = grouped(given, None, LIMIT)
    assert (given == before).all()
    known = np.unique(before, return_counts=True)
    for one in (found, grouped(given, None, LIMIT, spent=True)):
        assert all(np.array_equal(part, other) for part, other in zip(one, known, strict=True))


@pytest.mark.parametrize("number", LENGTHS)
@pytest.mark.parametrize("least", [0, -(2**63)])
def test_long_and_short_lists_are_added_up_alike(number, least):
    draw = np.random.default_rng(number)
    given = draw.integers(least, least + max(number, 1) * 3, number)
    given[:2] = (least, 2**63 - 1)[: min(number, 2)]
    counts = draw.integers(0, 5, number)
    before = given.copy(), counts.copy()
    found = grouped(given, counts, LIMIT)
    assert (given == before[0]).all()
    assert (counts == before[1]).all()
    values, ids = np.unique(before[0], return_inverse=True)
    sums = np.zeros(len(values), np.int64)
    np.add.at(sums, ids, counts)
    assert np.array_equal(found.keys, values)
    assert np.array_equal(found.counts, sums)


def test_packed_columns_are_those_they_were_made_of():
    draw, sizes = np.random.default_rng(1), (4, 256, 1 << 16)
    columns = [draw.integers(0, size, 500) for size in sizes]
    packed = Packed(pack(columns, sizes, 500), sizes)
    assert len(packed) == 3
    assert [len(one) for one in packed.few(4)] == [4, 4, 4]
    assert all((one == other).all() for one, other in zip(packed, columns, strict=True))
    assert (packed[1:][0] == columns[1]).all()
    assert [len(one) for one in packed.few(4)] == [4, 4, 4]
    assert packed.nbytes == 500 * 8
