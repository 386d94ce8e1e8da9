"""Pieces of pages that are written once."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest
from django.conf import settings
from django.utils.safestring import SafeString

from stewardapp.presenters import fragments
from stewardapp.presenters.how_to_read import HowToRead
from stewardapp.presenters.reports.parts import Section, Table, Text
from stewardapp.templatetags.steward import how_to_read

SECTION = Section("Sizes", (Text("Nobody alone."), Table(("Size", "People"), (("1", "0"),))))
TEMPLATES = Path(settings.BASE_DIR) / "templates"
KEPT = re.compile(r'{% kept "([^"]+)"')
INCLUDED = re.compile(r'{% include "([^"]+)"')
OF_A_PERSON = re.compile(
    r"csrf_token|\brequest\b|\buser\b|\bdesk\.|{% (when|querystring|url|confirm|static)\b|\bperms\b"
)
"""What depends on who looks, or when; an address is given, and so part of what a piece is of."""


@pytest.fixture(autouse=True)
def empty(monkeypatch: pytest.MonkeyPatch) -> fragments.Kept:
    found = fragments.Kept()
    monkeypatch.setattr(fragments, "pieces", found)
    return found


def written(section: Section) -> str:
    return fragments.piece("reports/_section.html", {"section": section})


def test_a_piece_is_written_once_and_says_what_the_template_says(
    empty: fragments.Kept, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = written(SECTION)
    assert "Nobody alone." in first
    monkeypatch.setattr(fragments, "render_to_string", lambda *_: pytest.fail("written again"))
    assert written(Section("Sizes", SECTION.parts)) == first
    assert len(empty) == 1


def test_whoever_is_given_less_never_meets_what_others_are_given(empty: fragments.Kept) -> None:
    whole = written(SECTION)
    less = written(replace(SECTION, parts=SECTION.parts[1:]))
    assert "Nobody alone." in whole
    assert "Nobody alone." not in less
    assert "Nobody alone." not in written(replace(SECTION, parts=()))
    assert len(empty) == 3


def test_what_is_safe_is_another_thing_than_the_same_letters() -> None:
    assert "&lt;b&gt;" in written(Section("<b>"))
    assert "&lt;b&gt;" not in written(Section(SafeString("<b>")))


def test_room_and_time_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    kept, now = fragments.Kept(most=100), [1000.0]
    monkeypatch.setattr(fragments.time, "monotonic", lambda: now[0])
    for number in range(6):
        kept.put(bytes([number]), SafeString("x" * 20))
    assert (len(kept), kept.characters) == (5, 100)
    assert kept.get(bytes([0])) is None
    assert kept.get(bytes([1]))
    kept.put(b"large", SafeString("x" * 26))
    assert kept.get(b"large") is None
    now[0] += fragments.SECONDS + 1
    assert kept.get(bytes([1])) is None
    kept.put(b"new", SafeString("x"))
    assert (len(kept), kept.characters) == (1, 1)


def test_no_piece_depends_on_who_looks() -> None:
    names = {name for page in TEMPLATES.rglob("*.html") for name in KEPT.findall(page.read_text())}
    assert names
    waiting = [*names]
    while waiting:
        text = (TEMPLATES / waiting.pop()).read_text()
        assert not OF_A_PERSON.findall(text), text
        waiting += INCLUDED.findall(text)


def test_help_is_written_once_and_each_has_an_id_of_its_own() -> None:
    one = HowToRead("Risk", "Share of people found.", example="1 of {30} & more")
    first, second = how_to_read(one), how_to_read(one)
    ids = [re.findall(r'(?:id|popovertarget)="([^"]+)"', text) for text in (first, second)]
    assert [len(set(found)) for found in ids] == [1, 1]
    assert ids[0] != ids[1]
    assert "1 of {30} &amp; more" in first
    assert how_to_read(None) == ""
