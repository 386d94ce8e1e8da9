"""Filters of questions: what a row satisfies, and which comparisons are the same."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from worker.engine.dp.conditions import MOST_VALUES, Condition, satisfied
from worker.engine.tables.column import Column
from worker.engine.tables.kinds import Kind
from worker.engine.tables.table import Table

NUMBERS = ["5", "5.0", "7", "-1", "", "x"]
DAYS = ["2020-01-31", "2020-02-01", "", "soon", "2019-12-31", "2020-02-01"]
WORDS = ["a", "b", "A", "", "b", "c"]


def rows(column: str, op: str, *values: Any) -> list[int]:
    """The places of the rows that satisfy it."""
    texts = {"n": (NUMBERS, Kind.DECIMAL), "d": (DAYS, Kind.DATE), "w": (WORDS, Kind.CATEGORICAL)}
    table = Table((Column.of_texts(name, own, kind) for name, (own, kind) in texts.items()), 0, 6)
    found = satisfied(table, [Condition(column=column, op=op, values=values)])  # type: ignore[arg-type]
    return [at for at, one in enumerate(found) if one]


@pytest.mark.parametrize(
    ("op", "values", "found"),
    [
        ("is", ["5"], [0, 1]),
        ("is", ["5.00"], [0, 1]),
        ("in", ["5", "7"], [0, 1, 2]),
        ("below", [5], [3]),
        ("at-most", [5], [0, 1, 3]),
        ("above", [5], [2]),
        ("at-least", ["5"], [0, 1, 2]),
        ("between", [-1, 5], [0, 1, 3]),
        ("between", [6, 5], []),
    ],
)
def test_numbers(op: str, values: list[Any], found: list[int]) -> None:
    assert rows("n", op, *values) == found


def test_a_missing_value_satisfies_nothing_but_is_not() -> None:
    for op in ("below", "at-most", "above", "at-least"):
        assert not {4, 5} & set(rows("n", op, 0))
    assert {4, 5} <= set(rows("n", "is-not", "5"))


@pytest.mark.parametrize(
    ("op", "values", "found"),
    [
        ("below", ["2020-02-01"], [0, 4]),
        ("at-least", ["2020-02-01"], [1, 5]),
        ("between", ["2020-01-01", "2020-01-31"], [0]),
        ("is", ["2020-02-01"], [1, 5]),
    ],
)
def test_days(op: str, values: list[str], found: list[int]) -> None:
    assert rows("d", op, *values) == found


def test_words() -> None:
    assert rows("w", "is", "b") == [1, 4]
    assert rows("w", "is-not", "b") == [0, 2, 3, 5]
    assert rows("w", "in", "a", "c") == [0, 5]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (("is", ["5"]), ("in", ["5.0"])),
        (("in", ["7", "5", "5.00"]), ("in", ["5", "7"])),
        (("below", ["05"]), ("below", ["5.0"])),
    ],
)
def test_one_spelling_for_one_meaning(one: tuple[str, list[str]], other: tuple[str, list[str]]) -> None:
    said = [Condition(column="n", op=op, values=values) for op, values in (one, other)]  # type: ignore[arg-type]
    assert said[0].canonical(Kind.DECIMAL) == said[1].canonical(Kind.DECIMAL)


def test_ends_are_not_exchanged() -> None:
    said = [Condition(column="n", op="between", values=values) for values in (("1", "2"), ("2", "1"))]
    assert said[0].canonical(Kind.DECIMAL) != said[1].canonical(Kind.DECIMAL)


def test_what_is_no_place() -> None:
    assert Condition(column="n", op="below", values=("x",)).places(Kind.DECIMAL) is None
    assert Condition(column="d", op="below", values=("5",)).places(Kind.DATE) is None


@pytest.mark.parametrize("values", [[], ["x"] * (MOST_VALUES + 1), [True], [None]])
def test_values_that_are_refused(values: list[Any]) -> None:
    with pytest.raises(ValidationError):
        Condition(column="n", op="in", values=values)  # type: ignore[arg-type]
