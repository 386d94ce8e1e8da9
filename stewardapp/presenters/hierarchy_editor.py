"""A hierarchy as a table to edit: values down, levels across, groups as cells that span their values."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from functools import cache
from heapq import nsmallest

from worker.engine.hierarchies.hierarchy import Hierarchy
from worker.engine.io.sent_text import whole_number

SHOWN = 200
Row = tuple[str, ...]


@dataclass(frozen=True)
class Cell:
    """One label, over the values it covers on this page."""

    key: str
    label: str
    rows: int
    span: int
    values: int
    top: bool


@dataclass(frozen=True)
class Head:
    """One level."""

    number: int
    labels: int
    smallest: int
    first: bool
    top: bool


@dataclass(frozen=True)
class Sheet:
    """The table."""

    heads: tuple[Head, ...]
    lines: tuple[tuple[Cell, ...], ...]
    shown: int
    found: int
    missing: int
    surplus: int

    @property
    def hidden(self) -> int:
        """Values that are not on the page."""
        return self.found - self.shown


def labels_of(hierarchy: Hierarchy, level: int) -> list[str]:
    """The labels of a level in one fixed order: a box is named by its place in it."""
    return sorted({row[level] for row in hierarchy.rows})


def picked(hierarchy: Hierarchy, keys: Sequence[str]) -> list[tuple[int, str]]:
    """The levels and labels behind ticked boxes; what is none is passed over."""
    found = []
    for key in keys:
        level, place = map(whole_number, key.partition("-")[::2])
        if level is not None and place is not None and level <= hierarchy.height:
            labels = labels_of(hierarchy, level)
            found += [(level, labels[place])] if place < len(labels) else []
    return found


def sheet(hierarchy: Hierarchy, counts: Counter[str], wanted: str = "") -> Sheet:
    """The values that occur, those of a search only when there is one; rows of one group together."""
    rows = [row for row in hierarchy.rows if row[0] in counts]
    found = (
        [row for row in rows if any(wanted.casefold() in label.casefold() for label in row)]
        if wanted
        else rows
    )
    places_of = cache(natural)  # most labels stand in many rows
    shown = nsmallest(SHOWN, found, key=lambda row: tuple(map(places_of, reversed(row))))
    levels = range(hierarchy.height + 1)
    weights = [_weights(rows, counts, level) for level in levels]
    covers = [Counter(row[level] for row in rows) for level in levels]
    places = [{label: n for n, label in enumerate(labels_of(hierarchy, level))} for level in levels]
    return Sheet(
        heads=tuple(
            Head(
                level,
                len(weights[level]),
                min(weights[level].values(), default=0),
                level == 0,
                level == hierarchy.height,
            )
            for level in levels
        ),
        lines=tuple(_line(shown, at, weights, covers, places) for at in range(len(shown))),
        shown=len(shown),
        found=len(found),
        missing=len(counts.keys() - hierarchy.paths.keys()),
        surplus=len(hierarchy.paths.keys() - counts.keys()),
    )


def natural(label: str) -> tuple[int, Decimal, str]:
    """Numbers, also those that begin an interval, before words."""
    text = label.lstrip("[<>=").split(",")[0]
    try:
        number = Decimal(text)
    except InvalidOperation:
        return 1, Decimal(0), label
    return (0, number, label) if number.is_finite() else (1, Decimal(0), label)


def _weights(rows: Sequence[Row], counts: Counter[str], level: int) -> Counter[str]:
    found: Counter[str] = Counter()
    for row in rows:
        found[row[level]] += counts[row[0]]
    return found


def _line(
    shown: Sequence[Row],
    at: int,
    weights: Sequence[Counter[str]],
    covers: Sequence[Counter[str]],
    places: Sequence[dict[str, int]],
) -> tuple[Cell, ...]:
    """The cells that begin on this line."""
    cells = []
    for level, label in enumerate(shown[at]):
        if at and shown[at - 1][level:] == shown[at][level:]:
            continue
        span = (
            next((n for n in range(at + 1, len(shown)) if shown[n][level:] != shown[at][level:]), len(shown))
            - at
        )
        key, top = f"{level}-{places[level][label]}", level == len(weights) - 1
        cells.append(Cell(key, label, weights[level][label], span, covers[level][label], top))
    return tuple(cells)
