"""Counting the tuples of a set of columns, in cells or by numbers, against plain counting."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from worker.engine.io import tuples
from worker.engine.io.identifying import Scan
from worker.engine.io.sketch import Ones, mixed
from worker.engine.io.tuples import Coded, Domain, Rows, Tuples

TABLES = st.lists(
    st.tuples(st.integers(0, 4), st.integers(0, 9), st.integers(0, 60)), min_size=1, max_size=80
)


def batch(rows: Sequence[tuple[int, ...]]) -> list[Coded]:
    """Each column with the values of these rows alone, and one that no row has."""
    columns = []
    for values in zip(*rows, strict=True):
        labels, codes = np.unique(values, return_inverse=True)
        numbers = np.append(mixed(labels.astype(np.uint64) + np.uint64(1)), np.uint64(0))
        columns.append(Coded(codes.astype(np.int32), numbers))
    return columns


def counted(rows: Sequence[tuple[int, ...]], borders: list[int]) -> Tuples:
    """The set of all columns, in batches."""
    names = [f"c{place}" for place in range(len(rows[0]))]
    whole = Tuples(Scan(names)._way(tuple(names)))
    domains = [Domain(place) for place in range(len(names))]
    for first, last in pairwise([0, *borders, len(rows)]):
        whole.see(Rows(batch(rows[first:last]), domains))
    return whole


@pytest.mark.parametrize(("cells", "few"), [(1 << 17, 1 << 11), (400, 1 << 11), (1 << 17, 12), (1, 1)])
@given(TABLES, st.integers(1, 5))
@settings(deadline=None, max_examples=40)
def test_values_may_come_at_any_time(cells: int, few: int, rows: list[tuple[int, ...]], parts: int) -> None:
    """Cells grow with the values, and become numbers when there are too many of them."""
    borders = sorted({len(rows) * part // parts for part in range(1, parts)} - {0})
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tuples, "CELLS", cells)
        patch.setattr(tuples, "FEW_VALUES", few)
        found = counted(rows, borders)
    assert found.is_exact
    assert found.unique_error == 0
    once = sum(times == 1 for times in Counter(rows).values())
    assert found.unique_share == pytest.approx(once / len(rows))
    assert not found.began_unique


def test_few_values_are_counted_without_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    def noted(*_given: object) -> None:
        raise AssertionError("a number was noted")

    monkeypatch.setattr(Ones, "add_rows", noted)
    rows = [(value % 5, value % 90) for value in range(2000)]
    assert counted(rows, [700]).unique_share == 0


def test_what_came_again_in_cells_did_not_begin_unique(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also when it is not among the first that get a number."""
    monkeypatch.setattr(tuples, "EXACT", 64)
    monkeypatch.setattr(tuples, "SAMPLED", 16)
    monkeypatch.setattr(tuples, "FEW_VALUES", 150)
    rows = [(value,) for value in range(400)]
    assert counted(rows, [100]).began_unique
    assert not counted([*rows[:99], rows[98], *rows[99:]], [100]).began_unique


def test_a_set_of_many_columns_has_no_cells() -> None:
    """Not even where none holds a value: an array has only so many dimensions."""
    empty = Coded(np.zeros(3, np.int32), np.zeros(1, np.uint64))
    names = tuple(f"c{place}" for place in range(80))
    scan = Scan(names)
    scan.see(dict.fromkeys(names, empty))
    assert {entry["unique_share"] for entry in scan.result()} == {0.0}
