"""A matrix as typed: judged cell by cell and row by row, filled, normalised."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stewardapp.forms.matrix_draft import MatrixDraft, number_of, plain
from worker.engine.randomization import transition

SIZES = st.integers(2, 6)


def draft(*rows: str, groups: str = "", diagonal: str = "0.8") -> MatrixDraft:
    cells = tuple(tuple(row.split()) for row in rows)
    names = tuple("abcdef"[: len(rows)])
    return MatrixDraft(names, cells, tuple(groups or "1" * len(rows)), (), diagonal)


def sums(made: MatrixDraft) -> list[Fraction]:
    return [sum((Fraction(text) for text in row), Fraction()) for row in made.cells]


def test_a_row_that_does_not_sum_to_1_is_told_by_how_much() -> None:
    judged = draft("0.5 0.4", "0.25 0.75").judged()
    assert judged.row_errors == {0: "The row sums to 0.9 instead of 1: 0.1 is missing."}
    assert "0.1 too much" in draft("0.5 0.6", "0 1").judged().row_errors[0]
    assert not judged.is_valid
    assert draft("1/3 x", "0,5 0,5").judged().cell_errors.keys() == {(0, 0), (0, 1)}


@pytest.mark.parametrize("text", ["-0.1", "1.1", "nan", "inf", "1e999999", "0.1.2", "½", "x"])
def test_what_is_no_probability_is_told_at_its_cell(text: str) -> None:
    judged = draft(f"{text} 1", "0 1").judged()
    assert set(judged.cell_errors) == {(0, 0)}
    assert judged.row_errors == {}


@given(SIZES, st.decimals(0, 1, places=4), st.data())
def test_a_filled_matrix_keeps_at_least_the_diagonal_and_the_engine_accepts_it(
    size: int, keep: object, data: st.DataObject
) -> None:
    groups = data.draw(st.lists(st.sampled_from(["", "1", "2"]), min_size=size, max_size=size))
    blank = tuple(("",) * size for _ in range(size))
    names = tuple("abcdef"[:size])
    made = MatrixDraft(names, blank, tuple(groups), (), str(keep)).filled().judged()
    assert made.is_valid
    transition.require_matrix(made.matrix, size)
    assert sums(made) == [1] * size
    for i, row in enumerate(made.cells):
        assert Fraction(row[i]) >= Fraction(str(keep))
        for j, text in enumerate(row):
            assert i == j or Fraction(text) == 0 or groups[i] == groups[j] != ""


@given(st.lists(st.lists(st.integers(0, 50), min_size=3, max_size=3), min_size=3, max_size=3))
def test_normalised_rows_sum_to_exactly_1_and_empty_ones_stay(rows: list[list[int]]) -> None:
    made = draft(*(" ".join(map(str, row)) for row in rows)).normalised()
    for before, total in zip(rows, sums(made), strict=True):
        assert total == (1 if any(before) else 0)


def test_one_row_is_normalised_alone() -> None:
    made = draft("1 3", "1 1").normalised(0)
    assert made.cells == (("0.25", "0.75"), ("1", "1"))
    assert draft("x 3", "1 1").normalised(0).cells[0] == ("x", "3")
    assert draft("1 3", "1 1", diagonal="much").filled().cells[0] == ("1", "3")


def test_numbers_are_read_and_written_plainly() -> None:
    assert (number_of(""), number_of(" 0,25 "), number_of("x")) == (0, Fraction(1, 4), None)
    assert [plain(one) for one in (1, 0.5, 1e-06, 0.1 + 0.2)] == [
        "1",
        "0.5",
        "0.000001",
        "0.30000000000000004",
    ]
