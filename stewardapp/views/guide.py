"""The guide under Help."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import path
from django.views.decorators.http import require_GET

from stewardapp import guide


@require_GET
def guide_index(request: HttpRequest) -> HttpResponse:
    """What there is to read."""
    return render(request, "guide/index.html", {"parts": guide.index()})


@require_GET
def guide_page(request: HttpRequest, name: str) -> HttpResponse:
    """One page."""
    found = guide.page(name)
    if found is None:
        raise Http404
    return render(request, "guide/page.html", {"page": found, "parts": guide.index(), "name": name})


@require_GET
def guide_picture(_: HttpRequest, name: str) -> HttpResponse:
    """A picture of a page."""
    found = guide.picture(name)
    if found is None:
        raise Http404
    return HttpResponse(found.read_bytes(), content_type="image/png")


urlpatterns = [
    path("help/", guide_index, name="help"),
    path("help/pictures/<path:name>", guide_picture, name="help-picture"),
    path("help/<path:name>/", guide_page, name="help-page"),
]
