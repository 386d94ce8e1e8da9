"""Times relative to now."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from stewardapp.presenters.times import absolute, relative, when

NOW = datetime(2030, 5, 17, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0, "just now"),
        (44, "just now"),
        (50, "1 minute ago"),
        (100, "2 minutes ago"),
        (2_800, "1 hour ago"),
        (7_200, "2 hours ago"),
        (80_000, "1 day ago"),
        (29 * 86_400, "29 days ago"),
        (31 * 86_400, "16 April 2030"),
        (-10, "in a moment"),
        (-3_600, "in 1 hour"),
        (-40 * 86_400, "26 June 2030"),
    ],
)
def test_words(seconds: int, words: str) -> None:
    assert relative(NOW - timedelta(seconds=seconds), NOW) == words


def test_the_whole_moment_stands_beside_it() -> None:
    assert 'datetime="2030-05-17T' in when(NOW)
    assert "17 May 2030, " in when(NOW)
    assert absolute(NOW).startswith("17 May 2030, ")


def test_what_never_was() -> None:
    assert when(None) == absolute(None) == "–"
