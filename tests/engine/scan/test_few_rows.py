"""Sets of columns of few rows, sorted many at once."""

import numpy as np
import pytest

from tests.engine.scan.brute_force import sets_of
from tests.engine.scan.tables import NAMES, compared, drawn, tuples_of
from worker.engine.scan import few_rows
from worker.engine.scan.counting import Table
from worker.engine.scan.few_rows import in_few_rows
from worker.engine.scan.rows import Rows
from worker.engine.scan.told_apart import Tally


@pytest.mark.parametrize("way", [{}, {"AT_ONCE": 1}, {"MOST_COLUMNS": 2}])
@pytest.mark.parametrize("seed", range(1, 21))
def test_however_many_are_sorted_at_once_the_result_is_the_same(monkeypatch, way, seed):
    for name, value in way.items():
        monkeypatch.setattr(few_rows, name, value)
    values, persons = drawn(seed)
    compared(Table(tuples_of(values, persons)).told_apart(sets_of(NAMES, 5)), values, persons)


def test_combinations_stand_for_as_many_rows_as_they_do():
    codes = {"a": np.array([70, 3, 3, 70]), "b": np.array([0, 0, 1, 1])}
    rows = Rows(codes, {"a": 99, "b": 2}, np.array([1, 1, 1 << 27, 2]))
    found = dict(in_few_rows(rows, [("a",), ("a", "b")]))
    assert found["a",] == Tally(2, 0, 9 + (2 + (1 << 27) - 1) ** 2)
    assert found["a", "b"] == Tally(4, 2, 6 + (1 << 54))


def test_every_combination_has_a_number_of_its_own():
    number = few_rows.FEW_ROWS
    codes = {name: np.random.default_rng(at).permutation(number) for at, name in enumerate("abcdef")}
    rows = Rows(codes, dict.fromkeys(codes, number), np.ones(number, np.int64))
    (_, tally) = next(in_few_rows(rows, [tuple(codes)]))
    assert tally == Tally(number, number, number)
    assert number**few_rows.MOST_COLUMNS <= 1 << 62


def test_of_many_columns_no_table_is_planned_for_each_set(monkeypatch):
    """Forty rows of sixty-four columns have forty thousand sets of three."""
    names = [f"c{at}" for at in range(64)]
    values = {name: [str((row * 31 + at * 7) % 5) for row in range(40)] for at, name in enumerate(names)}
    monkeypatch.setattr(
        "worker.engine.scan.counting.in_cells", lambda rows, sets: iter([*map(pytest.fail, sets)])
    )
    assert len(Table(tuples_of(values)).told_apart(sets_of(tuple(names), 3))) == 43_744
