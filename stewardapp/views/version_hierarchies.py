"""All hierarchies of a version on one page: which are complete, and those of earlier files used again."""

import uuid

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import URLPattern, path
from django.views.decorators.http import require_POST, require_safe

from stewardapp.access import rules
from stewardapp.access.verdict import require
from stewardapp.actions import hierarchies
from stewardapp.presenters.hierarchy_overview import hierarchy_lines
from stewardapp.views.people import signed_in
from stewardapp.views.versions import version_or_404


@require_safe
def overview(request: HttpRequest, id: uuid.UUID) -> HttpResponse:
    """Each column with its hierarchy and how many of its values have no row."""
    version, user = version_or_404(request, id), signed_in(request)
    person = version.person(user)
    require(rules.may_view_version(person))
    earlier = version.earlier_hierarchies()
    lines = hierarchy_lines(version, earlier)
    page = {
        "version": version,
        "version_name": f"version {version.number}",
        "lines": lines,
        "reusable": len(earlier),
        "incomplete": sum(line.column.hierarchy is not None and not line.complete for line in lines),
        "may_tag": rules.may_tag(person, version.facts()),
    }
    return render(request, "versions/hierarchies.html", page)


@require_POST
def reuse(request: HttpRequest, id: uuid.UUID) -> HttpResponse:
    """Give every column without a hierarchy the one that its name last had in the project."""
    version, user = version_or_404(request, id), signed_in(request)
    made = hierarchies.reuse(version=version, hierarchies=version.earlier_hierarchies(), by=user)
    words = "1 hierarchy is" if len(made) == 1 else f"{len(made)} hierarchies are"
    messages.success(request, f"{words} used again. See below whether every value has a row.")
    return redirect("version-hierarchies", version.pk)


urlpatterns: list[URLPattern] = [
    path("versions/<uuid:id>/hierarchies/", overview, name="version-hierarchies"),
    path("versions/<uuid:id>/hierarchies/reuse/", reuse, name="version-reuse"),
]
