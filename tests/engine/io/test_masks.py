"""A masked text shows its build and none of its letters and digits."""

from __future__ import annotations

import string

from worker.engine.io.masks import masked


def test_letters_and_digits() -> None:
    assert masked("AB-12, ç٣") == "xx-99, x9"


def test_nothing_of_a_text_is_left_but_marks() -> None:
    everything = string.printable + "äß語\0☃"
    assert set(masked(everything[:40]) + masked(everything[40:80]) + masked(everything[80:])) <= set(
        "x9… .,;:-_/+()[]@#%*<>=&'\""
    )


def test_long_texts_are_cut() -> None:
    assert masked("a" * 40) == "x" * 40
    assert masked("a" * 41) == "x" * 40 + "…"
