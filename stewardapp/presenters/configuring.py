"""What the configuration page needs besides its forms."""

from __future__ import annotations

import re
import uuid
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from django.urls import reverse

from stewardapp.access.amounts import epsilon_words
from stewardapp.forms.parameter_fields import ColumnChoice, Offered
from stewardapp.forms.presets import Preset, presets
from stewardapp.forms.recipe_form import FORMATS, LISTS, foresees
from stewardapp.models import Preview
from stewardapp.models.pricing import funds_of
from stewardapp.presenters import previews
from stewardapp.presenters.limits import most_cells
from stewardapp.presenters.recipes import sentences
from worker.engine import catalogue
from worker.engine.errors import EngineError, column_named
from worker.engine.fields import RELEASED, Kind, Role
from worker.engine.io.formats import WORKBOOK_ROWS
from worker.engine.method import Forecast, Method, Scope
from worker.engine.recipe import Recipe, impossible

if TYPE_CHECKING:
    from django.http import HttpRequest

    from stewardapp.access.verdict import Refused
    from stewardapp.forms.recipe_form import Item, RecipeForm
    from stewardapp.models import Release, Run, Version


def columns_of(release: Release) -> Offered:
    """What the forms of a release may offer."""
    return columns_of_version(release.version)


def columns_of_version(version: Version) -> Offered:
    """The tagged columns – an untagged one is dropped and cannot be chosen – and the population files."""
    tagged = version.columns.tagged()
    columns = (
        ColumnChoice(column.name, Kind(column.kind), Role(column.role), column.has_cells) for column in tagged
    )
    files = version.usable_as_population().select_related("dataset")
    return Offered(columns, [(str(one.pk), str(one)) for one in files])


def recipe_shown(release: Release, run_id: str | None) -> Mapping[str, Any]:
    """The recipe to begin with: the draft, or that of a run somebody wants to change one thing of."""
    run = run_of(release, run_id)
    recipe: Mapping[str, Any] = run.recipe if run is not None else release.recipe
    return recipe


def differs(recipe: Mapping[str, Any], release: Release) -> bool:
    """Whether goals or steps are other than those saved."""
    return any(recipe.get(part, []) != release.recipe.get(part, []) for part in LISTS.values())


PLACE = re.compile(r"(goals|steps)\[(\d+)\](?:\.params\.(\w+))?")


def run_of(release: Release, run_id: str | None) -> Run | None:
    """The run of this release with that id, if there is one."""
    try:
        return release.runs.filter(pk=uuid.UUID(run_id or "")).first()
    except ValueError:
        return None


def mark_failure(form: RecipeForm, release: Release, run_id: str | None) -> None:
    """Put what a failed run said beside the step and the field it is about."""
    run = run_of(release, run_id)
    if run is None or not run.error_code:
        return
    for step in form.steps:
        if run.error_step is not None and step.number == run.error_step + 1:
            place = PLACE.search(run.error_param)
            mark_step(step, release, run.error_message, (place and place[3]) or run.error_param)
            return
    form.failure = run.error_message


def mark_refusal(form: RecipeForm, refused: Refused) -> None:
    """Put a refusal beside the goal or step and the field it names, else above all."""
    named = getattr(refused, "param", "")
    if named == FORMATS:
        form.failed_format = refused.reason
        return
    place = PLACE.search(named)
    if place is None:
        form.failure = refused.reason
        return
    items = form.goals if place[1] == "goals" else form.steps
    for item in items[int(place[2]) : int(place[2]) + 1]:
        item.failure, item.failed_param = refused.reason, place[3] or ""


def attach_previews(form: RecipeForm, release: Release, request: HttpRequest) -> None:
    """Show again what was tried, and which column was chosen, however the page was rearranged since."""
    seen = Preview.objects.visible_to(request.user).filter(release=release)
    known = {str(preview.pk): preview for preview in seen}
    for step in form.steps:
        step.preview_column = request.POST.get(f"column-{step.key}", "")
        step.preview = step.preview or known.get(request.POST.get(f"preview-{step.key}", ""))
        if step.preview is not None:
            step.preview_shown = previews.shown(step.preview)


