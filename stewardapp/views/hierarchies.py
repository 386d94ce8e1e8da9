"""Hierarchies: propose, import, export, attach and detach, with a preview of every level."""

import uuid
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import URLPattern, path
from django.utils.http import content_disposition_header
from django.views.decorators.csrf import csrf_exempt, csrf_protect
from django.views.decorators.http import require_POST, require_safe

from stewardapp.access import rules
from stewardapp.access.verdict import Verdict, first_no, require
from stewardapp.actions import hierarchies
from stewardapp.domain.value_lists import WITH_VALUES, previewable, values_of
from stewardapp.forms.hierarchies import MOST_BYTES, AttachForm, ImportForm
from stewardapp.forms.refusals import answer_status, attempt
from stewardapp.models import Column, Hierarchy
from stewardapp.presenters.hierarchies import described, preview, rows_over, sentence
from stewardapp.uploadhandler import receiving
from stewardapp.views.people import signed_in
from stewardapp.views.proposing import propose_for
from worker.engine.errors import EngineError

NOTHING = "There is nothing to propose: only you know which of these values belong together. Import a table."


@require_safe
def of_column(request: HttpRequest, id: uuid.UUID) -> HttpResponse:
    """The hierarchy of one column, level by level, and the ways to another one."""
    return _shown(request, column_or_404(request, id))


@require_POST
def propose(request: HttpRequest, id: uuid.UUID) -> HttpResponse:
    """Attach what the values suggest."""
    user, column = signed_in(request), column_or_404(request, id)
    require(may_edit(request, column))
    if not propose_for(column, user):
        messages.warning(request, NOTHING)
    return redirect("column-hierarchy", column.pk)


@require_POST
def attach(request: HttpRequest, id: uuid.UUID) -> HttpResponse:
    """Use one of the project's hierarchies."""
    user, column = signed_in(request), column_or_404(request, id)
    require(may_edit(request, column))
    form = AttachForm(request.POST, choices=_of_project(column))
    if form.is_valid():
        attempt(form, hierarchies.attach, column=column, by=user, **form.cleaned_data)
    if form.is_valid():
        return redirect("column-hierarchy", column.pk)
    return _shown(request, column, attach_form=form)


@require_POST
def detach(request: HttpRequest, id: uuid.UUID) -> HttpResponse:
    """Leave the column with two levels: kept, or hidden."""
    column = column_or_404(request, id)
    hierarchies.detach(column=column, by=signed_in(request))
    return redirect("column-hierarchy", column.pk)


@csrf_exempt
@require_POST
def bring(request: HttpRequest, id: uuid.UUID) -> HttpResponse:
    """Import a table; who asks is settled before the body is read, the token right after."""
    column = column_or_404(request, id)
    require(may_edit(request, column))
    with receiving(request, MOST_BYTES):
        return _brought(request, column)


@csrf_protect
def _brought(request: HttpRequest, column: Column) -> HttpResponse:
    user = signed_in(request)
    form = ImportForm(request.POST, request.FILES, column=column.name)
    if form.is_valid():
        values = {
            "name": column.version.project.hierarchies.free_name(f"{column.name[:80]}: imported"),
            "levels": form.levels,
        }
        made = attempt(
            form,
            hierarchies.create,
            project=column.version.project,
            version=column.version,
            lines=form.lines,
            by=user,
            **values,
        )
        if made is not None:
            hierarchies.attach(column=column, hierarchy=made, by=user)
            return redirect("column-hierarchy", column.pk)
    return _shown(request, column, import_form=form)


@require_safe
def detail(request: HttpRequest, id: uuid.UUID) -> HttpResponse:
    """One hierarchy and the columns that use it."""
    hierarchy = _hierarchy(request, id)
    columns = hierarchy.columns.select_related("version__dataset")
    page = {
        "hierarchy": hierarchy,
        "sentence": sentence(hierarchy),
        "columns": columns,
        "may_keep": rules.may_edit_hierarchies(hierarchy.project.person(signed_in(request))),
    }
    return render(request, "hierarchies/detail.html", page)


