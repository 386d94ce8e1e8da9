"""What opens at a figure follows from its declaration, and is worked out on the numbers of the page."""

from __future__ import annotations

from typing import Any

import pytest

from stewardapp.presenters.how_to_read import how_to_read, worked
from worker.engine.contracts.figure import Figure

NO_BREAK = "\u00a0"
SIZE = Figure("size", "Size", "How many.", unit="count", better="high", usual=(3, None))
RISK = Figure(
    "risk", "Risk", "1 ÷ size.", unit="share", better="low", usual=(0, 0.2), example="1 ÷ {size} = {risk}"
)
PLAIN = Figure("part", "Part", "A part.", unit="share")


def test_a_declared_example_is_worked_out_with_the_figures_of_the_page() -> None:
    assert worked(RISK, (SIZE, RISK), {"size": 4, "risk": 0.25}) == f"1 ÷ 4 = 25{NO_BREAK}%"


@pytest.mark.parametrize("found", [{}, {"risk": 0.25}, {"risk": 0.25, "size": None}])
def test_an_example_without_its_numbers_is_left_out(found: dict[str, Any]) -> None:
    assert worked(RISK, (SIZE, RISK), found) == ""


def test_direction_usual_range_and_source_are_words() -> None:
    told = how_to_read(RISK, "no-such-measure")
    assert (told.direction, told.usual) == ("Lower is better.", f"0{NO_BREAK}% to 20{NO_BREAK}%")
    assert (told.sources, told.measure) == ((), "")
    known = how_to_read(SIZE, "reidentification")
    assert known.sources
    assert known.measure == "reidentification"


@pytest.mark.parametrize(
    ("value", "before", "words"),
    [
        (0.043, None, f"4.3{NO_BREAK}%: about 43 of 1\u202f000"),
        (0.043, 0.5, f"4.3{NO_BREAK}%: about 43 of 1\u202f000, it was 50{NO_BREAK}% in the original"),
        (0.0, None, ""),
        (True, None, ""),
        (None, 0.5, ""),
        ({"age": 0.5}, None, ""),
    ],
)
def test_a_share_without_an_example_is_so_many_of_a_thousand(value: Any, before: Any, words: str) -> None:
    assert how_to_read(PLAIN, "gone", {"part": value}, before).example == words