def tell_limits(form: RecipeForm, release: Release) -> None:
    """Beside each step that holds whole columns in memory, and beside a workbook: if the file fits."""
    form.workbook_too_small = (release.version.rows or 0) > WORKBOOK_ROWS
    for item in form.steps:
        method = item.object(form.columns)
        if method.holds_columns if method else item.contract and item.contract.scope == Scope.WHOLE_COLUMNS:
            item.most_cells = most_cells()
            item.too_large = (release.version.rows or 0) > item.most_cells


def foresee(form: RecipeForm, release: Release) -> None:
    """Beside each step that can tell them: its figures before anything is run or spent."""
    steps = [item for item in form.steps if item.contract is not None and foresees(item.contract)]
    if not steps:
        return
    declared = Recipe.parse({"version": 1, "columns": release.draft()["columns"]}).declarations({})
    for item in steps:
        item.foresees = True
        method = item.object(form.columns)
        try:
            item.forecast = (*method.forecast(declared), *remaining(release, method)) if method else ()
        except EngineError:
            continue  # said beside the step, with what else cannot work


def foretell(form: RecipeForm, release: Release) -> None:
    """Beside each step: what would end its run whatever the data hold."""
    said = Recipe.parse({"version": 1, "columns": release.draft()["columns"]})
    goals = [goal for item in form.goals if (goal := item.object(form.columns)) is not None]
    steps = [(item, method) for item in form.steps if (method := item.object(form.columns)) is not None]
    for at, error in impossible([method for _, method in steps], goals, said.schema, said.declarations({})):
        mark_step(steps[at][0], release, error.sentence, error.param or "")


def mark_step(item: Item, release: Release, sentence: str, param: str) -> None:
    """Put what is wrong beside a step, with the way to the field or to the column it is about."""
    item.failure = item.failure or sentence
    item.failed_param = item.failed_param or param
    column = release.version.columns.filter(name=column_named(param)).first()
    if column is not None:
        item.failed_column = reverse("column-settings", args=[column.pk])


def remaining(release: Release, method: Method) -> Iterable[Forecast]:
    """What each purse would still hold after this step; a purse that holds too little says so."""
    cost = method.cost()
    if not cost:
        return
    for one in funds_of(release.project, release.version.dataset.population):
        left = one.epsilon_micro - cost.epsilon_micro
        short = left < 0 or one.delta_femto < cost.delta_femto
        value = "not enough" if short else epsilon_words(left)
        yield Forecast(f"Left afterwards in {one.name}", value, LEFT.format(epsilon_words(one.epsilon_micro)))


LEFT = "Now it holds {}. What a run takes is never given back, whatever becomes of its result."


def surroundings(release: Release) -> dict[str, Any]:
    """Pickers, the recipe in sentences, and how long the last run took."""
    return {
        "goal_choices": choices(catalogue.goals()),
        "method_choices": choices(catalogue.methods()),
        "sentences": sentences(release.draft()),
        "leaving": [one.name for one in columns_of(release) if one.role in RELEASED],
        "workbook_rows": WORKBOOK_ROWS,
        "untagged": release.version.columns.filter(role="").count(),
        "last_seconds": last_seconds(release),
    }


def choices(classes: Mapping[str, Any]) -> list[tuple[str, str, str]]:
    """What a picker offers: name, title, one line."""
    return [(slug, found.title, found.in_short()) for slug, found in classes.items()]


def last_seconds(release: Release) -> float | None:
    """How long the last run that succeeded took."""
    run = release.runs.filter(state="succeeded").order_by("-finished_at").first()
    if run is None or run.started_at is None or run.finished_at is None:
        return None
    return float((run.finished_at - run.started_at).total_seconds())


def preset_choices(form: Any) -> list[tuple[Any, Preset]]:
    """Each radio button of the picker with the preset it stands for."""
    return [(button, one) for button, one in zip(form["preset"], presets(), strict=True)]
