"""The moment before noise is drawn."""

from __future__ import annotations

import pytest

from worker.engine.dp.drawing import about_to_draw, noted_by


def test_whoever_asked_is_told_before_every_draw() -> None:
    told: list[int] = []
    about_to_draw()
    with noted_by(lambda: told.append(1)):
        about_to_draw()
        about_to_draw()
    about_to_draw()
    assert told == [1, 1]


def test_what_the_note_raises_keeps_the_noise_from_being_drawn() -> None:
    def note() -> None:
        raise LookupError("not noted")

    with noted_by(note), pytest.raises(LookupError):
        about_to_draw()
    about_to_draw()


def test_the_innermost_note_counts_and_the_outer_one_comes_back() -> None:
    told: list[str] = []
    with noted_by(lambda: told.append("outer")):
        with noted_by(lambda: told.append("inner")):
            about_to_draw()
        about_to_draw()
    assert told == ["inner", "outer"]
