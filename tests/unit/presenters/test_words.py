"""Numbers, times, shapes and sentences as pages print them."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest

from stewardapp.presenters import numbers, spark, status, steps, times
from stewardapp.presenters.identifying import identifying

NOW = datetime(2026, 1, 10, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("12345", "12\u202f345"),
        ("-1234567.25", "-1\u202f234\u202f567.25"),
        ("12", "12"),
        ("0.5", "0.5"),
        ("1e9", "1e9"),
        ("", ""),
        ("too few rows to say", "too few rows to say"),
    ],
)
def test_figures_of_answers(text, words):
    assert numbers.grouped(text) == words


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (30162, "30\u202f162"),
        (0, "0"),
        (None, "–"),
        ("", "–"),
        (-1234, "-1\u202f234"),
        ("many", "many"),
        (0.5, "0.5"),
    ],
)
def test_thousands(value, words):
    assert numbers.thousands(value) == words


@pytest.mark.parametrize(
    ("share", "words"),
    [
        (0, "0\u00a0%"),
        (1, "100\u00a0%"),
        (0.9999, ">\u202f99.9\u00a0%"),
        (0.0001, "<\u202f0.1\u00a0%"),
        (Decimal("0.2"), "20\u00a0%"),
        (None, "–"),
    ],
)
def test_a_share_is_never_rounded_to_all_or_nothing(share, words):
    assert numbers.percent(share) == words


@pytest.mark.parametrize(
    ("count", "words"),
    [
        (0, "0\u00a0B"),
        (999, "999\u00a0B"),
        (1000, "1.0\u00a0kB"),
        (999_950, "1.0\u00a0MB"),
        (21_474_836_480, "21.5\u00a0GB"),
    ],
)
def test_size(count, words):
    assert numbers.size(count) == words


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0.41, "0.4\u00a0s"),
        (59.6, "1\u00a0min"),
        (61, "1\u00a0min 1\u00a0s"),
        (3600, "1\u00a0h"),
        (90_000, "1\u00a0d 1\u00a0h"),
    ],
)
def test_duration(seconds, words):
    assert numbers.duration(seconds) == words


@pytest.mark.parametrize(
    ("ago", "words"),
    [
        (timedelta(seconds=5), "just now"),
        (timedelta(seconds=50), "1 minute ago"),
        (timedelta(minutes=90), "2 hours ago"),
        (timedelta(days=2), "2 days ago"),
        (timedelta(days=90), "12 October 2025"),
        (-timedelta(days=3), "in 3 days"),
    ],
)
def test_relative_times(ago, words):
    assert times.relative(NOW - ago, NOW) == words


def test_a_tiny_distribution_has_a_bar_per_value_and_a_name():
    drawn = spark.spark([0, 50, 100, 250], "Distribution of <age>")
    assert drawn.count("<rect") == 4
    assert 'y="12"' in drawn
    assert 'height="24"' in drawn
    assert 'aria-label="Distribution of &lt;age&gt;"' in drawn
    assert "style" not in drawn


def test_an_unknown_state_is_printed_as_it_is():
    assert status.status("half-way").word == "Half way"


def test_steps_before_the_current_one_are_done():
    shown = steps.release_steps("configure", {"tag": "/x/"})
    assert [step.state for step in shown] == ["done", "done", "current", "", "", "", ""]
    assert shown[1].url == "/x/"


def test_once_published_every_step_is_done():
    assert {step.state for step in steps.release_steps(steps.ALL_DONE)} == {"done"}


SCAN = [
    {"columns": ["age", "sex"], "unique_share": 0.25},
    {"columns": ["age", "sex", "zip"], "unique_share": 0.75},
]


def test_a_set_that_was_counted_is_exact_and_shows_its_parts():
    seen = identifying(SCAN, {"age": 0.1, "sex": 0.0, "zip": 0.4}, ["age", "sex", "zip"])
    assert (seen.share, seen.exact) == (0.75, True)
    assert [part.names for part in seen.subsets][:2] == [("zip",), ("age", "sex")]


def test_a_set_that_was_not_counted_has_a_lower_bound():
    seen = identifying(SCAN, {"job": 0.1}, ["age", "job", "sex"])
    assert (seen.share, seen.low, seen.high, seen.exact) == (None, 0.25, 1.0, False)


def test_the_empty_set_says_nothing():
    seen = identifying(SCAN, {}, [])
    assert (seen.share, seen.exact, seen.subsets) == (None, False, ())
