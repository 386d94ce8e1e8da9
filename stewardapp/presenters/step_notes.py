"""What each step of a run tells those who will work with the file: the same words as in its codebook."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from django.urls import reverse

from stewardapp.presenters import charts
from worker.engine.codebook import step_notes
from worker.engine.errors import EngineError
from worker.engine.recipe import Recipe

if TYPE_CHECKING:
    from stewardapp.models import Run
    from worker.engine.chart import Chart


@dataclass(frozen=True)
class Note:
    """One step: what it did, how to work with the result, pictures with their tables."""

    sentence: str
    guidance: Sequence[str]
    pictures: Sequence[dict[str, Any]]


def of_run(run: Run, *, drawn: bool = False) -> list[Note]:
    """The notes of a run's steps; `drawn` adds the address of each picture, for those who see the run."""
    try:
        told = step_notes(Recipe.parse(run.recipe), run.report)
    except EngineError:  # a recipe of an engine that knew other methods
        return []
    return [
        Note(note.sentence, note.guidance, [picture(run, chart, drawn) for chart in note.charts])
        for note in told
    ]


def picture(run: Run, chart: Chart, drawn: bool) -> dict[str, Any]:
    """A chart as a table, with the address of its drawing when it has one."""
    shown = charts.pictured(chart)
    return shown | {"url": reverse("run-chart", args=[run.pk, chart.slug])} if drawn else shown


def charts_of(run: Run) -> dict[str, Chart]:
    """Every chart of the steps by its name."""
    try:
        told = step_notes(Recipe.parse(run.recipe), run.report)
    except EngineError:
        return {}
    return {chart.slug: chart for note in told for chart in note.charts}
