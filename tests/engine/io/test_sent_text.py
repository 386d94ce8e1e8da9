"""Text that somebody sent."""

from __future__ import annotations

import pytest

from worker.engine.io.sent_text import MOST, is_text, whole_number


@pytest.mark.parametrize("text", ["", "a\n", "ä語", "\U0001f600", "\ufffe"])
def test_text(text: str) -> None:
    assert is_text(text)


@pytest.mark.parametrize("text", ["a\0", "\0", "\ud800", "ä\udfff"])
def test_what_is_none(text: str) -> None:
    assert not is_text(text)


@pytest.mark.parametrize(("text", "number"), [("0", 0), ("7", 7), ("0042", 42), (str(MOST), MOST)])
def test_whole_numbers(text: str, number: int) -> None:
    assert whole_number(text) == number


@pytest.mark.parametrize(
    "text", ["", "-1", "+1", "1.0", "1e3", " 1", "²", "٣", "1_0", str(MOST + 1), "9" * 5_000]
)
def test_what_is_no_number(text: str) -> None:
    assert whole_number(text) is None


def test_an_own_bound() -> None:
    assert whole_number("99", most=99) == 99
    assert whole_number("100", most=99) is None
