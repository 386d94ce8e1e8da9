"""The documentation pages of methods, goals and measures."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import path
from django.views.decorators.http import require_GET

from stewardapp.presenters import method_pages


@require_GET
def method_list(request: HttpRequest) -> HttpResponse:
    """Everything in the engine's catalogue."""
    return render(request, "methods/list.html", {"groups": method_pages.groups()})


@require_GET
def method_detail(request: HttpRequest, kind: str, slug: str) -> HttpResponse:
    """One method, goal or measure."""
    entry = method_pages.find(kind, slug)
    if entry is None:
        raise Http404
    return render(request, "methods/detail.html", {"entry": entry})


urlpatterns = [
    path("methods/", method_list, name="method-list"),
    path("methods/<slug:kind>/<slug:slug>/", method_detail, name="method-detail"),
]
