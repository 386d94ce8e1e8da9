"""What the catalogue says of a published release: nothing that is not in the public manifest or the file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from stewardapp.models.canonical import sha256_of
from stewardapp.models.manifest import public_part
from stewardapp.presenters import recipes, tables
from stewardapp.presenters.measures import printed, words
from stewardapp.presenters.results import goal_line
from stewardapp.presenters.survey_pages import randomized_note
from worker.engine import catalogue
from worker.engine.fields import RELEASED

if TYPE_CHECKING:
    from stewardapp.models import Release, Run
    from worker.engine.chart import Chart


@dataclass(frozen=True)
class CodebookLine:
    """One column of the file."""

    name: str
    label: str
    kind: str
    role: str
    treatment: str


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
    public = public_part(release.candidate.manifest) if release.candidate else {}
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


def codebook(release: Release) -> list[CodebookLine]:
    """The columns of the file with what was done to each."""
    run = release.candidate
    if run is None:
        return []
    labels = dict(release.version.columns.values_list("name", "label"))
    if tables.is_table(run):
        return table_codebook(run, labels)
    levels, heights = step_levels(run.report, "levels"), step_levels(run.report, "heights")
    columns = run.recipe.get("columns", {})
    leaving = {name: column for name, column in columns.items() if leaves(column)}
    return [
        CodebookLine(
            name,
            labels.get(name, ""),
            one.get("kind", ""),
            one["role"],
            treated(levels.get(name), heights.get(name)),
        )
        for name, one in leaving.items()
    ]


def table_codebook(run: Run, labels: Mapping[str, str]) -> list[CodebookLine]:
    """The columns of a table with noise: those it counts by, and its figures."""
    origins = [pair for step in tables.steps_of(run) for pair in step.get("cells_from", {}).items()]
    keys = [
        CodebookLine(name, labels.get(name, ""), "cell", "", f"cells from {origin}")
        for name, origin in origins
    ]
    figures = [CodebookLine(name, words, "number", "", how) for name, words, how in tables.COLUMNS]
    return [*keys, *figures]


def leaves(column: Mapping[str, Any]) -> bool:
    """Whether a column is in the file."""
    return column.get("role") in RELEASED or bool(column.get("release"))


def step_levels(report: Mapping[str, Any], fact: str) -> dict[str, int]:
    """How far each column was generalized, or could be, over all steps."""
    found: dict[str, int] = {}
    for step in report.get("steps", ()):
        for name, level in (step.get(fact) or {}).items():
            found[name] = max(found.get(name, 0), int(level))
    return found


def treated(level: int | None, height: int | None) -> str:
    """What was done to a column, in words."""
    if level is None:
        return "as recorded, unless a step below says otherwise"
    if level and level == height:
        return "generalized completely: every value is *"
    of = f" of {height}" if height else ""
    return f"generalized to level {level}{of}" if level else "not generalized"


def usage(release: Release) -> list[str]:
    """How to use the file: what its signs mean, and what was done."""
    run = release.candidate
    if run is None:
        return []
    said = [recipes.sentence("step", entry) for entry in run.recipe.get("steps", ())]
    said += randomized_at_the_source(release)
    if tables.is_table(run):
        return [*said, *tables.codebook_lines(run), QUOTE]
    return [*said, *NOTES, QUOTE]


def randomized_at_the_source(release: Release) -> list[str]:
    """How to estimate from columns whose respondents randomized their answers themselves."""
    marked = release.version.columns.filter(role__in=RELEASED).exclude(randomized={})
    return [f"{column.name}: {randomized_note(column.randomized)}" for column in marked]


NOTES = (
    "An interval [a, b[ holds a and everything up to, but not including, b. A * stands for any value.",
    "The order of the rows says nothing: the file is sorted by its released values.",
)
QUOTE = "Quote the sha256 of the file when you publish results, so that others can find exactly this file."
