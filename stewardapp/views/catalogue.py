"""The catalogue: find, understand, verify."""

from __future__ import annotations

import uuid

from django.contrib.auth.decorators import login_not_required
from django.contrib.auth.views import redirect_to_login
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.urls import path, reverse
from django.views.decorators.http import require_GET

from stewardapp.models import Release, Run
from stewardapp.presenters import catalogue_pages, charts, tables
from stewardapp.presenters.budgets import mixed_warning
from stewardapp.presenters.published_risk import published_risk
from stewardapp.reads.released_table import Damaged
from stewardapp.reads.runs import SeenRun
from stewardapp.views.finding import with_policy
from stewardapp.views.paging import paged, searched
from stewardapp.views.published import NotShown, Publication, offers, published
from worker.engine.contracts.chart import Chart

PER_PAGE = 20


@require_GET
def catalogue_list(request: HttpRequest) -> HttpResponse:
    """Everything this person may download, searched by words."""
    there = Release.objects.in_catalogue_for(request.user).select_related("project")
    found = searched(request, there.order_by("-published_at"), "title", "purpose")
    shown = {"page": paged(request, found, PER_PAGE), "q": request.GET.get("q", "").strip()}
    return render(request, "catalogue/list.html", shown)


@login_not_required
@require_GET
def catalogue_detail(request: HttpRequest, public_id: uuid.UUID) -> HttpResponse:
    """One publication: description, codebook, hashes, download."""
    return shown(request, public_id, "catalogue/detail.html")


@login_not_required
@require_GET
def catalogue_certificate(request: HttpRequest, public_id: uuid.UUID) -> HttpResponse:
    """What was promised and measured, on one page to print."""
    return shown(request, public_id, "catalogue/certificate.html", judged=True)


def shown(request: HttpRequest, public_id: uuid.UUID, template: str, *, judged: bool = False) -> HttpResponse:
    """A page about a publication, for those in its audience; `judged` with what its policy demanded."""
    try:
        seen = published(request.user, public_id)
    except NotShown:
        return not_shown(request)
    release = seen.release
    facts = {"release": release, "certificate": catalogue_pages.certificate(release.candidate)}
    lines = catalogue_pages.codebook(release.candidate, lists=bool(seen.may_download))
    facts |= {"codebook": lines, "names_values": any(line.values for line in lines)}
    facts |= catalogue_pages.usage(release.candidate)
    facts["mixed"] = mixed_warning(release)
    if judged and release.candidate:
        facts["risk"] = published_risk(candidate_seen(seen, release.candidate))
    return render(request, template, facts | drawn(seen) | offers(seen))


def candidate_seen(seen: Publication, candidate: Run) -> SeenRun:
    """The run that was published, as its reader sees it."""
    candidate.release = with_policy(seen.release)
    return SeenRun(candidate, seen)


def drawn(seen: Publication) -> dict[str, object]:
    """The chart of a published table, with its table."""
    chart = histogram(seen)
    if chart is None:
        return {}
    url = reverse("catalogue-chart", args=[seen.release.public_id])
    return {"histogram": charts.pictured(chart, url)}


@login_not_required
@require_GET
def catalogue_chart(request: HttpRequest, public_id: uuid.UUID) -> HttpResponse:
    """The chart of a published table as Plotly's JSON: published figures only."""
    try:
        chart = histogram(published(request.user, public_id))
    except NotShown:
        return not_shown(request)
    if chart is None:
        raise Http404
    return HttpResponse(charts.figure_json(chart), content_type="application/json")


def histogram(seen: Publication) -> Chart | None:
    """The chart of a table for those who may download it now; damaged bytes are not drawn."""
    run = seen.release.candidate
    try:
        return tables.published_chart(run) if run and seen.may_download else None
    except Damaged:
        return None


def not_shown(request: HttpRequest) -> HttpResponse:
    """Strangers are asked to sign in; for everybody else there is nothing."""
    if request.user.is_authenticated:
        raise Http404
    return redirect_to_login(request.get_full_path())


@login_not_required
@require_GET
def catalogue_manifest(request: HttpRequest, public_id: uuid.UUID) -> HttpResponse:
    """The public manifest as JSON."""
    try:
        release = published(request.user, public_id).release
    except NotShown:
        return not_shown(request)
    manifest = catalogue_pages.certificate(release.candidate).manifest
    return JsonResponse(manifest, json_dumps_params={"indent": 2, "sort_keys": True})


urlpatterns = [
    path("catalogue/", catalogue_list, name="catalogue-list"),
    path("catalogue/<uuid:public_id>/", catalogue_detail, name="catalogue-detail"),
    path("catalogue/<uuid:public_id>/certificate/", catalogue_certificate, name="catalogue-certificate"),
    path("catalogue/<uuid:public_id>/chart/", catalogue_chart, name="catalogue-chart"),
    path("catalogue/<uuid:public_id>/manifest.json", catalogue_manifest, name="catalogue-manifest"),
]
