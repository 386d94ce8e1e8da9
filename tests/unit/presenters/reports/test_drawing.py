"""Charts as marks: as long as the numbers are large, within the sheet, nothing left out silently."""

from __future__ import annotations

from dataclasses import replace

import pytest

from stewardapp.presenters.reports.drawing import MOST_BARS, drawn
from stewardapp.presenters.reports.marks import Box, Dot, Drawing, Line, Words
from tests.unit.presenters.reports.sheets import LIMIT, chart, heat_map
from worker.engine.contracts.chart import Axis, Series


def boxes(drawing: Drawing, colour: str) -> list[Box]:
    return [one for one in drawing.marks if isinstance(one, Box) and one.colour == colour and one.height < 20]


def words(drawing: Drawing) -> list[str]:
    return [one.text for one in drawing.marks if isinstance(one, Words)]


def test_bars_are_as_long_as_their_numbers_are_large() -> None:
    after = [one.width for one in boxes(drawn(chart()), "after") if one.width != 12]
    before = [one.width for one in boxes(drawn(chart()), "before") if one.width != 12]
    assert after[1] / after[0] == pytest.approx(0.75 / 0.125)
    assert before[0] / after[1] == pytest.approx(0.5 / 0.75)


def test_numbers_stand_at_their_bars_and_names_beside_them() -> None:
    found = words(drawn(chart()))
    assert {"small", "large", "Before", "After", "12.5\u00a0%", "75\u00a0%"} <= set(found)


def test_a_whisker_reaches_as_far_as_the_error() -> None:
    series = (Series("count", ("a",), (10.0,), error=(2.0,)),)
    found = drawn(chart(series=series, y=Axis("Count")))
    bar = next(one for one in boxes(found, "after"))
    whisker = next(one for one in found.marks if isinstance(one, Line) and one.colour == "ink")
    (low, _), (high, _) = whisker.points
    assert (high - low) / bar.width == pytest.approx(4 / 10)
    assert (low + high) / 2 == pytest.approx(bar.x + bar.width)


def test_what_is_left_out_of_a_drawing_is_said() -> None:
    many = tuple(f"c{number}" for number in range(MOST_BARS + 5))
    found = words(drawn(chart(series=(Series("", many, (1.0,) * len(many)),))))
    assert any(f"The first {MOST_BARS} of {len(many)}" in one for one in found)
    assert not any("The first" in one for one in words(drawn(chart())))


def test_a_line_goes_through_its_points_and_a_step_jumps() -> None:
    line, step = drawn(chart("line")), drawn(chart("step"))
    assert [len(one.points) for one in line.marks if isinstance(one, Line) and one.colour == "after"][-1] == 2
    assert [len(one.points) for one in step.marks if isinstance(one, Line) and one.colour == "after"][-1] == 3
    assert sum(isinstance(one, Dot) for one in line.marks) == 4


def test_series_differ_by_their_strokes_too() -> None:
    lines = [one for one in drawn(chart("line")).marks if isinstance(one, Line)]
    assert {one.dash for one in lines if one.colour == "before"} == {"solid"}
    assert {one.dash for one in lines if one.colour == "after"} == {"dashed"}


@pytest.mark.parametrize("kind", ["bar", "line"])
def test_a_limit_is_drawn_with_its_words(kind: str) -> None:
    found = drawn(chart(kind, threshold=LIMIT))  # type: ignore[arg-type]
    assert LIMIT.label in words(found)
    assert any(isinstance(one, Line) and one.colour == "limit" for one in found.marks)


def test_a_heat_map_is_darkest_where_it_is_largest_and_empty_where_nothing_is() -> None:
    found = boxes(drawn(heat_map()), "after")
    assert len(found) == 5
    strengths = [one.strength for one in found]
    assert strengths[2] > strengths[4] > strengths[1] > strengths[3] > strengths[0]


@pytest.mark.parametrize(
    "made",
    [chart(), chart("line"), chart("step", threshold=LIMIT), chart("scatter"), heat_map(), chart(series=())],
    ids=["bar", "line", "step", "scatter", "heat map", "nothing"],
)
def test_every_mark_stands_on_the_sheet(made: object) -> None:
    found = drawn(made)  # type: ignore[arg-type]
    places = []
    for one in found.marks:
        if isinstance(one, Line):
            places += list(one.points)
        elif isinstance(one, Box):
            places += [(one.x, one.y), (one.x + one.width, one.y + one.height)]
        else:
            places.append((one.x, one.y))
    assert all(-1 <= x <= found.width + 1 and -6 <= y <= found.height + 1 for x, y in places)


def test_numbers_that_do_not_exist_are_passed_over() -> None:
    gap = (Series("", ("a", "b"), (None, 1.0)),)  # type: ignore[arg-type]
    assert drawn(chart(series=gap)).marks
    assert drawn(replace(chart("line"), series=(Series("", (1.0, 2.0), (None, 1.0)),))).marks  # type: ignore[arg-type]
