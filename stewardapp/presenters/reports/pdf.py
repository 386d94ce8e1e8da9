"""A report as PDF. The only module that knows the PDF library.

Equal reports are equal bytes: nothing in the file tells when it was made.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from itertools import zip_longest
from pathlib import Path

from django.conf import settings
from fpdf import FPDF, FontFace
from fpdf.enums import TableBordersLayout, TableCellFillMode, WrapMode, XPos, YPos

from stewardapp.presenters.reports.marks import DASHES, SIZE, Box, Dot, Drawing, Line, Words
from stewardapp.presenters.reports.parts import Facts, Paper, Part, Picture, Section, Table, Text

for talker in ("fpdf", "fontTools"):  # they name the letters that a text is made of
    logging.getLogger(talker).setLevel(logging.ERROR)
FONT, FOLDER = "DejaVu", Path(settings.BASE_DIR) / "static" / "vendor"
FACES = {"": "DejaVuSansCondensed.ttf", "B": "DejaVuSansCondensed-Bold.ttf"}
NEVER = datetime(2000, 1, 1, tzinfo=UTC)
MARGIN, BODY, SMALL, LEADING = 44.0, 9.0, 7.5, 12.5
HEADINGS = (15.0, 11.5, 10.0)
CELL, ROOM, SHORT, WIDEST = 8.0, 8.5, 68.0, 190.0
"""Of tables: the size of letters, what stands beside them, what is not torn, how much a word may claim."""
MOST_LINES = 28
"""Of one row: with words that leave half a line empty it is as tall as a page."""
COLOURS = {
    "ink": (0x15, 0x20, 0x2B),
    "muted": (0x52, 0x60, 0x6E),
    "line": (0xDD, 0xE3, 0xE9),
    "surface": (0xFF, 0xFF, 0xFF),
    "sunken": (0xEA, 0xEE, 0xF2),
    "before": (0x9A, 0xA7, 0xB5),
    "after": (0x1B, 0x5B, 0xCF),
    "third": (0x0F, 0x76, 0x6E),
    "fourth": (0xA1, 0x5C, 0x00),
    "fifth": (0x7A, 0x3F, 0xB0),
    "limit": (0xB0, 0x26, 0x1D),
    "ok": (0x14, 0x71, 0x3B),
    "warn": (0x8A, 0x50, 0x00),
    "danger": (0xB0, 0x26, 0x1D),
}
"""The tokens of the light theme: paper is white."""


class Sheets(FPDF):
    """Pages with a foot that says what they belong to."""

    def __init__(self, foot: str) -> None:
        super().__init__(unit="pt", format="A4")
        self._foot = foot
        self.set_creation_date(NEVER)
        self.set_margins(MARGIN, MARGIN)
        self.set_auto_page_break(True, MARGIN + 14)
        for style, name in FACES.items():
            self.add_font(FONT, style, FOLDER / name)

    def write_in(self, colour: str, size: float, style: str = "") -> None:
        """Take a pen."""
        self.set_font(FONT, style, size)
        self.set_text_color(*COLOURS[colour])

    def footer(self) -> None:
        """What it is, and which page of it."""
        self.set_y(-MARGIN)
        self.write_in("muted", SMALL)
        self.cell(0, 10, self._foot[:90])
        self.cell(0, 10, f"Page {self.page_no()} of {{nb}}", align="R")

    def keep_together(self, height: float) -> None:
        """Begin a page where so much does not fit on this one any more."""
        if self.get_y() + height > self.page_break_trigger:
            self.add_page()


def as_pdf(paper: Paper) -> bytes:
    """The whole report."""
    sheets = Sheets(f"{paper.title} · {paper.audience} report")
    sheets.set_title(paper.title)
    sheets.set_lang("en")
    sheets.add_page()
    sheets.write_in("ink", HEADINGS[0] + 3, "B")
    block(sheets, paper.title, 22)
    sheets.write_in("muted", BODY)
    block(sheets, paper.lead, LEADING)
    for section in paper.sections:
        put_section(sheets, section, 0)
    return bytes(sheets.output())


def put_section(sheets: Sheets, section: Section, depth: int) -> None:
    """A heading, which never stands alone at the foot of a page, and what is below it."""
    size = HEADINGS[min(depth, len(HEADINGS) - 1)]
    sheets.keep_together(4 * size + 3 * LEADING)
    if sheets.get_y() > sheets.t_margin:
        sheets.ln(size * (1.1 if depth == 0 else 0.7))
    sheets.start_section(section.title, depth)
    sheets.write_in("ink", size, "B")
    block(sheets, section.title, size * 1.4)
    sheets.ln(2)
    for part in section.parts:
        PUT[type(part)](sheets, part)
    for one in section.inner:
        put_section(sheets, one, depth + 1)


def block(sheets: Sheets, text: str, leading: float) -> None:
    """A paragraph over the whole width."""
    sheets.multi_cell(0, leading, text, align="L", new_x=XPos.LMARGIN, new_y=YPos.NEXT)


def put_text(sheets: Sheets, part: Text) -> None:
    """A paragraph."""
    sheets.write_in(part.tone or "ink", BODY)
    block(sheets, part.text, LEADING)
    sheets.ln(3)


def put_facts(sheets: Sheets, part: Facts) -> None:
    """Names to the left, what belongs to them to the right."""
    grid(sheets, (), part.lines)


def put_table(sheets: Sheets, part: Table) -> None:
    """A table whose head stands again on every page; no row is cut in two."""
    if part.title:
        put_caption(sheets, part.title)
    grid(sheets, part.headers, part.rows, part.numbers)


def put_caption(sheets: Sheets, text: str) -> None:
    """What a table or a chart is called."""
    sheets.keep_together(4 * LEADING)
    sheets.ln(3)
    sheets.write_in("ink", BODY, "B")
    block(sheets, text, LEADING)


def widths_of(sheets: Sheets, rows: tuple[tuple[str, ...], ...], emphasis: str) -> tuple[float, ...]:
    """How wide each column is: as its longest cell where there is room, never less than its longest word."""
    sheets.write_in("ink", CELL, emphasis)
    columns = list(zip(*rows, strict=True))
    wanted = [max(map(sheets.get_string_width, column)) + ROOM for column in columns]
    torn = [min(max(map(sheets.get_string_width, words_of(one))) + ROOM, WIDEST) for one in columns]
    whole = [max(one, min(SHORT, other)) for one, other in zip(torn, wanted, strict=True)]
    least = whole if sum(whole) <= sheets.epw else torn
    spread = sum(wanted) - sum(least)
    share = max(0.0, min(1.0, (sheets.epw - sum(least)) / spread)) if spread > 0 else 0.0
    found = [low + (high - low) * share for low, high in zip(least, wanted, strict=True)]
    return tuple(one * min(1.0, sheets.epw / sum(found)) for one in found)


def words_of(column: tuple[str, ...]) -> list[str]:
    """Everything in a column that is better not torn."""
    return [word for cell in column for word in cell.split(" ")]


def grid(
    sheets: Sheets,
    heads: tuple[str, ...],
    rows: tuple[tuple[str, ...], ...],
    numbers: frozenset[int] = frozenset(),
) -> None:
    """Rows with lines between them, no wider than they need; without heads the first column is muted."""
    widths = widths_of(sheets, (*([heads] if heads else []), *rows), "B" if heads else "")
    sheets.write_in("ink", CELL)
    sheets.set_draw_color(*COLOURS["line"])
    sheets.set_fill_color(*COLOURS["surface"])
    muted = FontFace(color=COLOURS["muted"])
    pieces = [piece for row in rows for piece in in_pieces(row, widths)]
    with sheets.table(
        align="LEFT",
        borders_layout=TableBordersLayout.HORIZONTAL_LINES,
        cell_fill_mode=TableCellFillMode.NONE,
        col_widths=widths,
        first_row_as_headings=bool(heads),
        headings_style=FontFace(emphasis="BOLD", color=COLOURS["muted"], fill_color=COLOURS["sunken"]),
        line_height=LEADING - 2,
        padding=(2, 4),
        text_align=tuple("RIGHT" if place in numbers else "LEFT" for place in range(len(widths))),
        width=min(sum(widths), sheets.epw),
        wrapmode=WrapMode.WORD,
    ) as made:
        for row in (*([heads] if heads else []), *pieces):
            cells = made.row()
            for place, cell in enumerate(row):
                cells.cell(cell, style=None if heads or place else muted)
    sheets.ln(6)


def in_pieces(row: tuple[str, ...], widths: tuple[float, ...]) -> Iterator[tuple[str, ...]]:
    """A row, in several where one of its cells is taller than a page could be."""
    cut = [
        chunks(cell, max(1, int(wide / CELL)) * MOST_LINES) for cell, wide in zip(row, widths, strict=True)
    ]
    yield from zip_longest(*cut, fillvalue="")


def chunks(text: str, most: int) -> list[str]:
    """A text in parts of at most so many letters, parted between words where there is a place."""
    found = []
    while len(text) > most:
        at = text.rfind(" ", most // 2, most)
        end = at if at > 0 else most
        found.append(text[:end])
        text = text[end:].lstrip()
    return [*found, text]


def put_picture(sheets: Sheets, part: Picture) -> None:
    """A chart, whole on one page, and its tables."""
    scale = (sheets.epw - 8) / part.drawing.width
    sheets.keep_together(part.drawing.height * scale + 5 * LEADING)
    put_caption(sheets, part.title)
    if part.note:
        put_text(sheets, Text(part.note, "muted"))
    draw(sheets, part.drawing, scale)
    for table in part.tables:
        put_table(sheets, table)


# -- drawings ------------------------------------------------------------------------------------------


def draw(sheets: Sheets, drawing: Drawing, scale: float) -> None:
    """Every mark at its place below what was written."""
    left, top = sheets.l_margin + 4, sheets.get_y() + 4
    for mark in drawing.marks:
        DRAW[type(mark)](sheets, mark, lambda x, y: (left + x * scale, top + y * scale), scale)
    sheets.set_dash_pattern()
    sheets.set_line_width(0.6)
    sheets.set_xy(sheets.l_margin, top + drawing.height * scale + 4)


Place = Callable[[float, float], tuple[float, float]]


def draw_line(sheets: Sheets, mark: Line, at: Place, scale: float) -> None:
    """Through all its points."""
    sheets.set_draw_color(*COLOURS[mark.colour])
    sheets.set_line_width(mark.width * scale)
    dash, gap = (*DASHES[mark.dash], 0.0, 0.0)[:2]
    sheets.set_dash_pattern(dash=dash * scale, gap=gap * scale)
    sheets.polyline([at(x, y) for x, y in mark.points])


def draw_box(sheets: Sheets, mark: Box, at: Place, scale: float) -> None:
    """Filled; of a weak colour the rest is white."""
    sheets.set_fill_color(*(round(255 - (255 - one) * mark.strength) for one in COLOURS[mark.colour]))
    sheets.rect(*at(mark.x, mark.y), mark.width * scale, mark.height * scale, style="F")


def draw_dot(sheets: Sheets, mark: Dot, at: Place, scale: float) -> None:
    """One point."""
    sheets.set_fill_color(*COLOURS[mark.colour])
    sheets.circle(*at(mark.x, mark.y), mark.radius * scale, style="F")


def draw_words(sheets: Sheets, mark: Words, at: Place, scale: float) -> None:
    """A line of text; its anchor says which end of it is given."""
    sheets.write_in(mark.colour, SIZE * scale)
    left, foot = at(mark.x, mark.y)
    share = {"start": 0.0, "middle": 0.5, "end": 1.0}[mark.anchor]
    sheets.text(left - share * sheets.get_string_width(mark.text), foot, mark.text)


PUT: dict[type[Part], Callable[[Sheets, Part], None]] = {
    Text: put_text,  # type: ignore[dict-item]
    Facts: put_facts,  # type: ignore[dict-item]
    Table: put_table,  # type: ignore[dict-item]
    Picture: put_picture,  # type: ignore[dict-item]
}
DRAW: dict[type, Callable[..., None]] = {
    Line: draw_line,
    Box: draw_box,
    Dot: draw_dot,
    Words: draw_words,
}
