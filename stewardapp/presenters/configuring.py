"""What the configuration page needs besides its forms."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from django.urls import reverse

from stewardapp.access.amounts import epsilon_words
from stewardapp.domain import recipe as drafts
from stewardapp.domain.brought import UPLOADED
from stewardapp.domain.pricing import funds_of
from stewardapp.forms.parameter_fields import ColumnChoice, Offered
from stewardapp.forms.presets import Preset, presets
from stewardapp.forms.recipe_form import FORMATS, LISTS, Cost, Everything, foresees, listed_in, measures
from stewardapp.presenters import previews
from stewardapp.presenters.limits import most_cells, room_to_plan
from stewardapp.presenters.numbers import duration
from stewardapp.presenters.recipes import sentences
from worker.engine import catalogue
from worker.engine.contracts.measure import Measure, too_large
from worker.engine.contracts.method import Forecast, Method, Scope
from worker.engine.contracts.scene import Outlook
from worker.engine.contracts.traces import Traces
from worker.engine.errors import EngineError, column_named
from worker.engine.io.formats import WORKBOOK_ROWS
from worker.engine.recipes.document import RecipeJson
from worker.engine.recipes.recipe import Recipe, impossible
from worker.engine.tables.kinds import RELEASED, Kind, Role

if TYPE_CHECKING:
    from django.http import HttpRequest

    from stewardapp.access.verdict import Refused
    from stewardapp.forms.recipe_form import Item, RecipeForm
    from stewardapp.models import Column, Release, Run, Version
    from stewardapp.reads.drafts import Draft


def offered(draft: Draft) -> Offered:
    """What the forms of a release may offer."""
    return offered_of(draft.tagged, draft.files)


def offered_of(tagged: Iterable[Column], files: Iterable[Version]) -> Offered:
    """The tagged columns – an untagged one is dropped and cannot be chosen – and the population files."""
    columns = (
        ColumnChoice(column.name, Kind(column.kind), Role(column.role), column.has_cells) for column in tagged
    )
    return Offered(columns, [(str(one.pk), str(one)) for one in files])


def offered_of_run(run: Run, files: Iterable[Version]) -> Offered:
    """What measures of a run may name: its columns as they were declared then, files there are now, and one
    that comes along."""
    said = run.recipe.get("columns", {})
    taking_part = {name: part for name, part in said.items() if part["role"] != Role.DROPPED}
    columns = (
        ColumnChoice(name, Kind(part.get("kind", Kind.TEXT)), Role(part["role"]))
        for name, part in taking_part.items()
    )
    datasets = [(str(one.pk), str(one)) for one in files]
    return Offered(columns, [(UPLOADED, WITH_THIS), *datasets], BRING)


WITH_THIS = "The file uploaded with this"
BRING = "A dataset of this project, or a file that you bring along for this assessment alone."


def differs(recipe: RecipeJson, release: Release) -> bool:
    """Whether goals, steps or measures are other than those saved."""
    return any(listed_in(recipe, part) != listed_in(release.recipe, part) for part in LISTS)


PLACE = re.compile(r"(goals|steps|measures)\[(\d+)\](?:\.params\.(\w+))?")


def mark_failure(form: RecipeForm, draft: Draft, run: Run) -> None:
    """Put what a failed run said beside the step and the field it is about."""
    if not run.error_code:
        return
    for step in form.steps:
        if run.error_step is not None and step.number == run.error_step + 1:
            place = PLACE.search(run.error_param)
            mark_step(step, draft, run.error_message, (place and place[3]) or run.error_param)
            return
    form.failure = run.error_message


def mark_refusal(form: RecipeForm, refused: Refused) -> None:
    """Put a refusal beside the part and the field it names, else above all."""
    named = getattr(refused, "param", "")
    if named == FORMATS:
        form.failed_format = refused.reason
        return
    place = PLACE.search(named)
    if place is None:
        form.failure = refused.reason
        return
    for item in form.part(place[1])[int(place[2]) : int(place[2]) + 1]:
        item.failure, item.failed_param = refused.reason, place[3] or ""


def attach_previews(form: RecipeForm, draft: Draft, request: HttpRequest) -> None:
    """Show again what was tried, and which column was chosen, however the page was rearranged since."""
    known = draft.previews(request.user) if request.method == "POST" else {}
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


def foresee(form: RecipeForm, draft: Draft) -> None:
    """Beside each step that can tell them: its figures before anything is run or spent."""
    steps = [item for item in form.steps if item.contract is not None and foresees(item.contract)]
    if not steps:
        return
    declared = declared_by(draft).declarations({})
    for item in steps:
        item.foresees = True
        method = item.object(form.columns)
        try:
            item.forecast = (*method.forecast(declared), *remaining(draft.release, method)) if method else ()
        except EngineError:
            continue  # said beside the step, with what else cannot work


def declared_by(draft: Draft) -> Recipe:
    """What is said of the columns, for the engine."""
    return Recipe.parse({"version": 1, "columns": draft.recipe["columns"]})


def foretell(form: RecipeForm, draft: Draft) -> None:
    """Beside each step: what would end its run whatever the data hold."""
    said = declared_by(draft)
    goals = [goal for item in form.goals if (goal := item.object(form.columns)) is not None]
    steps = [(item, method) for item in form.steps if (method := item.object(form.columns)) is not None]
    for at, error in impossible([method for _, method in steps], goals, said.schema, said.declarations({})):
        mark_step(steps[at][0], draft, error.sentence, error.param or "")


def guessed_kinds(form: RecipeForm, draft: Draft) -> list[Column]:
    """The columns whose kind has to be confirmed for the steps as they stand; a step that cannot run without
    says so."""
    steps = [(item, method) for item in form.steps if (method := item.object(form.columns)) is not None]
    found = drafts.guessed_kinds(draft.columns, [method for _, method in steps])
    for item, method in steps:
        named = {name for _, name, _ in method.named_columns()} if method.tabulates else set()
        for column in found:
            if column.name in named and drafts.needs_kind(column):
                sentence = GUESSED.format(column.name, column.kind)
                mark_step(item, draft, sentence, f"columns.{column.name}.kind")
    return found


GUESSED = "The kind of {0} is a guess from the data, on which this step may not rely: confirm that it is {1}."


def mark_step(item: Item, draft: Draft, sentence: str, param: str) -> None:
    """Put what is wrong beside a step, with the way to the field or to the column it is about."""
    item.failure = item.failure or sentence
    item.failed_param = item.failed_param or param
    column = draft.column(column_named(param))
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


def tell_costs(form: RecipeForm, draft: Draft) -> None:
    """Beside each measure: whether it applies, how long it will take, and whether it is too large."""
    if form.measures:
        tell_costs_in(form, outlook_of(form, draft))


def tell_costs_in(form: RecipeForm, outlook: Outlook) -> None:
    """The same, of data and steps that are known."""
    for item in form.measures:
        if item.contract is Everything:
            item.costs = [cost_of(one, outlook, one.title) for one in Everything.measures()]
        elif (measure := item.object(form.columns)) is not None:
            item.costs = [cost_of(measure, outlook)]


def outlook_of(form: RecipeForm, draft: Draft) -> Outlook:
    """What is known before a run of the steps as they stand."""
    said = declared_by(draft)
    steps = [method for item in form.steps if (method := item.object(form.columns)) is not None]
    weight_leaves = any(part.release for part in said.columns.values())
    try:
        traces = Traces.of(steps, said.schema, weight_leaves)
    except EngineError:  # a step that cannot work says so itself
        traces = None
    return Outlook(said.schema, draft.version.rows or 0, traces)


def outlook_of_run(run: Run) -> Outlook:
    """What is known before measures of a run that ended."""
    said = Recipe.parse({**run.recipe, "measures": []})
    return Outlook(said.schema, run.reading.rows or 0, said.traces if said.steps else None)


def cost_of(measure: Measure, outlook: Outlook, title: str = "") -> Cost:
    """What one instance will take."""
    try:
        measure.check(outlook.schema)
    except EngineError as error:
        return Cost("Cannot be measured.", error.sentence, title)
    if outlook.traces is not None and outlook.traces.tabulated:
        return Cost("Nothing is measured of a table with noise.", title=title)
    if reason := measure.does_not_apply(outlook):
        return Cost(f"Does not apply: {reason}", title=title)
    effort = measure.effort(outlook)
    refused = too_large(effort, room_to_plan())
    about = f"Takes about {duration(effort.seconds)}." if effort.seconds >= 1 else "Takes less than a second."
    return Cost(about, f"Too large. {refused.message}" if refused else "", title)


def surroundings(draft: Draft, form: RecipeForm) -> dict[str, object]:
    """Pickers, the recipe in sentences, and how long the last run took."""
    known, last = offered(draft), draft.last_success()
    return {
        "goal_choices": choices(catalogue.goals()),
        "method_choices": choices(catalogue.methods()),
        "measure_choices": measure_choices(form),
        "sentences": sentences(draft.recipe, dict(known.populations)),
        "leaving": [one.name for one in known if one.role in RELEASED],
        "workbook_rows": WORKBOOK_ROWS,
        "untagged": draft.untagged,
        "last_seconds": last.seconds if last is not None else None,
    }


def choices(classes: Mapping[str, Any]) -> list[tuple[str, str, str]]:
    """What a picker offers: name, title, one line."""
    return [(slug, found.title, found.in_short()) for slug, found in classes.items()]


def measure_choices(form: RecipeForm) -> list[tuple[str, str, str]]:
    """What the picker of measures offers; all of them at once can stand there once."""
    there = any(item.contract is Everything for item in form.measures)
    return choices(catalogue.measures() if there else measures())


def preset_choices(form: Any) -> list[tuple[Any, Preset]]:
    """Each radio button of the picker with the preset it stands for."""
    return [(button, one) for button, one in zip(form["preset"], presets(), strict=True)]
