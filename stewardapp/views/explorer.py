"""The solutions a search looked at: see them, choose another one, compare."""

from __future__ import annotations

import copy
import uuid
from collections.abc import Mapping
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import path, reverse
from django.utils.http import urlencode
from django.views.decorators.http import require_GET, require_POST

from stewardapp.access import rules
from stewardapp.access.facts import Person, ReleaseFacts
from stewardapp.access.verdict import Invalid, Verdict, first_no, require
from stewardapp.actions import bookmarks, explorations, releases, runs
from stewardapp.domain.facts import assessable_facts, release_facts
from stewardapp.domain.pricing import costs_of
from stewardapp.forms.recipe_form import LISTS
from stewardapp.models import Bookmark, Exploration, Run
from stewardapp.presenters import comparison, explorer
from stewardapp.presenters.bookmarks import Shelf
from stewardapp.presenters.candidates import differences
from stewardapp.presenters.run_pages import mends
from stewardapp.reads.runs import reordered
from stewardapp.views.assessments import ended
from stewardapp.views.finding import run_or_404
from stewardapp.views.people import signed_in
from worker.engine.contracts.facts import Facts, Heights
from worker.engine.io.sent_text import whole_number
from worker.engine.recipes.document import RecipeJson

PROGRESS = "runs/_exploration.html"


@require_GET
def run_explorer(request: HttpRequest, id: uuid.UUID) -> HttpResponse:
    """The lattice of one step, filtered by levels, with one node looked at closely."""
    run = run_or_404(request, id)
    exploration = run.explorations.first()
    if request.headers.get("HX-Request"):
        working = exploration is not None and exploration.is_alive
        return render(request, PROGRESS, {"run": run, "exploration": exploration}) if working else ended()
    lattice = lattice_or_404(run, request.GET.get("step", ""), exploration)
    wanted = filters(lattice, request.GET)
    points = lattice.filtered(wanted)
    chosen = lattice.parsed(request.GET.get("node", "")) or lattice.chosen
    point, shelf = (
        lattice.point(chosen),
        Shelf.of(lattice, Bookmark.objects.filter(run=run, step=lattice.step)),
    )
    release = run.release
    person, facts = release.person(request.user), release_facts(release)
    page: dict[str, object] = {
        "run": run,
        "release": release,
        "lattice": lattice,
        "columns": columns(lattice, wanted),
        "point": point,
        "shelf": shelf,
        "note": shelf.note_of(point),
        "may_bookmark": rules.may_bookmark(person),
        "levels": list(zip(lattice.names, chosen, (high for _, high in lattice.bounds), strict=True)),
        "is_chosen": chosen == lattice.chosen,
        "points": explorer.best_first(points)[: explorer.LISTED],
        "found": len(points),
        "states": explorer.WORDS.items(),
        "others": others(run, lattice, chosen),
        "exploration": exploration,
        "may_explore": None if lattice.listed else may_explore(run, person, facts),
        "may_choose": first_no(rules.may_edit_release(person, facts), rules.may_start_run(person, facts)),
    }
    return render(request, "runs/explorer.html", page | picture(lattice, points, request.GET))


def may_explore(run: Run, person: Person, release: ReleaseFacts) -> Verdict:
    """Whether this person may have all combinations listed."""
    return rules.may_explore(person, release, assessable_facts(run), charged=bool(costs_of(run.recipe)))


@require_POST
def run_explore(request: HttpRequest, id: uuid.UUID) -> HttpResponse:
    """Have a worker list every combination that the searches of the run look at."""
    run = run_or_404(request, id)
    explorations.start(run=run, by=signed_in(request))
    return redirect("run-explorer", run.pk)


@require_POST
def run_bookmark(request: HttpRequest, id: uuid.UUID) -> HttpResponse:
    """Keep one combination with a note."""
    run = run_or_404(request, id)
    lattice = lattice_or_404(run, request.POST.get("step", ""))
    node, note = request.POST.get("node", ""), request.POST.get("note", "")
    if lattice.parsed(node) is None:
        raise Http404
    try:
        bookmarks.keep(run=run, step=lattice.step, node=node, note=note, by=signed_in(request))
    except Invalid as refused:
        messages.error(request, refused.reason)
    return seen_again(run, lattice.step, node)


@require_POST
def bookmark_remove(request: HttpRequest, id: uuid.UUID) -> HttpResponse:
    """Forget one."""
    seen = Bookmark.objects.visible_to(request.user).select_related("run__release__project")
    bookmark = get_object_or_404(seen, pk=id)
    run, step, node = bookmark.run, bookmark.step, bookmark.node
    bookmarks.remove(bookmark=bookmark, by=signed_in(request))
    return seen_again(run, step, node)


def seen_again(run: Run, step: int, node: str) -> HttpResponse:
    """The page with this combination looked at closely."""
    return redirect(
        f"{reverse('run-explorer', args=[run.pk])}?{urlencode({'step': str(step), 'node': node})}"
    )


@require_POST
def run_choose(request: HttpRequest, id: uuid.UUID) -> HttpResponse:
    """A new run with the levels of one node; the draft of the release keeps them."""
    run = run_or_404(request, id)
    lattice = lattice_or_404(run, request.POST.get("step", ""))
    node = lattice.parsed(request.POST.get("node", ""))
    if node is None:
        raise Http404
    recipe = copy.deepcopy(run.recipe)
    recipe["steps"][lattice.step].setdefault("params", {})["levels"] = lattice.levels_param(node)
    return run_again(request, run, recipe, "run-explorer")


