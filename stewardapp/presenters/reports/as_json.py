"""A report for programs: what it was made of as it was found, and what the paper prints of it."""

from __future__ import annotations

import json
from typing import TypedDict

from stewardapp.presenters.reports.parts import Facts, Paper, Part, Picture, Section, Table, Text


class PartJson(TypedDict, total=False):
    """A part of a section as it is printed."""

    kind: str
    title: str
    text: str
    facts: list[list[str]]
    headers: list[str]
    rows: list[list[str]]
    tables: list[PartJson]


class SectionJson(TypedDict):
    """A section as it is printed."""

    title: str
    parts: list[PartJson]
    sections: list[SectionJson]


def as_json(paper: Paper) -> bytes:
    """The whole report."""
    written = {
        "audience": str(paper.audience),
        "title": paper.title,
        "lead": paper.lead,
        "source": paper.source,
        "sections": [section(one) for one in paper.sections],
    }
    return (json.dumps(written, indent=2, ensure_ascii=False, allow_nan=False) + "\n").encode()


def section(found: Section) -> SectionJson:
    """A heading with what stands below it."""
    return SectionJson(
        title=found.title,
        parts=[part(one) for one in found.parts],
        sections=[section(one) for one in found.inner],
    )


def part(found: Part) -> PartJson:
    """A part; of a picture the tables, which hold all its numbers."""
    match found:
        case Text():
            return PartJson(kind=found.kind, text=found.text)
        case Facts():
            return PartJson(kind=found.kind, facts=[list(line) for line in found.lines])
        case Table():
            return rows(found, found.kind, found.title)
        case Picture():
            inner = [rows(one, one.kind, found.title) for one in found.tables]
            return PartJson(kind=found.kind, title=found.title, text=found.note, tables=inner)


def rows(found: Table, kind: str, title: str) -> PartJson:
    """Heads and cells."""
    return PartJson(
        kind=kind, title=title, headers=list(found.headers), rows=[list(row) for row in found.rows]
    )
