"""Runs: start, watch, cancel, read the results."""

from __future__ import annotations

import uuid

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import path
from django.views.decorators.http import require_GET, require_POST

from stewardapp.access import rules
from stewardapp.access.verdict import Invalid, require
from stewardapp.actions import runs
from stewardapp.presenters import charts, measures, run_pages, step_notes, tables
from stewardapp.presenters.shortages import shortage_of
from stewardapp.reads.releases import Seen
from stewardapp.reads.runs import SeenRun
from stewardapp.views.finding import release_or_404, run_or_404
from stewardapp.views.people import signed_in

STOP_POLLING = 286


@require_POST
def run_start(request: HttpRequest, id: uuid.UUID) -> HttpResponse:
    """Queue a run of the recipe as it stands."""
    release = release_or_404(request, id)
    seen = Seen(release, request.user)
    if rules.may_edit_release(seen.person, seen.facts) and shortage_of(seen):
        messages.warning(request, "It cannot run yet: there is too little budget.")
        return redirect("release-configure", release.pk)
    try:
        run = runs.start(release=release, by=signed_in(request))
    except Invalid as refused:
        messages.error(request, refused.reason)
        return redirect("release-configure", release.pk)
    return redirect("run-detail", run.pk)


@require_GET
def run_detail(request: HttpRequest, id: uuid.UUID) -> HttpResponse:
    """Progress while it runs, the failure when it failed, the results when it succeeded."""
    run = run_or_404(request, id)
    asked = request.GET.get("tab", "overview")
    tab = run_pages.MOVED.get(asked, asked)
    if tab not in run_pages.TABS:
        raise Http404
    seen = SeenRun(run, Seen(run.release, request.user))
    return render(request, "runs/detail.html", run_pages.context(seen, tab, request.GET.get("column", "")))


@require_GET
def run_progress(request: HttpRequest, id: uuid.UUID) -> HttpResponse:
    """The fragment that is fetched again and again; when the run has ended the page is fetched whole."""
    run = run_or_404(request, id)
    if run.is_alive:
        return render(request, "runs/_progress.html", {"run": run})
    answer = HttpResponse(status=STOP_POLLING)
    answer["HX-Refresh"] = "true"
    return answer


@require_POST
def run_cancel(request: HttpRequest, id: uuid.UUID) -> HttpResponse:
    """Ask the worker to stop at its next checkpoint."""
    run = run_or_404(request, id)
    runs.cancel(run=run, by=signed_in(request))
    messages.info(request, "The run is being cancelled.")
    return redirect("run-detail", run.pk)


@require_GET
def run_chart(request: HttpRequest, id: uuid.UUID, slug: str) -> HttpResponse:
    """One chart of the results as Plotly's JSON: aggregates only."""
    run = run_or_404(request, id)
    chart = (measures.charts(run.report) | step_notes.charts_of(run)).get(slug)
    if chart is None or chart.internal:
        require(rules.may_view_version(run.release.person(request.user)))
        chart = chart or tables.intact_charts(run).get(slug)
    if chart is None:
        raise Http404
    return HttpResponse(charts.figure_json(chart), content_type="application/json")


urlpatterns = [
    path("releases/<uuid:id>/run/", run_start, name="run-start"),
    path("runs/<uuid:id>/", run_detail, name="run-detail"),
    path("runs/<uuid:id>/progress/", run_progress, name="run-progress"),
    path("runs/<uuid:id>/cancel/", run_cancel, name="run-cancel"),
    path("runs/<uuid:id>/charts/<path:slug>/", run_chart, name="run-chart"),
]
