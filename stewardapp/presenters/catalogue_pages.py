"""What the catalogue says of a published release: nothing that is not in the public manifest or the files."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from stewardapp.models.canonical import sha256_of
from stewardapp.models.manifest import public_part
from stewardapp.presenters import step_notes
from stewardapp.presenters.measures import printed, words
from stewardapp.presenters.results import goal_line
from worker.engine import catalogue
from worker.engine.codebook import NOTES, ColumnLine, column_lines

if TYPE_CHECKING:
    from stewardapp.models import Release


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
    labels = dict(release.version.columns.values_list("name", "label"))
    return column_lines(run.recipe.get("columns", {}), run.report, labels)


def usage(release: Release) -> dict[str, Any]:
    """How to use the file, as the codebook among its files says it: what was done, what its signs mean."""
    notes = step_notes.of_run(release.candidate) if release.candidate else []
    return {"step_notes": notes, "reading_notes": NOTES}