def run_again(request: HttpRequest, run: Run, recipe: RecipeJson, back: str) -> HttpResponse:
    """Keep a recipe with one change in the draft, run it, and compare; a refusal leads back."""
    release = run.release
    require(rules.may_start_run(release.person(request.user), release_facts(release)))
    try:
        release = releases.edit_recipe(release=release, recipe=recipe, by=signed_in(request))
        made = runs.start(release=release, by=signed_in(request))
    except Invalid as refused:
        messages.error(request, refused.reason)
        return redirect(back, run.pk)
    messages.info(request, f"Run {made.number} has the change you chose.")
    return redirect("run-compare", run.pk, made.pk)


@require_POST
def run_mend(request: HttpRequest, id: uuid.UUID) -> HttpResponse:
    """A new run with one of the changes that a run without a solution named; the draft keeps it."""
    run = run_or_404(request, id)
    asked = request.POST.get("mend", "")
    known = {str(one.number) for one in mends(run)}
    if asked not in known:
        raise Http404
    mend, recipe = run.error_mends[int(asked)], copy.deepcopy(run.recipe)
    at = run.error_step if mend["at"] is None else mend["at"]
    recipe[LISTS[mend["part"]]][at].setdefault("params", {})[mend["param"]] = mend["value"]
    return run_again(request, run, recipe, "run-detail")


@require_GET
def run_compare(request: HttpRequest, id: uuid.UUID, other: uuid.UUID) -> HttpResponse:
    """Two runs of one release side by side: what differs in recipe and figures."""
    before, after = run_or_404(request, id), run_or_404(request, other)
    if before.release_id != after.release_id:
        raise Http404
    page = {"before": before, "after": after, "release": before.release}
    sections = comparison.sections(before, after)
    shown = {
        "changes": differences(before, after),
        "leading": comparison.leading(sections),
        "kinds": comparison.by_kind(sections),
        "reordered": reordered(before, after),
    }
    return render(request, "runs/compare.html", page | shown)


def lattice_or_404(run: Run, asked: str, exploration: Exploration | None = None) -> explorer.Lattice:
    """The lattice of the step asked for, or of the first that searched one."""
    steps = run.report.get("steps", ())
    searched = [n for n, step in enumerate(steps) if (found := Facts.of(step).levels) and found.heights]
    wanted = whole_number(asked)
    step = next(iter(searched), -1) if wanted is None else wanted
    if step not in searched or step >= len(run.recipe.get("steps", ())):
        raise Http404
    listed = exploration.steps[step:] if exploration is not None else []
    return explorer.Lattice(run, step, listed[0] if listed else {})


def filters(lattice: explorer.Lattice, asked: Mapping[str, str]) -> dict[str, int]:
    """The levels that were asked for, by column."""
    given = {name: asked.get(f"c{place}", "") for place, name in enumerate(lattice.names)}
    levels = {name: whole_number(text) for name, text in given.items()}
    return {name: level for name, level in levels.items() if level is not None}


def columns(lattice: explorer.Lattice, wanted: Mapping[str, int]) -> list[dict[str, Any]]:
    """One select per column."""
    return [
        {"field": f"c{place}", "name": name, "levels": range(low, high + 1), "wanted": wanted.get(name)}
        for place, (name, (low, high)) in enumerate(zip(lattice.names, lattice.bounds, strict=True))
    ]


def picture(
    lattice: explorer.Lattice, points: list[explorer.Point], asked: Mapping[str, str]
) -> dict[str, object]:
    """The drawing of a small lattice, the projection of a large one."""
    if lattice.size <= explorer.DRAWN or len(lattice.names) < 2:
        return {"drawing": explorer.drawing(lattice, points[: explorer.DRAWN])}
    tall = sorted(lattice.names, key=lambda name: -lattice.levels.heights[name])
    across = asked.get("x") if asked.get("x") in lattice.names else tall[0]
    down = asked.get("y") if asked.get("y") in lattice.names and asked.get("y") != across else None
    down = down or next(name for name in tall if name != across)
    return {"projection": explorer.projection(lattice, points, str(across), down)}


def others(run: Run, lattice: explorer.Lattice, node: explorer.Node) -> list[Run]:
    """Other runs of the release that came to this node."""
    levels = dict(zip(lattice.names, node, strict=True))
    same = run.release.runs.filter(state="succeeded").exclude(pk=run.pk)
    return [one for one in same if levels in chosen(one)]


def chosen(run: Run) -> list[Heights]:
    """The levels that the steps of a run came to."""
    found = (Facts.of(step).levels for step in run.report.get("steps", ()))
    return [one.chosen for one in found if one is not None]


urlpatterns = [
    path("runs/<uuid:id>/explorer/", run_explorer, name="run-explorer"),
    path("runs/<uuid:id>/explore/", run_explore, name="run-explore"),
    path("runs/<uuid:id>/bookmarks/", run_bookmark, name="run-bookmark"),
    path("bookmarks/<uuid:id>/remove/", bookmark_remove, name="bookmark-remove"),
    path("runs/<uuid:id>/choose/", run_choose, name="run-choose"),
    path("runs/<uuid:id>/mend/", run_mend, name="run-mend"),
    path("runs/<uuid:id>/compare/<uuid:other>/", run_compare, name="run-compare"),
]