@require_POST
def keep(request: HttpRequest, id: uuid.UUID) -> HttpResponse:
    """Let it outlive the version it was made for."""
    hierarchy = _hierarchy(request, id)
    hierarchies.keep(hierarchy=hierarchy, by=signed_in(request))
    messages.success(request, "The hierarchy is the project's classification now.")
    return redirect("hierarchy-detail", hierarchy.pk)


@require_safe
def export(request: HttpRequest, id: uuid.UUID) -> HttpResponse:
    """The table as CSV without a header; a built hierarchy is laid over the column that was asked for."""
    hierarchy = _hierarchy(request, id)
    lines = hierarchy.lines.splitlines() or _laid_lines(request, hierarchy)
    answer = HttpResponse("".join(f"{line}\r\n" for line in lines), content_type="text/csv; charset=utf-8")
    answer.headers["Content-Disposition"] = content_disposition_header(True, "hierarchy.csv") or ""
    return answer


def _laid_lines(request: HttpRequest, hierarchy: Hierarchy) -> list[str]:
    columns = Column.objects.visible_to(signed_in(request)).filter(hierarchy=hierarchy)
    asked = request.GET.get("column", "")
    column = next((one for one in columns if str(one.pk) == asked), None) or columns.first()
    if column is None or not previewable(column):
        return []
    try:
        return rows_over(hierarchy, sorted(values_of(column)), column.name).lines()
    except EngineError:
        return []


def _shown(request: HttpRequest, column: Column, **forms: Any) -> HttpResponse:
    choices = _of_project(column).exclude(pk=column.hierarchy_id)
    seen = preview(column)
    page = {
        "column": column,
        "version": column.version,
        "hierarchy": column.hierarchy,
        "sentence": sentence(column.hierarchy) if column.hierarchy else "",
        "levels": seen.levels,
        "problem": seen.problem,
        "proposal": described(column.kind),
        "may_edit": may_edit(request, column),
        "attach_form": AttachForm(choices=choices) if choices.exists() else None,
        "import_form": ImportForm(column=column.name),
    }
    status = max((answer_status(form) for form in forms.values()), default=200)
    return render(request, "hierarchies/column.html", page | forms, status=status)


def may_edit(request: HttpRequest, column: Column) -> Verdict:
    """Whether this person may change the hierarchy of this column."""
    version = column.version
    person = version.person(signed_in(request))
    return first_no(rules.may_edit_hierarchies(person), rules.may_tag(person, version.facts()))


def _of_project(column: Column) -> Any:
    return Hierarchy.objects.usable_for(column.version)


def column_or_404(request: HttpRequest, id: uuid.UUID) -> Column:
    """A column of a version this person may look into."""
    seen = Column.objects.visible_to(signed_in(request))
    related = seen.select_related("hierarchy", "version__dataset__project", WITH_VALUES)
    return get_object_or_404(related, pk=id)


def _hierarchy(request: HttpRequest, id: uuid.UUID) -> Hierarchy:
    seen = Hierarchy.objects.visible_to(signed_in(request))
    return get_object_or_404(seen.select_related("project", "key"), pk=id)


urlpatterns: list[URLPattern] = [
    path("columns/<uuid:id>/hierarchy/", of_column, name="column-hierarchy"),
    path("columns/<uuid:id>/hierarchy/propose/", propose, name="column-propose"),
    path("columns/<uuid:id>/hierarchy/attach/", attach, name="column-attach"),
    path("columns/<uuid:id>/hierarchy/detach/", detach, name="column-detach"),
    path("columns/<uuid:id>/hierarchy/import/", bring, name="column-import"),
    path("hierarchies/<uuid:id>/", detail, name="hierarchy-detail"),
    path("hierarchies/<uuid:id>/keep/", keep, name="hierarchy-keep"),
    path("hierarchies/<uuid:id>/export/", export, name="hierarchy-export"),
]
