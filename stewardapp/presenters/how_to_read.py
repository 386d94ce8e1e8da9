"""How to read a figure: what it is, which way is better, where it mostly lies, who says so, and it worked out
on the numbers of this page. Everything follows from what the measure declares.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from string import Formatter

from stewardapp.presenters.numbers import duration, percent, thousands
from worker.engine import catalogue
from worker.engine.contracts.figure import Figure, Figures, Parts, Scalar

DIRECTIONS = {"low": "Lower is better.", "high": "Higher is better.", "neither": ""}
OF_MANY = 1000


@dataclass(frozen=True)
class HowToRead:
    """What opens at a figure; an empty line is left out."""

    title: str
    definition: str
    direction: str = ""
    usual: str = ""
    example: str = ""
    sources: tuple[str, ...] = ()
    measure: str = ""
    """The slug of its measure, where there is a page about it."""


def how_to_read(
    figure: Figure, slug: str, found: Figures | None = None, before: Scalar | Parts = None
) -> HowToRead:
    """A figure of a measure beside the others of the same result, and what it was before."""
    contract = catalogue.measures().get(slug)
    declared = contract.figures if contract else ()
    value = (found or {}).get(figure.name)
    return HowToRead(
        title=figure.title,
        definition=figure.explanation,
        direction=DIRECTIONS[figure.better],
        usual=usual_words(figure),
        example=worked(figure, declared, found or {}) or in_other_words(figure, value, before),
        sources=contract.references if contract else (),
        measure=slug if contract else "",
    )


def explained(title: str, words: str) -> HowToRead:
    """A number that is no figure of a measure."""
    return HowToRead(title, words)


def usual_words(figure: Figure) -> str:
    """The range in which it mostly lies."""
    if figure.usual is None:
        return ""
    low, high = (None if end is None else printed(figure, end) for end in figure.usual)
    return f"{low} to {high}" if low and high else f"at least {low}" if low else f"at most {high}"


def worked(figure: Figure, declared: Iterable[Figure], found: Figures) -> str:
    """The figure worked out from the others, as it declares; nothing where one of them is not there."""
    wanted = {name for _, name, _, _ in Formatter().parse(figure.example)}
    there = (one for one in declared if one.name in wanted and found.get(one.name) is not None)
    known = {one.name: printed(one, found[one.name]) for one in there}
    try:
        return figure.example.format_map(known)
    except KeyError:
        return ""


def in_other_words(figure: Figure, value: Scalar | Parts, before: Scalar | Parts) -> str:
    """A share as so many of a thousand, and what it was in the original."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return ""
    told = [f"it was {printed(figure, before)} in the original"] if isinstance(before, int | float) else []
    if figure.unit == "share" and 0 < value < 1:
        told.insert(0, f"about {round(value * OF_MANY)} of {thousands(OF_MANY)}")
    return f"{printed(figure, value)}: {', '.join(told)}" if told else ""


def printed(figure: Figure, value: Scalar | Parts) -> str:
    """A figure in its unit."""
    if value is None:
        return "–"
    if isinstance(value, Mapping):
        return ", ".join(f"{part}: {printed(figure, one)}" for part, one in value.items())
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, str):
        return value
    if figure.unit == "share":
        return percent(value)
    return duration(value) if figure.unit == "seconds" else thousands(value)
