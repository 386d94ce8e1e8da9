"""Configuring the recipe of a release."""

from __future__ import annotations

import uuid
from dataclasses import replace

from django.contrib import messages
from django.db.models import prefetch_related_objects
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.urls import path, reverse
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from stewardapp.access import rules
from stewardapp.access.verdict import Conflict, Invalid, require
from stewardapp.actions import previews, releases, runs
from stewardapp.domain.facts import release_facts
from stewardapp.domain.recipe import recipe_of
from stewardapp.forms.parameter_fields import Offered
from stewardapp.forms.presets import preset, presets
from stewardapp.forms.recipe_form import RecipeForm
from stewardapp.forms.releases import ImportForm
from stewardapp.models import Release
from stewardapp.presenters import configuring
from stewardapp.presenters.release_pages import verdicts
from stewardapp.presenters.shortages import shortage_of
from stewardapp.reads.drafts import Draft
from stewardapp.reads.releases import Seen
from stewardapp.views import kinds
from stewardapp.views.finding import release_or_404
from stewardapp.views.people import signed_in
from worker.engine.io.sent_text import whole_number

EDIT, CONFIRM = "edit:", "confirm:"


@require_http_methods(["GET", "POST"])
def configure(request: HttpRequest, id: uuid.UUID) -> HttpResponse:
    """The goals, steps and measures of a release, each with its form."""
    release = release_or_404(request, id)
    draft = Draft(release)
    columns = configuring.offered(draft)
    if request.method == "GET":
        return begun(request, draft, columns)
    require(rules.may_edit_release(release.person(request.user), release_facts(release)))
    form, command = RecipeForm.sent(request.POST, columns, release.recipe), request.POST.get("do", "save")
    if command.startswith("preview:"):
        return try_step(request, draft, form, command.partition(":")[2])
    if command.startswith(CONFIRM):
        kinds.confirm(request, release.version, command.removeprefix(CONFIRM))
        return page(request, Draft(release), form, unsaved=True)
    if command not in ("save", "run") and not command.startswith(EDIT):
        return page(request, draft, changed(form, command, columns), unsaved=True)
    return save(request, release, form, command)


def begun(request: HttpRequest, draft: Draft, columns: Offered) -> HttpResponse:
    """The recipe as it is saved, or that of a run somebody wants to change one thing of."""
    run = draft.run(request.GET.get("run"))
    recipe = draft.release.recipe if run is None else run.recipe
    form = RecipeForm.stored(recipe, columns)
    if run is not None:
        configuring.mark_failure(form, draft, run)
    return page(request, draft, form, unsaved=configuring.differs(recipe, draft.release))


def changed(form: RecipeForm, command: str, columns: Offered) -> RecipeForm:
    """The form after a button that adds, removes, moves or fills in."""
    verb, _, slug = command.partition(":")
    chosen = preset(slug) if verb == "preset" else None
    if chosen is None:
        return form.rearranged(command)
    return replace(RecipeForm.stored(chosen.recipe(columns), columns), formats=form.formats)


def try_step(request: HttpRequest, draft: Draft, form: RecipeForm, key: str) -> HttpResponse:
    """Have a worker try one step as it stands in the form, saved or not; what was typed stays."""
    item = next((one for one in form.steps if one.key == key), None)
    goals = form.goals if item is not None and item.enforces else []
    judged = [*goals, item] if item is not None else []
    shown = form.judging(judged)
    if item is None or not all(one.is_valid() for one in judged):
        return page(request, draft, shown, unsaved=True)
    step, kept = item.as_recipe(), [goal.as_recipe() for goal in goals]
    column = request.POST.get(f"column-{key}", "")
    try:
        item.preview = previews.start(
            release=draft.release, step=step, goals=kept, column=column, by=signed_in(request)
        )
    except Invalid as refused:
        item.failure = refused.reason
    return page(request, draft, shown, unsaved=True)


