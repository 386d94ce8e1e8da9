"""One version of a dataset: how its bytes were read, what its columns are, and their roles."""

import uuid
from typing import Any

from django.contrib import messages
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import URLPattern, path
from django.views.decorators.http import require_GET, require_POST, require_safe

from stewardapp.access import rules
from stewardapp.access.verdict import Invalid, require
from stewardapp.actions import readings, versions
from stewardapp.forms.refusals import answer_status, attempt
from stewardapp.forms.versions import DialectForm
from stewardapp.models import User, Version
from stewardapp.models.prepared import prepared
from stewardapp.presenters.columns import column_lines, untagged
from stewardapp.presenters.datasets import dialect_lines, state_of
from stewardapp.views.finding import only
from stewardapp.views.people import signed_in


@require_safe
def detail(request: HttpRequest, id: uuid.UUID) -> HttpResponse:
    """The bytes, how they were read, a masked preview; fills in while a worker reads."""
    version = version_or_404(request, id)
    return _shown(request, version, DialectForm.of(version.profile.get("dialect", {})))


@require_GET
def progress(request: HttpRequest, id: uuid.UUID) -> HttpResponse:
    """The part of the page that changes while the file is read."""
    version = version_or_404(request, id)
    state = _state(version, signed_in(request), DialectForm.of(version.profile.get("dialect", {})))
    reading = state["reading"]
    answer = render(request, "versions/_state.html", state)
    if reading is None or not reading.is_alive:
        answer.headers["HX-Refresh"] = "true"
    return answer


@require_POST
def read_again(request: HttpRequest, id: uuid.UUID) -> HttpResponse:
    """Read the same bytes with a corrected dialect."""
    user, version = signed_in(request), version_or_404(request, id)
    require(rules.may_read_again(version.person(user), version.facts()))
    form = DialectForm(request.POST)
    if form.is_valid():
        attempt(form, readings.start, version=version, dialect=form.said(), by=user)
    if form.is_valid():
        return redirect("version-detail", version.pk)
    return _shown(request, version, form)


@require_POST
def cancel_reading(request: HttpRequest, id: uuid.UUID) -> HttpResponse:
    """Ask the worker to stop reading; what was read before still holds."""
    version = version_or_404(request, id)
    if version.attempt is None:
        raise Http404
    readings.cancel(reading=version.attempt, by=signed_in(request))
    messages.info(request, "The reading is being cancelled.")
    return redirect("version-detail", version.pk)


@require_POST
def destroy(request: HttpRequest, id: uuid.UUID) -> HttpResponse:
    """Destroy the data before their date."""
    user, version = signed_in(request), version_or_404(request, id)
    try:
        versions.destroy(version=version, reason=request.POST.get("reason", ""), by=user)
    except Invalid as refusal:
        messages.error(request, refusal.reason)
    else:
        messages.success(request, "The data of this version are destroyed.")
    return redirect("version-detail", version.pk)


def version_or_404(request: HttpRequest, id: uuid.UUID) -> Version:
    """A version this person may know of."""
    return only(_versions(signed_in(request), id))


@prepared
def _versions(user: User, id: uuid.UUID) -> QuerySet[Version]:
    seen = Version.objects.visible_to(user).filter(pk=id)
    return seen.select_related("dataset__project", "dataset__population", "uploaded_by", "current")


def _shown(request: HttpRequest, version: Version, form: DialectForm) -> HttpResponse:
    page = _state(version, signed_in(request), form)
    return render(request, "versions/detail.html", page, status=answer_status(form))


def _state(version: Version, user: User, form: DialectForm) -> dict[str, Any]:
    person, facts = version.person(user), version.facts()
    may_look = rules.may_view_version(person)
    lines = column_lines(version.columns.select_related("hierarchy")) if may_look else []
    profile = version.profile if may_look else {}
    reading, desk = version.attempt, version.desks.open().first()
    return {
        "version": version,
        "version_name": f"version {version.number}",
        "state": state_of(version, reading.state if reading else None),
        "reading": reading,
        "columns": lines,
        "untagged": untagged(lines),
        "preview": profile.get("preview", []),
        "dialect": dialect_lines(profile.get("dialect", {})),
        "form": form,
        "may_look": may_look,
        "may_tag": rules.may_tag(person, facts),
        "may_read_again": rules.may_read_again(person, facts),
        "may_cancel": rules.may_cancel_reading(person, reading.facts()) if reading else None,
        "may_destroy": rules.may_destroy(person, facts),
        "query_desk": desk,
        "may_open_desk": rules.may_open_desk(person, facts, has_desk=desk is not None),
    }


urlpatterns: list[URLPattern] = [
    path("versions/<uuid:id>/", detail, name="version-detail"),
    path("versions/<uuid:id>/progress/", progress, name="version-progress"),
    path("versions/<uuid:id>/read/", read_again, name="version-read"),
    path("versions/<uuid:id>/cancel/", cancel_reading, name="version-cancel"),
    path("versions/<uuid:id>/destroy/", destroy, name="version-destroy"),
]
