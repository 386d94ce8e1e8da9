"""The settings of one column: a page of its own, reached from the table of columns."""

import uuid
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import URLPattern, path
from django.views.decorators.http import require_http_methods

from stewardapp.access import rules
from stewardapp.access.verdict import require
from stewardapp.actions import columns as actions
from stewardapp.forms.column_settings import ColumnSettingsForm
from stewardapp.forms.refusals import answer_status, attempt
from stewardapp.models import Column
from stewardapp.presenters.survey_pages import randomized_note
from stewardapp.views.people import signed_in

UNDO = "column-settings-before"


@require_http_methods(["GET", "HEAD", "POST"])
def settings(request: HttpRequest, id: uuid.UUID) -> HttpResponse:
    """Show and store what is declared of a column; the last save can be taken back."""
    user, column = signed_in(request), _column(request, id)
    if request.method != "POST":
        return _shown(request, column, ColumnSettingsForm(column=column))
    require(rules.may_tag(column.version.person(user), column.version.facts()))
    if "undo" in request.POST:
        return _undone(request, column)
    form = ColumnSettingsForm(request.POST, column=column)
    if form.is_valid():
        before = _state(column)
        if attempt(form, _store, request=request, column=column, values=form.changes()):
            request.session[UNDO] = {"column": str(column.pk), "values": before, "reading": _read_as(column)}
            messages.success(request, "The settings are saved.")
            return redirect("column-settings", column.pk)
    return _shown(request, column, form)


def _undone(request: HttpRequest, column: Column) -> HttpResponse:
    kept = request.session.pop(UNDO, None)
    if kept is None or kept["column"] != str(column.pk) or kept.get("reading") != _read_as(column):
        messages.info(request, "There is nothing to take back.")
    else:
        _store(request=request, column=column, values=kept["values"])
        messages.success(request, "The last change is taken back.")
    return redirect("column-settings", column.pk)


def _store(*, request: HttpRequest, column: Column, values: dict[str, Any]) -> Column:
    return actions.describe(version=column.version, name=column.name, by=signed_in(request), **values)


def _read_as(column: Column) -> str:
    """Which reading was described: another one is not what it was before."""
    return str(column.version.current_id)


def _state(column: Column) -> dict[str, object]:
    return {
        "kind": column.kind,
        "label": column.label,
        "release_weight": column.release_weight,
        "settings": column.settings,
        "kind_confirmed": column.kind_confirmed,
    }


def _shown(request: HttpRequest, column: Column, form: ColumnSettingsForm) -> HttpResponse:
    version = column.version
    kept = request.session.get(UNDO) or {}
    page = {
        "column": column,
        "version": version,
        "version_name": f"version {version.number}",
        "form": form,
        "randomized": randomized_note(column.randomized),
        "may_tag": rules.may_tag(version.person(signed_in(request)), version.facts()),
        "can_undo": kept.get("column") == str(column.pk),
    }
    return render(request, "versions/column_settings.html", page, status=answer_status(form))


def _column(request: HttpRequest, id: uuid.UUID) -> Column:
    seen = Column.objects.visible_to(signed_in(request))
    return get_object_or_404(seen.select_related("version__dataset__project"), pk=id)


urlpatterns: list[URLPattern] = [
    path("columns/<uuid:id>/settings/", settings, name="column-settings"),
]
