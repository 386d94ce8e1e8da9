"""How numbers are written for people, whoever made the number."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from random import Random

import numpy as np
import pytest

from worker.engine import wording


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (30162, "30\u202f162"),
        (999, "999"),
        (-1234567, "-1\u202f234\u202f567"),
        (np.int64(30162), "30\u202f162"),
        (np.float64(30162.4), "30\u202f162"),
        (Decimal("12345.0"), "12\u202f345"),
        (Decimal("1e18") + 1, "1" + 5 * "\u202f000" + "\u202f001"),
        (Fraction(24691, 2), "12\u202f346"),
        (0.123456, "0.1235"),
        (999.94, "999.9"),
        (float("inf"), "inf"),
        (float("nan"), "nan"),
        (10**40, "10" + 13 * "\u202f000"),
        (True, "True"),
        (None, "–"),
        ("", "–"),
        ("10115", "10115"),
    ],
)
def test_a_number_stands_in_groups_of_three(value: object, words: str) -> None:
    assert wording.thousands(value) == words


def test_groups_are_where_python_sets_its_commas() -> None:
    draw = Random(4)
    numbers = [draw.randrange(-(10 ** draw.randint(1, 15)), 10 ** draw.randint(1, 15)) for _ in range(500)]
    assert [wording.thousands(one) for one in numbers] == [
        f"{one:,}".replace(",", wording.THIN) for one in numbers
    ]


def test_what_somebody_else_wrote_keeps_its_digits() -> None:
    assert wording.grouped("-1234567.123456789") == "-1\u202f234\u202f567.123456789"
    assert [wording.grouped(one) for one in ("1e9", "A 10", "", "0012345")] == [
        "1e9",
        "A 10",
        "",
        "12\u202f345",
    ]


@pytest.mark.parametrize(
    ("value", "unit", "words"),
    [(20, "%", "20\u00a0%"), (0.25, "%", "0.25\u00a0%"), (21475, "MiB", "21\u202f475\u00a0MiB")],
)
def test_a_unit_stands_apart_but_never_alone(value: float, unit: str, words: str) -> None:
    assert wording.measured(value, unit) == words


@pytest.mark.parametrize(
    ("count", "words"),
    [
        (None, "–"),
        (0, "0\u00a0B"),
        (999, "999\u00a0B"),
        (21_474_836_480, "21.5\u00a0GB"),
        (150_000_000, "150\u00a0MB"),
        (12_345_600_000_000_000, "12\u202f345.6\u00a0TB"),
    ],
)
def test_bytes(count: int | None, words: str) -> None:
    assert wording.size(count) == words
