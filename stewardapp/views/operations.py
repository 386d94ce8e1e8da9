"""How the installation is, for those who keep it alive and those who answer for its data."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import path
from django.views.decorators.http import require_GET

from stewardapp.access import rules
from stewardapp.access.verdict import require
from stewardapp.domain.vitals import signs, worst
from stewardapp.models.membership import person_on_site
from stewardapp.presenters.vitals import told
from stewardapp.reads import vitals
from stewardapp.views.people import signed_in


@require_GET
def operations(request: HttpRequest) -> HttpResponse:
    """Every part of the desk, what is wrong with it and what to do."""
    require(rules.may_see_operations(person_on_site(signed_in(request))))
    found = signs(vitals.vitals())
    page = {"health": worst(found), "parts": [told(sign) for sign in found], "workers": vitals.workers()}
    return render(request, "operations/detail.html", page)


urlpatterns = [path("operations/", operations, name="operations")]
