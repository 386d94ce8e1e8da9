"""What the catalogue says of a published release: nothing that is not in the public manifest or the files."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from stewardapp.models.canonical import sha256_of
from stewardapp.models.manifest import public_part
from stewardapp.presenters import recipes, step_notes, tables
from stewardapp.presenters.measures import printed, words
from stewardapp.presenters.results import goal_line
from stewardapp.presenters.survey_pages import randomized_note
from worker.engine import catalogue
from worker.engine.codebook import NOTES, ColumnLine, column_lines
from worker.engine.fields import RELEASED

if TYPE_CHECKING:
    from stewardapp.models import Release, Run
    from worker.engine.chart import Chart


@dataclass(frozen=True)
class Certificate:
    """The public manifest in words."""

    manifest: Mapping[str, Any]
    sha256: str
    goals: tuple[Any, ...]
    figures: tuple[tuple[str, str, str], ...]
    epsilon: str


def certificate(release: Release) -> Certificate:
    """What was promised and measured, and the hashes that identify the bytes."""
    public = public_part(release.candidate.stated) if release.candidate else {}
    known: Mapping[str, Any] = catalogue.goals()
    return Certificate(
        manifest=public,
        sha256=sha256_of(public),
        goals=tuple(goal_line(goal, known) for goal in public.get("goals", ())),
        figures=tuple(risk_figures(public.get("risk", {}))),
        epsilon=str(public.get("privacy_loss", {}).get("epsilon", 0)),
    )


def histogram(release: Release) -> Chart | None:
    """The chart of a published table, from its bytes."""
    return tables.published_chart(release.candidate) if release.candidate else None


def risk_figures(risk: Mapping[str, Any]) -> Iterable[tuple[str, str, str]]:
    """Every single figure of the risk measures, with its explanation."""
    measures: Mapping[str, Any] = catalogue.measures()
    for slug, figures in risk.items():
        explain = measures[slug].explanations if slug in measures else {}
        for name, value in figures.items():
            if not isinstance(value, (Mapping, list)):
                yield words(name), printed(name, value), explain.get(name, "")


def codebook(release: Release) -> list[ColumnLine]:
    """The columns of the file with what was done to each."""
    run = release.candidate
    if run is None:
        return []
    labels = {name: said["label"] for name, said in run.dictionary.items()}
    if tables.is_table(run):
        return table_codebook(run, labels)
    return column_lines(run.recipe.get("columns", {}), run.report, labels)


def table_codebook(run: Run, labels: Mapping[str, str]) -> list[ColumnLine]:
    """The columns of a table with noise: those it counts by, and its figures."""
    origins = [pair for step in tables.steps_of(run) for pair in step.get("cells_from", {}).items()]
    keys = [
        ColumnLine(name, labels.get(name, ""), "cell", "", f"cells from {origin}") for name, origin in origins
    ]
    figures = [ColumnLine(name, words, "number", "", how) for name, words, how in tables.COLUMNS]
    return [*keys, *figures]


def usage(release: Release) -> dict[str, Any]:
    """How to use the file, as the codebook among its files says it: what was done, what its signs mean."""
    run = release.candidate
    if run is None:
        return {}
    own = randomized_at_the_source(run)
    if tables.is_table(run):
        said = [recipes.sentence("step", entry) for entry in run.recipe.get("steps", ())]
        return {"reading_notes": [*said, *own, *tables.codebook_lines(run), *NOTES[-1:]]}
    return {"step_notes": step_notes.of_run(run), "reading_notes": [*own, *NOTES]}


def randomized_at_the_source(run: Run) -> list[str]:
    """How to estimate from columns whose respondents randomized their answers themselves."""
    roles = {name: part["role"] for name, part in run.recipe.get("columns", {}).items()}
    return [
        f"{name}: {randomized_note(said['randomized'])}"
        for name, said in run.dictionary.items()
        if said["randomized"] and roles.get(name) in RELEASED
    ]
