"""The audit log."""

from __future__ import annotations

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import path
from django.views.decorators.http import require_GET

from stewardapp import anchors
from stewardapp.forms.audit import AuditFilter
from stewardapp.models import Anchor, AuditEvent, Project
from stewardapp.presenters import audit_lines

PER_PAGE = 50


@require_GET
def audit_list(request: HttpRequest) -> HttpResponse:
    """Events of one's projects (an admin: all), newest first, filtered."""
    seen = AuditEvent.objects.visible_to(request.user)
    form = AuditFilter(request.GET, projects=Project.objects.visible_to(request.user))
    page = Paginator(form.apply(seen).select_related("actor", "project"), PER_PAGE)
    events = page.get_page(request.GET.get("page"))
    shown = {"form": form, "page": events, "lines": [audit_lines.line(event) for event in events]}
    shown |= {"anchor": Anchor.objects.first(), "public_key": anchors.public_key()}
    return render(request, "audit/list.html", shown)


urlpatterns = [path("audit/", audit_list, name="audit-list")]
