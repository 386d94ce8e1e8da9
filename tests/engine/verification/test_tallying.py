"""Combinations are counted exactly, however the rows come and wherever they are kept."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from worker.engine.verification import tallying
from worker.engine.verification.tallying import PARTS, Parts, Tally, distinct, parts_of

WIDE = st.sampled_from([0, 1, 2, -3, 2**40, 2**61])
ROWS = st.lists(st.tuples(WIDE, WIDE), max_size=30)


def columns(rows: list[tuple[int, int]]) -> list[np.ndarray]:
    return [np.array([row[at] for row in rows], np.int64) for at in (0, 1)]


@settings(max_examples=60, deadline=None)
@given(ROWS, st.integers(1, 9), st.sampled_from([1, 4, 1000]))
def test_they_are_counted_however_they_come(rows: list[tuple[int, int]], piece: int, merged: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tallying, "MERGE_AT", merged)
        tally = Tally(float("inf"))
        for start in range(0, len(rows), piece):
            assert tally.add(columns(rows[start : start + piece]))
        assert tally.add(columns([]))
        found = tally.taken()
    told = {} if not found else {(a, b): n for a, b, n in zip(*(c.tolist() for c in found), strict=True)}
    assert told == Counter(rows)
    assert list(told) == sorted(told)
    assert tally.columns() == []


def test_more_than_may_be_held_are_to_be_taken() -> None:
    tally = Tally(3)
    assert tally.add(columns([(0, 0), (1, 1), (0, 0)]))
    assert not tally.add(columns([(2, 2), (0, 1)]))


@settings(max_examples=40, deadline=None)
@given(ROWS, st.sampled_from([0, 10_000]))
def test_parts_hold_equal_combinations_together(rows: list[tuple[int, int]], held: int) -> None:
    parts, codes = Parts(held), columns(rows)
    for _ in range(2):
        parts.deal(codes, parts_of(codes, len(rows)))
    found = [list(zip(*(one.tolist() for one in parts.take(at)), strict=True)) for at in range(PARTS)]
    assert Counter(row for some in found for row in some) == Counter(2 * rows)
    assert sum(len(set(some)) for some in found) == len(set(rows))
    assert not any(parts.take(at) for at in range(PARTS))
    assert list(zip(*(one.tolist() for one in distinct(*codes)), strict=True)) == sorted(set(rows))
