"""The editor of a step's own matrix: a table of inputs, the heat map, what it promises and costs."""

from __future__ import annotations

import copy
import uuid
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import URLPattern, path, reverse
from django.views.decorators.http import require_GET, require_http_methods
from pydantic import ValidationError

from stewardapp.access import rules
from stewardapp.access.verdict import Conflict, Invalid, require
from stewardapp.actions import releases
from stewardapp.domain.facts import release_facts
from stewardapp.forms.matrix_draft import MatrixDraft
from stewardapp.models import Release
from stewardapp.presenters import matrix_editor
from stewardapp.presenters.charts import figure_json, pictured
from stewardapp.presenters.configuring import offered
from stewardapp.presenters.matrix_editor import Opened
from stewardapp.reads.drafts import Draft
from stewardapp.views.finding import release_or_404
from stewardapp.views.people import signed_in
from worker.engine.dp import promises
from worker.engine.io.sent_text import whole_number

REFUSED = (
    "The method does not accept this matrix with its other parameters; look at them on the recipe's page."
)


@require_http_methods(["GET", "HEAD", "POST"])
def matrix(request: HttpRequest, id: uuid.UUID, number: int, param: str) -> HttpResponse:
    """Show the matrix; fill, normalise or save it."""
    release = release_or_404(request, id)
    require(rules.may_view_version(release.person(request.user)))  # categories are values
    opened = matrix_editor.opened(Draft(release), number, param)
    if request.method != "POST":
        return page(request, opened, opened.draft().judged())
    require(rules.may_edit_release(release.person(request.user), release_facts(release)))
    if matrix_editor.too_many(opened.categories):
        return page(request, opened, opened.draft(), status=422)
    draft = sent(request, opened)
    command = request.POST.get("do", "show")
    if command != "save":
        return page(request, opened, changed(draft, command).judged(), unsaved=True)
    return save(request, opened, draft.judged())


def sent(request: HttpRequest, opened: Opened) -> MatrixDraft:
    """What was sent, among the categories and columns there are."""
    known = opened.strata(offered(opened.around))
    strata = [name for name in request.POST.getlist("strata") if name in known]
    return MatrixDraft.sent(opened.categories, request.POST.dict(), strata)


def changed(draft: MatrixDraft, command: str) -> MatrixDraft:
    """The draft after a button."""
    verb, _, row = command.partition(":")
    if verb == "fill":
        return draft.filled()
    if verb == "normalise":
        return draft.normalised(whole_number(row))
    return draft


def save(request: HttpRequest, opened: Opened, draft: MatrixDraft) -> HttpResponse:
    """Keep a valid matrix in the recipe of the release."""
    if not draft.is_valid:
        return page(request, opened, draft, unsaved=True, status=422)
    params = opened.saved(draft)
    try:
        opened.contract.model_validate(params)
        store(request, opened, params)
    except ValidationError:
        return page(request, opened, draft, unsaved=True, status=422, failure=REFUSED)
    except (Conflict, Invalid) as refused:
        return page(request, opened, draft, unsaved=True, status=refused.status, failure=refused.reason)
    messages.success(request, "The matrix is saved in the recipe.")
    return redirect("release-configure", opened.release.pk)


def store(request: HttpRequest, opened: Opened, params: dict[str, Any]) -> Release:
    """Put the parameters into the recipe, unless somebody else changed it since the page was opened."""
    recipe = copy.deepcopy(opened.release.recipe)
    recipe["steps"][opened.number - 1]["params"] = params
    seen = request.POST.get("revision", "")
    revision = whole_number(seen)
    return releases.edit_recipe(
        release=opened.release, recipe=recipe, revision=revision, by=signed_in(request)
    )


def page(
    request: HttpRequest,
    opened: Opened,
    draft: MatrixDraft,
    *,
    unsaved: bool = False,
    status: int = 200,
    failure: str = "",
) -> HttpResponse:
    """The page around a draft."""
    release, effect = opened.release, matrix_editor.effect(draft)
    too_many = matrix_editor.too_many(opened.categories)
    shown: dict[str, object] = {
        "release": release,
        "opened": opened,
        "draft": draft,
        "rows": matrix_editor.rows(draft),
        "strata": opened.strata(offered(opened.around)),
        "reason": too_many,
        "effect": effect,
        "local_epsilon": promises.LOCAL_EPSILON,
        "as_likely": promises.as_likely(effect.ratio) if effect and effect.ratio else "",
        "in_use": matrix_editor.in_use(opened, draft) if not too_many else [],
        "inflation": matrix_editor.inflation_lines(draft, effect),
        "may_edit": rules.may_edit_release(release.person(request.user), release_facts(release)),
        "unsaved": unsaved,
        "failure": failure,
    }
    if effect is not None and not shown["reason"]:
        shown["chart"] = pictured(matrix_editor.heat_map(draft.categories, draft.matrix))
        address = reverse("step-matrix-chart", args=[release.pk, opened.number, opened.param])
        shown["chart_url"] = f"{address}?cells={matrix_editor.packed(draft)}"
    return render(request, "releases/matrix.html", shown, status=status)


@require_GET
def chart(request: HttpRequest, id: uuid.UUID, number: int, param: str) -> HttpResponse:
    """The heat map of the numbers in the address, or of the saved matrix."""
    release = release_or_404(request, id)
    require(rules.may_view_version(release.person(request.user)))
    opened = matrix_editor.opened(Draft(release), number, param)
    asked = request.GET.get("cells", "")
    if matrix_editor.too_many(opened.categories):
        raise Http404
    cells = matrix_editor.unpacked(asked, len(opened.categories)) if asked else opened.draft().matrix
    if cells is None:
        raise Http404
    figure = figure_json(matrix_editor.heat_map(opened.categories, cells))
    return HttpResponse(figure, content_type="application/json")


urlpatterns: list[URLPattern] = [
    path("releases/<uuid:id>/steps/<int:number>/<slug:param>/", matrix, name="step-matrix"),
    path("releases/<uuid:id>/steps/<int:number>/<slug:param>/chart/", chart, name="step-matrix-chart"),
]
