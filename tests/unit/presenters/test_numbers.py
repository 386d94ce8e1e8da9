"""Lengths of time and the ends of a hash."""

from __future__ import annotations

import pytest

from stewardapp.presenters.numbers import duration, short_hash


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (None, "–"),
        (0.04, "0.0 s"),
        (9.94, "9.9 s"),
        (10, "10 s"),
        (59.4, "59 s"),
        (60, "1 min"),
        (95, "1 min 35 s"),
        (3_600, "1 h"),
        (7_260, "2 h 1 min"),
        (90_000, "1 d 1 h"),
        (86_400 * 3 + 59, "3 d"),
    ],
)
def test_two_largest_units(seconds: float | None, text: str) -> None:
    assert duration(seconds).replace("\u00a0", " ").replace("\u202f", " ") == text


def test_both_ends_of_a_hash() -> None:
    assert short_hash("0123456789abcdef") == "012345…cdef"
    assert short_hash("0123456789ab") == "0123456789ab"
