"""Sweeps: choose a grid of values, watch its runs, see which of them to take."""

from __future__ import annotations

import uuid

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import path
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from stewardapp.access import rules
from stewardapp.access.verdict import require
from stewardapp.actions import sweeps
from stewardapp.domain.pricing import costs_of
from stewardapp.domain.sweeping import dials
from stewardapp.forms.refusals import answer_status, attempt
from stewardapp.forms.sweeps import SweepForm
from stewardapp.models import Release, Sweep
from stewardapp.presenters.sweeps import Grid, grid, map_json, size_words
from stewardapp.reads.releases import Seen
from stewardapp.reads.sweeps import runs_of, seconds_per_run
from stewardapp.views.finding import release_or_404, sweep_or_404
from stewardapp.views.people import signed_in


@require_http_methods(["GET", "POST"])
def sweep_begin(request: HttpRequest, id: uuid.UUID) -> HttpResponse:
    """Fill in what to vary; what it comes to is said before anything is queued."""
    release = release_or_404(request, id)
    seen = Seen(release, request.user)
    require(rules.may_sweep(seen.person, seen.facts, charged=bool(costs_of(release.recipe))))
    form = SweepForm(request.POST if request.method == "POST" else None, dials=list(dials(release.recipe)))
    if form.is_valid() and form.agreed and not request.headers.get("HX-Request"):
        made = attempt(form, sweeps.begin, release=release, entries=form.entries, by=signed_in(request))
        if made is not None:
            return redirect("sweep-detail", made.pk)
    return form_page(request, release, form)


def form_page(request: HttpRequest, release: Release, form: SweepForm) -> HttpResponse:
    """The form with the size of the sweep; of a form that is being filled in the size alone."""
    valid = form.is_bound and not form.errors
    shown = {"release": release, "form": form, "runs": form.runs if valid else 0}
    shown |= {"size": size_words(form.runs, seconds_per_run(release)) if valid else ""}
    if request.headers.get("HX-Request"):
        return render(request, "sweeps/_size.html", shown)
    return render(request, "sweeps/begin.html", shown, status=answer_status(form))


@require_GET
def sweep_detail(request: HttpRequest, id: uuid.UUID) -> HttpResponse:
    """The grid run by run, the map, and the run it proposes."""
    sweep = sweep_or_404(request, id)
    seen = Seen(sweep.release, request.user)
    found = grid_of(request, sweep, seen)
    may_cancel = rules.may_cancel_sweep(seen.person, under_way=found.under_way)
    shown = {"sweep": sweep, "release": sweep.release, "grid": found, "may_cancel": may_cancel}
    return render(request, "sweeps/detail.html", shown)


@require_GET
def sweep_progress(request: HttpRequest, id: uuid.UUID) -> HttpResponse:
    """The grid again, while runs of it end."""
    sweep = sweep_or_404(request, id)
    found = grid_of(request, sweep, Seen(sweep.release, request.user))
    return render(request, "sweeps/_grid.html", {"sweep": sweep, "release": sweep.release, "grid": found})


def grid_of(request: HttpRequest, sweep: Sweep, seen: Seen) -> Grid:
    """The grid on the axes that the address names."""
    return grid(sweep, runs_of(sweep), seen, request.GET)


@require_GET
def sweep_map(request: HttpRequest, id: uuid.UUID) -> HttpResponse:
    """The risk–utility map of the sweep, as Plotly's JSON."""
    sweep = sweep_or_404(request, id)
    drawn = map_json(sweep, runs_of(sweep), sweep.release.judged_by, request.GET)
    return HttpResponse(drawn, content_type="application/json")


@require_POST
def sweep_cancel(request: HttpRequest, id: uuid.UUID) -> HttpResponse:
    """Stop all of it."""
    sweep = sweep_or_404(request, id)
    sweeps.cancel(sweep=sweep, by=signed_in(request))
    messages.info(request, "The sweep is being cancelled. What has ended stays.")
    return redirect("sweep-detail", sweep.pk)


urlpatterns = [
    path("releases/<uuid:id>/sweep/", sweep_begin, name="sweep-begin"),
    path("sweeps/<uuid:id>/", sweep_detail, name="sweep-detail"),
    path("sweeps/<uuid:id>/progress/", sweep_progress, name="sweep-progress"),
    path("sweeps/<uuid:id>/map/", sweep_map, name="sweep-map"),
    path("sweeps/<uuid:id>/cancel/", sweep_cancel, name="sweep-cancel"),
]
