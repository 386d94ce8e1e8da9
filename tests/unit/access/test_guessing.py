"""How long who guesses has to wait."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from stewardapp.access.guessing import FIRST, FORGOTTEN, FREE, LONGEST, Guessed, Shared, pause

ROOT = Path(__file__).resolve().parents[3]
NOW = datetime(2026, 5, 4, 12, tzinfo=UTC)


def test_the_first_guesses_are_free_and_then_each_wait_is_twice_the_one_before() -> None:
    waits = [pause(wrong, 5) for wrong in range(1, 9)]
    assert waits == [timedelta()] * 4 + [FIRST, 2 * FIRST, 4 * FIRST, 8 * FIRST]
    assert pause(10**9, 5) == LONGEST


def test_nobody_guesses_a_hundred_times_in_a_day() -> None:
    """What a password of twelve letters has to stand."""
    at, guesses, count = NOW, 0, Guessed()
    while at < NOW + timedelta(days=1):
        count, guesses = count.once_more(Shared.ACCOUNT, at), guesses + 1
        at += count.wait(at) or timedelta(seconds=1)
    assert 90 < guesses <= 110


@pytest.mark.parametrize("shared", list(Shared))
def test_each_is_listened_to_at_first_and_not_at_once_after_the_last_free_one(shared: Shared) -> None:
    count = Guessed()
    for _ in range(FREE[shared] - 1):
        count = count.once_more(shared, NOW)
        assert not count.wait(NOW)
    assert count.once_more(shared, NOW).wait(NOW) == FIRST
    assert not count.once_more(shared, NOW).wait(NOW + FIRST)


def test_a_right_guess_forgives_what_came_before_except_to_a_whole_address() -> None:
    left = {shared: Guessed(7, NOW, NOW).proved(shared).wrong for shared in Shared}
    assert left == {shared: 6 if shared is Shared.ADDRESS else 0 for shared in Shared}
    assert Guessed().proved(Shared.ADDRESS).wrong == 0


def test_what_is_long_ago_is_forgotten() -> None:
    count = Guessed(7, NOW, NOW + LONGEST)
    assert count.at(NOW + FORGOTTEN) == Guessed()
    assert count.at(NOW + FORGOTTEN - timedelta(seconds=1)) == count
    assert Guessed().at(NOW) == Guessed()


def test_the_page_for_signing_in_says_what_holds() -> None:
    """Its sentence writes out two numbers; whoever changes them finds it here."""
    said = " ".join((ROOT / "templates/account/login.html").read_text(encoding="utf-8").split())
    assert "After five wrong guesses each further one waits longer, up to fifteen minutes" in said
    assert (FREE[Shared.ACCOUNT], LONGEST) == (5, timedelta(minutes=15))