def save(request: HttpRequest, release: Release, form: RecipeForm, command: str) -> HttpResponse:
    """Store a valid recipe; queue a run when that was the button."""
    if not form.is_valid():
        return page(request, Draft(release), form, unsaved=True, status=422)
    seen = request.POST.get("revision", "")
    revision = whole_number(seen)
    try:
        release = releases.edit_recipe(
            release=release, recipe=form.as_recipe(), revision=revision, by=signed_in(request)
        )
        if command == "run" and shortage_of(Seen(release, request.user)) is not None:
            messages.warning(request, "The recipe is saved. It cannot run yet: there is too little budget.")
            return redirect("release-configure", release.pk)
        if command == "run" and release_facts(release).guessed_kinds:
            messages.warning(request, "The recipe is saved. It cannot run yet: a kind has to be confirmed.")
            return redirect("release-configure", release.pk)
        if command == "run":
            return redirect("run-detail", runs.start(release=release, by=signed_in(request)).pk)
        if command.startswith(EDIT):
            return redirect("step-matrix", release.pk, *form.place_of(command.removeprefix(EDIT)))
    except (Conflict, Invalid) as refused:
        release.refresh_from_db()
        configuring.mark_refusal(form, refused)
        return page(request, Draft(release), form, unsaved=True, status=refused.status)
    messages.success(request, "The recipe is saved.")
    return redirect("release-configure", release.pk)


def page(
    request: HttpRequest,
    draft: Draft,
    form: RecipeForm,
    *,
    unsaved: bool = False,
    status: int = 200,
) -> HttpResponse:
    """The configuration page around a form."""
    release = draft.release
    prefetch_related_objects([release.version.dataset.population], "overlaps")
    configuring.attach_previews(form, draft, request)
    configuring.tell_limits(form, release)
    configuring.foresee(form, draft)
    configuring.foretell(form, draft)
    configuring.tell_costs(form, draft)
    shown: dict[str, object] = {"release": release, "form": form, "unsaved": unsaved, "presets": presets()}
    seen = Seen(release, request.user)
    shown |= {"may": verdicts(seen), "import_form": ImportForm()}
    shown |= {"form_url": reverse("release-configure", args=[release.pk])}
    shown |= {"shortage": shortage_of(seen)}
    shown |= {"guessed": configuring.guessed_kinds(form, draft)}
    shown |= {"may_tag": rules.may_tag(seen.person, release.version.facts())}
    shown |= configuring.surroundings(draft, form)
    return render(request, "releases/configure.html", shown, status=status)


@require_POST
def import_recipe(request: HttpRequest, id: uuid.UUID) -> HttpResponse:
    """Show the goals, steps and measures of a recipe file, to be looked at before they are saved."""
    release = release_or_404(request, id)
    require(rules.may_edit_release(release.person(request.user), release_facts(release)))
    form = ImportForm(request.POST)
    if form.is_valid():
        draft = Draft(release)
        items = RecipeForm.stored(form.cleaned_data["recipe"], configuring.offered(draft))
        return page(request, draft, items, unsaved=True)
    shown = {"release": release, "import_form": form}
    return render(request, "releases/import.html", shown, status=422)


@require_GET
def export_recipe(request: HttpRequest, id: uuid.UUID) -> HttpResponse:
    """The whole recipe as a file that the command line and other sites can run."""
    release = release_or_404(request, id)
    require(rules.may_view_version(release.person(request.user)))  # hierarchies hold values
    answer = JsonResponse(recipe_of(release), json_dumps_params={"indent": 2, "ensure_ascii": False})
    answer["Content-Disposition"] = f'attachment; filename="recipe-{release.pk}.json"'
    return answer


urlpatterns = [
    path("releases/<uuid:id>/configure/", configure, name="release-configure"),
    path("releases/<uuid:id>/recipe/import/", import_recipe, name="release-import"),
    path("releases/<uuid:id>/recipe.json", export_recipe, name="release-export"),
]
