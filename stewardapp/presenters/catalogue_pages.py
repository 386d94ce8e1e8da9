"""What the catalogue says of a published release: nothing that is not in the public manifest or the files."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from stewardapp.access.amounts import amount, spend_words
from stewardapp.canonical import sha256_of
from stewardapp.domain.manifest import Manifest, public_manifest
from stewardapp.presenters import recipes, step_notes, tables
from stewardapp.presenters.how_to_read import printed
from stewardapp.presenters.measures import figure_of
from stewardapp.presenters.results import goal_line
from stewardapp.presenters.survey_pages import randomized_note
from worker.engine import catalogue
from worker.engine.contracts.figure import Figures
from worker.engine.contracts.goal import Goal
from worker.engine.contracts.privacy import Protected, Spend
from worker.engine.dp.promises import promised
from worker.engine.recipes.codebook import NOTES, ColumnLine, column_lines
from worker.engine.recipes.report import Loss
from worker.engine.tables.kinds import RELEASED

if TYPE_CHECKING:
    from stewardapp.models import Run


@dataclass(frozen=True)
class Promise:
    """A privacy loss in words: its amount, whom it protects, and what follows for which question."""

    amount: str
    protects: str
    sentences: tuple[str, ...]


@dataclass(frozen=True)
class Certificate:
    """The public manifest in words."""

    manifest: Manifest
    sha256: str
    goals: tuple[Any, ...]
    figures: tuple[tuple[str, str, str], ...]
    promise: Promise | None
    """What a result under differential privacy promises; none where nothing was taken from a budget."""
    local: tuple[tuple[str, str], ...] = ()
    """What a cell of each column gives away at most."""


def certificate(run: Run | None) -> Certificate:
    """What was promised and measured of a run, and the hashes that identify the bytes."""
    public = public_manifest(run) if run else {}
    known: Mapping[str, type[Goal]] = catalogue.goals()
    return Certificate(
        manifest=public,
        sha256=sha256_of(public),
        goals=tuple(goal_line(goal, known) for goal in public.get("goals", ())),
        figures=tuple(public_figures(public)),
        promise=promise(public.get("privacy_loss", {})),
        local=tuple(
            (column, amount(Decimal(epsilon))) for column, epsilon in public.get("local_epsilon", {}).items()
        ),
    )


def promise(loss: Loss) -> Promise | None:
    """What a privacy loss of the manifest promises, and to whom."""
    epsilon, delta = (Decimal(str(loss.get(name, 0))) for name in ("epsilon", "delta"))
    if not epsilon:
        return None
    spend = Spend.of(epsilon, delta)
    unit = Protected(loss.get("unit", Protected.ROW))
    amounts = spend_words(spend.epsilon_micro, spend.delta_femto)
    return Promise(amounts, f"each {unit}", promised(spend, unit))


def public_figures(public: Manifest) -> Iterable[tuple[str, str, str]]:
    """Every single figure that was published, with its explanation."""
    found = (*public.get("measures", []), *public.get("measured_afterwards", []))
    listed = ((one["measure"], one["after"]) for one in found)
    for slug, figures in (*listed, *public.get("risk", {}).items()):
        yield from told(slug, figures)


def told(slug: str, figures: Figures) -> Iterable[tuple[str, str, str]]:
    """The figures of one measure that are one number or word."""
    for name, value in figures.items():
        if not isinstance(value, (Mapping, list)):
            figure = figure_of(slug, name)
            yield figure.title, printed(figure, value), figure.explanation


def codebook(run: Run | None, *, lists: bool) -> list[ColumnLine]:
    """The columns of the file with what was done to each; `lists` for those who may have the file itself."""
    if run is None:
        return []
    labels = {name: said["label"] for name, said in run.dictionary.items()}
    if tables.is_table(run):
        return table_codebook(run, labels)
    lines = column_lines(run.recipe.get("columns", {}), run.report, labels)
    return lines if lists else [replace(line, values=(), stands_for=()) for line in lines]


def table_codebook(run: Run, labels: Mapping[str, str]) -> list[ColumnLine]:
    """The columns of a table with noise: those it counts by, and its figures."""
    origins = [pair for step in tables.steps_of(run) for pair in step.get("cells_from", {}).items()]
    keys = [
        ColumnLine(name, labels.get(name, ""), "cell", "", f"cells from {origin}") for name, origin in origins
    ]
    figures = [ColumnLine(name, words, "number", "", how) for name, words, how in tables.COLUMNS]
    return [*keys, *figures]


def usage(run: Run | None) -> dict[str, object]:
    """How to use the file, as the codebook among its files says it: what was done, what its signs mean."""
    if run is None:
        return {}
    noted = {} if tables.is_table(run) else {"step_notes": step_notes.of_run(run)}
    return noted | {"reading_notes": reading_notes(run)}


def reading_notes(run: Run) -> list[str]:
    """What its signs mean; of a table also what was done."""
    own = randomized_at_the_source(run)
    if tables.is_table(run):
        said = [recipes.sentence("step", entry) for entry in run.recipe.get("steps", ())]
        return [*said, *own, *tables.codebook_lines(run), *NOTES[-1:]]
    return [*own, *NOTES]


def randomized_at_the_source(run: Run) -> list[str]:
    """How to estimate from columns whose respondents randomized their answers themselves."""
    roles = {name: part["role"] for name, part in run.recipe.get("columns", {}).items()}
    return [
        f"{name}: {randomized_note(said['randomized'])}"
        for name, said in run.dictionary.items()
        if said["randomized"] and roles.get(name) in RELEASED
    ]
