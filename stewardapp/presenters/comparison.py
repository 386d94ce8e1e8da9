"""Two runs of a release side by side: every figure in which they differ, measure by measure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from stewardapp.presenters.how_to_read import HowToRead, printed
from stewardapp.presenters.measures import STATES, declared_of, help_on, part_words, words
from worker.engine import catalogue
from worker.engine.contracts.figure import Figure, Scalar
from worker.engine.contracts.result import Result
from worker.engine.recipes.stored import results_of

if TYPE_CHECKING:
    from stewardapp.models import Run

LEADING = 12
"""So many figures stand first; the others are folded."""
Sides = tuple[Result | None, Result | None]


@dataclass(frozen=True)
class Difference:
    """One figure of both runs; `better` says which run has the better one, where one way is better."""

    title: str
    first: str
    second: str
    help: HowToRead | None = None
    better: str = ""
    apart: float | None = None
    """How far the runs are apart, from 0 to 1: of the whole for shares, of the larger one for other numbers.
    Of words, of what one run has not, and of single columns or parts nothing is said."""


@dataclass(frozen=True)
class Section:
    """One instance of a measure and all in which the runs differ."""

    title: str
    section: str
    rows: tuple[Difference, ...]


def sections(first: Run, second: Run) -> list[Section]:
    """Every measure in which two runs differ."""
    one, other = ({result.id: result for result in results_of(run.report)} for run in (first, second))
    pairs = ((one.get(id), other.get(id)) for id in dict.fromkeys((*one, *other)))
    found = [section(sides) for sides in pairs]
    return [each for each in found if each.rows]


def leading(found: Iterable[Section]) -> list[tuple[str, Difference]]:
    """The figures of the whole release in which the runs are furthest apart, each with its measure."""
    ranked = [(each.title, row) for each in found for row in each.rows if row.apart is not None]
    return sorted(ranked, key=lambda one: -(one[1].apart or 0.0))[:LEADING]


def by_kind(found: Iterable[Section]) -> dict[str, list[Section]]:
    """The same by what the measures tell: risk, utility, attacks."""
    kinds: dict[str, list[Section]] = {}
    for each in found:
        kinds.setdefault(words(each.section), []).append(each)
    return kinds


def section(sides: Sides) -> Section:
    """What differs in one instance; where only one run measured it, the state says so."""
    known = next(side for side in sides if side is not None)
    contract = catalogue.measures().get(known.measure)
    title = contract.title if contract else words(known.measure)
    was, now = (state_words(side) for side in sides)
    rows = [Difference("Measured", was, now)] if was != now else []
    return Section(title, known.section, (*rows, *differences(sides)))


def state_words(side: Result | None) -> str:
    """What became of it in a run."""
    return "not asked for" if side is None else STATES[side.state].lower() or "yes"


def differences(sides: Sides) -> Iterator[Difference]:
    """Every figure, of each column or part, that is not the same in both."""
    figures = {figure.name: (figure, side) for side in sides if side for figure in declared_of(side)}
    for figure, side in figures.values():
        first, second = (values_of(figure, one) for one in sides)
        for part in dict.fromkeys((*first, *second)):
            was, now = first.get(part), second.get(part)
            if was != now:
                title = f"{figure.title}, {part_words(part, figure)}" if part else figure.title
                told = (printed(figure, was), printed(figure, now))
                far = None if part else apart(figure, was, now)
                yield Difference(title, *told, help_on(figure, side), better(figure, was, now), far)


def values_of(figure: Figure, side: Result | None) -> Mapping[str, Scalar]:
    """A figure of a release by its parts; one that has none stands under no name."""
    value = (side.after or side.before or {}).get(figure.name) if side else None
    if isinstance(value, Mapping):
        return value
    return {} if value is None else {"": value}


def apart(figure: Figure, first: Scalar, second: Scalar) -> float | None:
    """How far two numbers are apart, so that figures of different units can be put in order."""
    if figure.unit == "words" or not isinstance(first, int | float) or not isinstance(second, int | float):
        return None
    largest = 1.0 if figure.unit == "share" else max(abs(first), abs(second))
    return min(abs(first - second) / largest, 1.0)


def better(figure: Figure, first: Scalar, second: Scalar) -> str:
    """Which of two figures is better."""
    if (
        figure.better == "neither"
        or not isinstance(first, int | float)
        or not isinstance(second, int | float)
    ):
        return ""
    return "first" if (first < second) is (figure.better == "low") else "second"
