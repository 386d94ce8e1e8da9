"""Two runs of a release side by side: every figure in which they differ, measure by measure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
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

Sides = tuple[Result | None, Result | None]


@dataclass(frozen=True)
class Difference:
    """One figure of both runs; `better` says which run has the better one, where one way is better."""

    title: str
    first: str
    second: str
    help: HowToRead | None = None
    better: str = ""


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


def section(sides: Sides) -> Section:
    """What differs in one instance; where only one run measured it, the state says so."""
    known = next(side for side in sides if side is not None)
    contract = catalogue.measures().get(known.measure)
    title = contract.title if contract else words(known.measure)
    was, now = (state_words(side) for side in sides)
    apart = [Difference("Measured", was, now)] if was != now else []
    return Section(title, known.section, (*apart, *differences(sides)))


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
                yield Difference(title, *told, help_on(figure, side), better(figure, was, now))


def values_of(figure: Figure, side: Result | None) -> Mapping[str, Scalar]:
    """A figure of a release by its parts; one that has none stands under no name."""
    value = (side.after or side.before or {}).get(figure.name) if side else None
    if isinstance(value, Mapping):
        return value
    return {} if value is None else {"": value}


def better(figure: Figure, first: Scalar, second: Scalar) -> str:
    """Which of two figures is better."""
    if (
        figure.better == "neither"
        or not isinstance(first, int | float)
        or not isinstance(second, int | float)
    ):
        return ""
    return "first" if (first < second) is (figure.better == "low") else "second"
