"""All hierarchies of a version on one page: which are complete, those of earlier files used again, and files
imported all at once."""

import uuid

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import URLPattern, path
from django.views.decorators.csrf import csrf_exempt, csrf_protect
from django.views.decorators.http import require_POST, require_safe

from stewardapp.access import rules
from stewardapp.access.verdict import require
from stewardapp.actions import hierarchies
from stewardapp.forms import hierarchy_files
from stewardapp.forms.hierarchies import MOST_BYTES
from stewardapp.models import Version
from stewardapp.presenters.hierarchy_files import file_lines
from stewardapp.presenters.hierarchy_overview import hierarchy_lines
from stewardapp.reads.datasets import columns_with_hierarchies
from stewardapp.uploadhandler import receiving
from stewardapp.views.people import signed_in
from stewardapp.views.versions import version_or_404


@require_safe
def overview(request: HttpRequest, id: uuid.UUID) -> HttpResponse:
    """Each column with its hierarchy and how many of its values have no row."""
    version, user = version_or_404(request, id), signed_in(request)
    person = version.person(user)
    require(rules.may_view_version(person))
    earlier = version.earlier_hierarchies()
    lines = hierarchy_lines(columns_with_hierarchies(version), earlier)
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


@csrf_exempt
@require_POST
def bring(request: HttpRequest, id: uuid.UUID) -> HttpResponse:
    """Import several files; who asks is settled before the body is read, the token right after."""
    version = version_or_404(request, id)
    person = version.person(signed_in(request))
    require(rules.may_edit_hierarchies(person))
    require(rules.may_tag(person, version.facts()))
    with receiving(request, MOST_BYTES):
        return _brought(request, version)


@csrf_protect
def _brought(request: HttpRequest, version: Version) -> HttpResponse:
    """First a look at what would be imported; then, when somebody says so, all of it at once."""
    columns = columns_with_hierarchies(version)
    names = [column.name for column in columns]
    if "files" in request.POST:
        several = hierarchy_files.sent_again(request.POST, names)
    else:
        several = hierarchy_files.sent(request.FILES.getlist("files"), names)
    if request.POST.get("do") == "import":
        several = several.checked()
        if not several.problem:
            made = hierarchies.bring(version=version, tables=several.chosen, by=signed_in(request))
            words = "1 hierarchy is" if len(made) == 1 else f"{len(made)} hierarchies are"
            messages.success(request, f"{words} imported. See below whether every value has a row.")
            return redirect("version-hierarchies", version.pk)
    page = {
        "version": version,
        "columns": columns,
        "several": several,
        "lines": file_lines(several.files, columns),
        "may_tag": rules.may_tag(version.person(signed_in(request)), version.facts()),
    }
    return render(request, "versions/import_hierarchies.html", page, status=422 if several.problem else 200)


urlpatterns: list[URLPattern] = [
    path("versions/<uuid:id>/hierarchies/", overview, name="version-hierarchies"),
    path("versions/<uuid:id>/hierarchies/reuse/", reuse, name="version-reuse"),
    path("versions/<uuid:id>/hierarchies/import/", bring, name="version-bring"),
]
