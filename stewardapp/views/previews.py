"""Previews: one step tried on one column before a run."""

from __future__ import annotations

import uuid

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import path
from django.views.decorators.http import require_GET

from stewardapp.models import Preview
from stewardapp.presenters import charts, previews


@require_GET
def preview_detail(request: HttpRequest, id: uuid.UUID) -> HttpResponse:
    """The whole page, or only the fragment that asks for itself again until the work is done."""
    template = "_preview.html" if request.headers.get("HX-Request") else "detail.html"
    shown = previews.shown(preview_or_404(request, id))
    return render(request, f"previews/{template}", {"shown": shown})


@require_GET
def preview_chart(request: HttpRequest, id: uuid.UUID, slug: str) -> HttpResponse:
    """One picture as Plotly's JSON: aggregates only."""
    chart = previews.charts_of(preview_or_404(request, id)).get(slug)
    if chart is None:
        raise Http404
    return HttpResponse(charts.figure_json(chart), content_type="application/json")


def preview_or_404(request: HttpRequest, id: uuid.UUID) -> Preview:
    """A preview of data this person may look into."""
    seen = Preview.objects.visible_to(request.user)
    return get_object_or_404(seen.select_related("release__version__dataset", "release__project"), pk=id)


urlpatterns = [
    path("previews/<uuid:id>/", preview_detail, name="preview-detail"),
    path("previews/<uuid:id>/charts/<path:slug>/", preview_chart, name="preview-chart"),
]
