"""Tagging: one form for all columns of a version; it works without JavaScript."""

import uuid

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import URLPattern, path, reverse
from django.views.decorators.http import require_GET, require_http_methods

from stewardapp.access import rules
from stewardapp.access.verdict import Invalid, require
from stewardapp.actions import columns as actions
from stewardapp.domain.unknown import LONGEST, REASONS
from stewardapp.domain.value_lists import previewable, values_of
from stewardapp.forms.columns import ROLE_LABELS, chosen_roles, consent_words, unknown_columns
from stewardapp.models import Column, Version
from stewardapp.presenters.columns import TYPED, asks_for_kind, column_line, untagged
from stewardapp.presenters.counted_sets import counted
from stewardapp.presenters.hierarchies import height_of
from stewardapp.presenters.identifying import identifying, smallest
from stewardapp.presenters.preflight import preflight
from stewardapp.views import kinds
from stewardapp.views.people import signed_in
from stewardapp.views.proposing import propose
from stewardapp.views.version_hierarchies import reuse
from stewardapp.views.versions import version_or_404
from worker.engine.tables.kinds import RELEASED, Role


@require_http_methods(["GET", "POST"])
def tags(request: HttpRequest, id: uuid.UUID) -> HttpResponse:
    """The role of every column; a column nobody tags is dropped."""
    user, version = signed_in(request), version_or_404(request, id)
    require(rules.may_view_version(version.person(user)))
    columns = list(version.columns.select_related("hierarchy"))
    if request.method == "GET":
        return _shown(request, version, columns, [])
    require(rules.may_tag(version.person(user), version.facts()))
    errors = _store(request, version, columns)
    return _shown(request, version, columns, errors) if errors else _next(request, version)


def _store(request: HttpRequest, version: Version, columns: list[Column]) -> list[str]:
    roles, errors = chosen_roles(request.POST, columns)
    granted, missing = consent_words(request.POST, columns)
    unknown, unreasoned = unknown_columns(request.POST, columns)
    errors += (missing or _never_written(granted, columns)) + unreasoned
    if errors or not (roles or granted or unknown):
        return errors
    user = signed_in(request)
    try:
        actions.tag(version=version, roles=roles, granted=granted, unknown=unknown, by=user)
    except Invalid as refusal:
        return [refusal.reason]
    return []


def _never_written(granted: dict[str, list[str]], columns: list[Column]) -> list[str]:
    """A word for yes that no row holds would leave every row out: say so now, not when the run fails."""
    named = [column for column in columns if column.name in granted and previewable(column)]
    return [
        f"{column.name}: no row holds these values. Write them exactly as in the file, separated by commas."
        for column in named
        if not values_of(column).keys() & set(granted[column.name])
    ]


def _next(request: HttpRequest, version: Version) -> HttpResponse:
    here = reverse("version-columns", args=[version.pk])
    if wanted := request.POST.get("propose"):
        made = propose(version, wanted, signed_in(request))
        text = f"Hierarchies proposed: {made}." if made else "There was nothing to propose a hierarchy for."
        messages.success(request, text)
        return redirect(here)
    if wanted := request.POST.get("confirm"):
        kinds.confirm(request, version, wanted)
        return redirect(here)
    if request.POST.get("doubt"):
        kinds.take_back(request, version)
        return redirect(here)
    if request.POST.get("reuse"):
        return reuse(request, version.pk)
    messages.success(request, "The roles are saved.")
    if request.POST.get("continue"):
        return redirect(f"{reverse('release-create')}?version={version.pk}")
    return redirect(here)


def _shown(request: HttpRequest, version: Version, columns: list[Column], errors: list[str]) -> HttpResponse:
    user = signed_in(request)
    lines = [column_line(column, _typed(request, column)) for column in columns]
    names = [line.name for line in lines if line.role == Role.QUASI_IDENTIFIER]
    may_tag = rules.may_tag(version.person(user), version.facts())
    page = {
        "version": version,
        "version_name": f"version {version.number}",
        "columns": lines,
        "untagged": untagged(lines),
        "guessed": [line for line in lines if asks_for_kind(line)],
        "confirmed": kinds.last_confirmed(request, version),
        "roles": list(ROLE_LABELS.items()),
        "reasons": list(REASONS.items()),
        "longest_reason": LONGEST,
        "form_errors": errors,
        **_panel(version, columns, names, [line.name for line in lines if line.role in RELEASED]),
        "reusable": len(version.earlier_hierarchies()),
        "may_tag": may_tag,
        "may_continue": may_tag,
    }
    return render(request, "versions/columns.html", page, status=422 if errors else 200)


def _typed(request: HttpRequest, column: Column) -> dict[str, str]:
    """What somebody chose and typed of a column and that could not be stored."""
    sent = {name: request.POST.get(f"{name}-{column.position}") for name in TYPED}
    return {name: text for name, text in sent.items() if text is not None}


@require_GET
def identifying_set(request: HttpRequest, id: uuid.UUID) -> HttpResponse:
    """How identifying the columns at these positions are together; a fragment."""
    version = version_or_404(request, id)
    require(rules.may_view_version(version.person(signed_in(request))))
    tagged, leaving = set(request.GET.getlist("c")), set(request.GET.getlist("l"))
    columns = list(version.columns.select_related("hierarchy"))
    names = [column.name for column in columns if str(column.position) in tagged]
    others = [column.name for column in columns if str(column.position) in tagged | leaving]
    return render(request, "versions/_identifying.html", _panel(version, columns, names, others))


def _panel(
    version: Version, columns: list[Column], names: list[str], leaving: list[str]
) -> dict[str, object]:
    """What is known of the tagged set, of all columns that leave, and of what k-anonymity would cost."""
    scan = version.profile.get("identifying", ())
    single = {column.name: column.profile.get("unique_share") for column in columns}
    few = {column.name: column.profile.get("few_share") for column in columns}
    guessed = {one.name for one in columns if not one.profile.get("distinct_is_exact", True)}
    heights = {column.name: height_of(column) for column in columns}
    rare = counted(scan, few, guessed, ("few_share", "few_error95"))
    return {
        "identifying": identifying(scan, single, names, guessed),
        "smallest": smallest(counted(scan, single, guessed), leaving),
        "preflight": preflight(rare, names, version.rows or 0, heights) if names else None,
    }


urlpatterns: list[URLPattern] = [
    path("versions/<uuid:id>/columns/", tags, name="version-columns"),
    path("versions/<uuid:id>/identifying/", identifying_set, name="version-identifying"),
]
