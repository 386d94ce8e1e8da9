"""What a report is made of, before anybody decides how it looks: page, PDF and JSON hold the same."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from stewardapp.presenters.reports.marks import Drawing

if TYPE_CHECKING:
    from stewardapp.domain.manifest import Manifest
    from worker.engine.recipes.report import ReportJson


class Audience(StrEnum):
    """Who reads it: those who may look into the data, or everybody who finds the publication."""

    INTERNAL = "internal"
    EXTERNAL = "external"


@dataclass(frozen=True)
class Text:
    """A paragraph; its `tone` is a word of the tokens."""

    text: str
    tone: str = ""

    kind = "text"

    def texts(self) -> Iterator[str]:
        """Everything in it that is read."""
        yield self.text


@dataclass(frozen=True)
class Facts:
    """Names with what belongs to them."""

    lines: tuple[tuple[str, str], ...]

    kind = "facts"

    def texts(self) -> Iterator[str]:
        """Everything in it that is read."""
        return (word for line in self.lines for word in line)


@dataclass(frozen=True)
class Table:
    """Rows below their heads; `numbers` are the columns that stand to the right, by their place."""

    headers: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    title: str = ""
    numbers: frozenset[int] = frozenset()

    kind = "table"

    @property
    def lines(self) -> list[list[tuple[str, bool]]]:
        """The cells of each row, and whether each is a number."""
        return [[(cell, place in self.numbers) for place, cell in enumerate(row)] for row in self.rows]

    @property
    def heads(self) -> list[tuple[str, bool]]:
        """The same of the head."""
        return [(head, place in self.numbers) for place, head in enumerate(self.headers)]

    def texts(self) -> Iterator[str]:
        """Everything in it that is read."""
        yield from (self.title, *self.headers)
        yield from (cell for row in self.rows for cell in row)


@dataclass(frozen=True)
class Picture:
    """A chart: its drawing above its numbers."""

    title: str
    note: str
    drawing: Drawing
    tables: tuple[Table, ...]

    kind = "picture"

    def texts(self) -> Iterator[str]:
        """Everything in it that is read."""
        yield from (self.title, self.note)
        yield from (word for one in self.tables for word in one.texts())


Part = Text | Facts | Table | Picture


@dataclass(frozen=True)
class Section:
    """A heading with what stands below it."""

    title: str
    parts: tuple[Part, ...] = ()
    inner: tuple[Section, ...] = ()

    def texts(self) -> Iterator[str]:
        """Everything in it that is read."""
        yield self.title
        yield from (word for part in self.parts for word in part.texts())
        yield from (word for one in self.inner for word in one.texts())


@dataclass(frozen=True)
class Paper:
    """A whole report."""

    audience: Audience
    title: str
    lead: str
    sections: tuple[Section, ...]
    source: ReportJson | Manifest
    """What it was made of, for programs."""

    def texts(self) -> Iterator[str]:
        """Everything in it that is read."""
        yield from (self.title, self.lead)
        yield from (word for one in self.sections for word in one.texts())


MOST_COLUMNS = 9
"""So many stand beside one another on a sheet of paper."""


def parted(whole: Table) -> tuple[Table, ...]:
    """A table in as many pieces as paper needs; the first column stands in each."""
    width = len(whole.headers)
    if width <= MOST_COLUMNS:
        return (whole,)
    starts = range(1, width, MOST_COLUMNS - 1)
    return tuple(_piece(whole, start, min(start + MOST_COLUMNS - 1, width)) for start in starts)


def _piece(whole: Table, start: int, end: int) -> Table:
    rows = tuple((row[0], *row[start:end]) for row in whole.rows)
    numbers = {place - start + 1 for place in whole.numbers if start <= place < end}
    heads = (whole.headers[0], *whole.headers[start:end])
    return Table(heads, rows, whole.title, frozenset(numbers | (whole.numbers & {0})))


def filled(title: str, parts: tuple[Part, ...] = (), inner: tuple[Section, ...] = ()) -> tuple[Section, ...]:
    """A section, or none where nothing would stand below its heading."""
    return (Section(title, parts, inner),) if parts or inner else ()


def table(
    headers: tuple[str, ...], rows: Iterator[tuple[str, ...]], title: str = "", numbers: tuple[int, ...] = ()
) -> tuple[Table, ...]:
    """A table, or none without rows."""
    found = tuple(rows)
    return (Table(headers, found, title, frozenset(numbers)),) if found else ()
