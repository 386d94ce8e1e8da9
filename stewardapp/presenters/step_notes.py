"""What each step of a run tells those who will work with the file: the same words as in its codebook."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.urls import reverse

from stewardapp.presenters import charts
from worker.engine.errors import EngineError
from worker.engine.recipes.codebook import StepNote, step_notes
from worker.engine.recipes.recipe import Recipe

if TYPE_CHECKING:
    from stewardapp.models import Run
    from worker.engine.contracts.chart import Chart


@dataclass(frozen=True)
class Note:
    """One step: what it did, how to work with the result, pictures with their tables."""

    sentence: str
    guidance: Sequence[str]
    pictures: Sequence[charts.Picture]


def of_run(run: Run, *, drawn: bool = False) -> list[Note]:
    """The notes of a run's steps; `drawn` adds the address of each picture, for those who see the run."""
    return [
        Note(note.sentence, note.guidance, [picture(run, number, chart, drawn) for chart in note.charts])
        for number, note in enumerate(told(run), start=1)
    ]


def told(run: Run) -> list[StepNote]:
    """What the engine says of each step; nothing of a recipe of an engine that knew other methods."""
    try:
        return step_notes(Recipe.parse({**run.recipe, "measures": []}), run.report)
    except EngineError:
        return []


def picture(run: Run, number: int, chart: Chart, drawn: bool) -> charts.Picture:
    """A chart as a table, with the address of its drawing when it has one."""
    url = reverse("run-chart", args=[run.pk, address(number, chart)]) if drawn else ""
    return charts.pictured(chart, url)


def address(number: int, chart: Chart) -> str:
    """Where the chart of a step is found: two steps may draw charts of one name."""
    return f"step-{number}/{chart.slug}"


def charts_of(run: Run) -> dict[str, Chart]:
    """Every chart of the steps by its address."""
    return {
        address(number, chart): chart
        for number, note in enumerate(told(run), start=1)
        for chart in note.charts
    }
