"""Tiny drawings: nothing of a label gets out as markup, what is there at all is seen."""

from __future__ import annotations

import re

from stewardapp.presenters.spark import HEIGHT, bar, spark


def heights(drawing: str) -> list[int]:
    return [int(one) for one in re.findall(r'<rect x="\d+" y="\d+" width="\d+" height="(\d+)"', drawing)]


def test_bars() -> None:
    assert heights(spark([0, 1, 50, 100, 400])) == [0, 1, 12, HEIGHT, HEIGHT]


def test_labels_are_words() -> None:
    assert "<b>" not in spark([1], "<b>")
    assert 'aria-label="distribution of the values"' in spark([])


def test_a_line_is_filled_as_far_as_its_part() -> None:
    assert '<rect width="40"' in bar(40, "warn")
    assert 'class="bar warn"' in bar(40, "warn")
