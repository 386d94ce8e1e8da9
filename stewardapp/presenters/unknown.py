"""Kept columns that are declared unknown to others, with the reason, beside what was found of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from stewardapp.presenters.how_to_read import printed
from stewardapp.presenters.measures import figure_of
from worker.engine.recipes.stored import results_of

if TYPE_CHECKING:
    from stewardapp.models import Run
    from worker.engine.contracts.result import Result


@dataclass(frozen=True)
class UnknownLine:
    """A column, why nobody else could know it, and shares of risk that were measured of it."""

    name: str
    why: str
    found: tuple[tuple[str, str], ...]


def unknown_lines(run: Run) -> list[UnknownLine]:
    """Those of a run, in the order of its recipe."""
    results = [one for one in results_of(run.report) if one.section == "risk"]
    return [
        UnknownLine(name, column["why"], tuple(_found(results, name)))
        for name, column in run.recipe.get("columns", {}).items()
        if column.get("known") == "no"
    ]


def _found(results: list[Result], column: str) -> Iterator[tuple[str, str]]:
    """Every share that a result has of this column, by the title of its figure."""
    for result in results:
        for name, value in (result.after or result.before or {}).items():
            figure = figure_of(result.measure, name)
            if figure.unit == "share" and isinstance(value, Mapping) and column in value:
                yield figure.title, printed(figure, value[column])
