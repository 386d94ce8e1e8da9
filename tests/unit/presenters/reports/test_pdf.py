"""The PDF says what the paper says, whole, in bytes that do not change by themselves."""

from __future__ import annotations

import random
import re
from dataclasses import replace
from pathlib import Path

import pytest
from django.conf import settings

from stewardapp.presenters.reports.parts import Paper, Section, Table
from stewardapp.presenters.reports.pdf import COLOURS, as_pdf
from tests.pdf_text import pdf_text
from tests.unit.presenters.reports.sheets import paper


@pytest.fixture(scope="module")
def made() -> bytes:
    return as_pdf(paper())


def tight(text: str) -> str:
    return re.sub(r"\s", "", text)


def test_everything_that_the_paper_says_is_printed(made: bytes) -> None:
    printed = tight(pdf_text(made))
    assert [text for text in paper().texts() if tight(text) not in printed] == []


def test_what_the_paper_does_not_say_is_not_printed(made: bytes) -> None:
    assert tight("30\u202f163") not in tight(pdf_text(made))


def test_drawings_name_their_series_and_limits(made: bytes) -> None:
    printed = tight(pdf_text(made))
    assert tight("policy at most 60\u00a0%") in printed
    assert printed.count("Before") >= 3  # in a legend and as the head of a table, twice


def test_equal_papers_are_equal_bytes(made: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    import time_machine

    with time_machine.travel("2031-05-06 07:08:09", tick=False):
        assert as_pdf(paper()) == made
    assert b"2031" not in made
    assert as_pdf(replace(paper(), lead="Something else.")) != made


def test_a_long_table_goes_on_with_its_head_and_loses_no_row() -> None:
    rows = tuple((f"row-{number:03d}", str(number)) for number in range(150))
    long = Table(("Name of the row", "Number"), rows, "", frozenset({1}))
    found = replace(paper(), sections=(Section("Long", (long,)),))
    printed = pdf_text(as_pdf(found))
    assert [name for name, _ in rows if printed.count(name) != 1] == []
    assert printed.count("Name of the row") > 2


def test_a_word_wider_than_the_sheet_is_torn_and_a_narrow_column_still_drawn() -> None:
    wide = Table(tuple(f"h{n}" for n in range(9)), (("w" * 300, *(["ab" * 40] * 8)),))
    found: Paper = replace(paper(), sections=(Section("Wide", (wide,)),))
    printed = pdf_text(as_pdf(found))
    assert (printed.count("w"), printed.count("ab")) == (300, 8 * 40)


@pytest.mark.parametrize("seed", range(12))
def test_tables_of_any_shape_are_printed_whole(seed: int) -> None:
    source = random.Random(seed)
    columns = source.randint(1, 9)
    lengths = [source.choice((0, 1, 8, 40, 200)) for _ in range(columns)]
    rows = tuple(
        tuple(" ".join("x" * source.randint(1, 1 + length) for _ in range(length // 8)) for length in lengths)
        for _ in range(source.randint(1, 6))
    )
    shape = Table(tuple(f"head{number}" for number in range(columns)), rows, "", frozenset({1}))
    printed = tight(pdf_text(as_pdf(replace(paper(), sections=(Section("Any", (shape,)),)))))
    assert printed.count("x") == sum(cell.count("x") for row in rows for cell in row)


def test_a_cell_longer_than_a_page_is_printed_whole() -> None:
    words = [f"word{number}" for number in range(4000)]
    tall = Table(("Name", "Text"), (("short", " ".join(words)),))
    printed = pdf_text(as_pdf(replace(paper(), sections=(Section("Tall", (tall,)),))))
    assert [one for one in words if one not in printed] == []


def test_the_colours_are_the_tokens_of_the_light_theme() -> None:
    tokens = (Path(settings.BASE_DIR) / "static/css/tokens.css").read_text(encoding="utf-8")
    names = {"third": "chart-3", "fourth": "chart-4", "fifth": "chart-5", "limit": "chart-limit"}
    names |= {name: f"chart-{name}" for name in ("before", "after")}
    light = dict(re.findall(r"--([\w-]+): light-dark\(#(\w{6})", tokens))
    assert {name: "".join(f"{part:02x}" for part in rgb) for name, rgb in COLOURS.items()} == {
        name: light[names.get(name, name)] for name in COLOURS
    }
