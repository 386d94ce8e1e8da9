"""A released file sorted, filtered and by its smallest classes, against a plain sort of the whole."""

from __future__ import annotations

import csv
import io
import random
from collections import Counter
from typing import Any

import pytest

from stewardapp.models import Artifact
from stewardapp.reads import arranged_table
from stewardapp.reads.arranged_table import ALIKE, Wanted, can_be_arranged, key_of
from stewardapp.reads.released_table import ROWS_PER_PAGE, released_page
from tests.unit.reads.test_released_table import artifact_of

pytestmark = pytest.mark.django_db
HEADERS = ("age", "sex", "income")
Rows = list[tuple[str, ...]]


def rows_of(seed: int, many: int = 90) -> Rows:
    draw = random.Random(seed)
    ages = ["[20, 30[", "[30, 40[", "*", "9"]
    return [(draw.choice(ages), draw.choice("FM*"), str(draw.randint(0, 50) * 10)) for _ in range(many)]


def file_of(rows: Rows) -> Artifact:
    text = io.StringIO()
    csv.writer(text).writerows([HEADERS, *rows])
    return artifact_of(text.getvalue().encode(), "text/csv", len(rows))


def all_pages(artifact: Artifact, keys: tuple[str, ...] = (), **asked: Any) -> tuple[Rows, list[int | None]]:
    first = released_page(artifact, Wanted(**asked), keys)
    pages = [released_page(artifact, Wanted(**asked, page=str(n + 1)), keys) for n in range(first.pages)]
    return [row for one in pages for row in one.rows], [size for one in pages for size in one.alike]


def test_sorted_by_a_column_of_numbers_both_ways() -> None:
    rows = rows_of(1)
    artifact = file_of(rows)
    upwards, _ = all_pages(artifact, sort="income")
    assert [int(row[2]) for row in upwards] == sorted(int(row[2]) for row in rows)
    assert Counter(upwards) == Counter(rows)
    downwards, _ = all_pages(artifact, sort="income", descending=True)
    assert [int(row[2]) for row in downwards] == sorted((int(row[2]) for row in rows), reverse=True)


def test_filtered_rows_are_all_that_hold_the_text() -> None:
    rows = rows_of(2)
    artifact = file_of(rows)
    found, _ = all_pages(artifact, column="age", text="20, 30")
    assert found == [row for row in rows if row[0] == "[20, 30["]
    page = released_page(artifact, Wanted(column="sex", text="f"))
    assert page.found == sum(row[1] == "F" for row in rows)
    assert len(page.rows) == min(ROWS_PER_PAGE, page.found)
    assert released_page(artifact, Wanted(column="age", text="nothing like that")).rows == ()


def test_an_unknown_column_neither_sorts_nor_filters() -> None:
    rows = rows_of(3)
    assert all_pages(file_of(rows), sort="gone", column="gone", text="x")[0] == rows


@pytest.mark.parametrize("seed", range(5))
def test_the_smallest_classes_come_first_and_are_told(seed: int) -> None:
    rows = rows_of(seed)
    artifact, keys = file_of(rows), ("age", "sex")
    sizes = Counter(row[:2] for row in rows)
    del sizes["*", "*"]
    shown, alike = all_pages(artifact, keys, sort=ALIKE)
    assert alike == [sizes.get(row[:2]) for row in shown]
    known = [size for size in alike if size is not None]
    assert known == sorted(known)
    assert alike[: len(known)] == known  # rows that form no class are last
    told = released_page(artifact, Wanted(), keys).smallest
    assert [one.rows for one in told] == sorted(sizes.values())[: arranged_table.SHOWN]
    assert all(sizes[tuple(value for _, value in one.values)] == one.rows for one in told)


def test_a_large_file_is_only_turned_over(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = rows_of(4)
    artifact = file_of(rows)
    assert can_be_arranged(artifact)
    monkeypatch.setattr(arranged_table, "MOST_ROWS", 10)
    page = released_page(artifact, Wanted(sort="income"), ("age",))
    assert not page.arrangeable
    assert page.rows == tuple(rows[:ROWS_PER_PAGE])
    assert page.smallest == ()


@pytest.mark.parametrize(
    ("texts", "ordered"),
    [
        (["10", "9", "-1"], ["-1", "9", "10"]),
        (["[30, 40[", "[4, 30["], ["[4, 30[", "[30, 40["]),
        (["b", "3", "a"], ["3", "a", "b"]),
    ],
)
def test_numbers_and_intervals_by_size_and_texts_after_them(texts: list[str], ordered: list[str]) -> None:
    assert sorted(texts, key=key_of) == ordered


def test_an_address_says_what_is_wanted() -> None:
    wanted = Wanted.of({"sort": "-age", "in": "sex", "holds": " F ", "page": "3"})
    assert wanted == Wanted("3", "age", True, "sex", "F")
    assert wanted.arranges
    assert not Wanted.of({"in": "sex"}).arranges
