"""What a drawing is made of: lines, boxes, dots and words at their places, in the colours of the tokens.

A unit is a point of the printed page; the page and the PDF put down the very same marks.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Colour = Literal["ink", "muted", "line", "surface", "before", "after", "third", "fourth", "fifth", "limit"]
DASHES = {"solid": (), "dashed": (5.0, 3.0), "dotted": (1.5, 2.0)}
SIZE = 8.0
"""Of the letters."""


@dataclass(frozen=True)
class Line:
    """Through all its points."""

    points: tuple[tuple[float, float], ...]
    colour: str
    dash: str = "solid"
    width: float = 1.0

    kind = "line"

    @property
    def path(self) -> str:
        """As SVG writes it."""
        return " ".join(f"{x:.2f},{y:.2f}" for x, y in self.points)

    @property
    def gaps(self) -> str:
        """The dashes as SVG writes them."""
        return " ".join(f"{one:g}" for one in DASHES[self.dash])


@dataclass(frozen=True)
class Box:
    """Filled; `strength` is how much of the colour is in it."""

    x: float
    y: float
    width: float
    height: float
    colour: str
    strength: float = 1.0

    kind = "box"


@dataclass(frozen=True)
class Dot:
    """One point."""

    x: float
    y: float
    colour: str
    radius: float = 2.2

    kind = "dot"


@dataclass(frozen=True)
class Words:
    """A line of text whose foot stands at y."""

    x: float
    y: float
    text: str
    anchor: str = "start"
    colour: str = "ink"

    kind = "words"


Mark = Line | Box | Dot | Words


@dataclass(frozen=True)
class Drawing:
    """Marks on a sheet."""

    width: float
    height: float
    marks: tuple[Mark, ...]


def wide(text: str) -> float:
    """About how wide a text is."""
    return 0.56 * SIZE * len(text)


def cut(text: str, room: float) -> str:
    """As much of a text as fits; the table has it whole."""
    most = max(3, int(room / (0.56 * SIZE)))
    return text if len(text) <= most else f"{text[: most - 1]}…"
