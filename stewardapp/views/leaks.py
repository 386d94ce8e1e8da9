"""Files that leaked: what is known of a population, registering one, unregistering it."""

from __future__ import annotations

import uuid
from typing import Any, cast

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import path
from django.views.decorators.csrf import csrf_exempt, csrf_protect
from django.views.decorators.http import require_http_methods, require_POST

from stewardapp.access import rules
from stewardapp.access.verdict import Invalid, Verdict, require
from stewardapp.actions import leaks
from stewardapp.actions.brought import arriving
from stewardapp.domain.brought import FIELD
from stewardapp.domain.holding import facts_of, stake_of
from stewardapp.forms.leaks import LeakForm
from stewardapp.forms.refusals import attempt
from stewardapp.models import Leak, Population
from stewardapp.presenters.limits import limits
from stewardapp.uploadhandler import receiving, takes_files
from stewardapp.views.paging import paged, searched
from stewardapp.views.people import signed_in
from stewardapp.views.populations import population_or_404
from stewardapp.views.posted_files import largest, unread


@takes_files(largest)
@csrf_exempt
@require_http_methods(["GET", "HEAD", "POST"])
def listing(request: HttpRequest, id: uuid.UUID) -> HttpResponse:
    """What leaked of these people, and the form to register a file. Its token is checked below, because
    reading it reads the whole body, and with it the file."""
    population = population_or_404(request, id)
    if request.method != "POST":
        return shown(request, population, LeakForm())
    require(may_register(request, population))
    if refusal := unread(request):
        reason, status = refusal
        form = LeakForm({})
        form.refuse(reason)
        return shown(request, population, form, status)
    with receiving(request, limits().bytes):
        return received(request, population)


@csrf_protect
def received(request: HttpRequest, population: Population) -> HttpResponse:
    """Keep the file that somebody sent, and have it read."""
    form = LeakForm(request.POST, request.FILES)
    if form.is_valid():
        about = dict(form.cleaned_data)
        with arriving(cast(Any, about.pop(FIELD).file)) as file:
            by = signed_in(request)
            attempt(form, leaks.register, population=population, file=file, by=by, **about)
    if form.errors:
        return shown(request, population, form, 422)
    messages.success(request, "Registered. A worker reads it.")
    return redirect("population-leaks", population.pk)


@require_POST
def unregister(request: HttpRequest, id: uuid.UUID) -> HttpResponse:
    """Compare with it no longer, and destroy it."""
    seen = Leak.objects.visible_to(signed_in(request)).select_related("population", "raw__key")
    leak = get_object_or_404(seen, pk=id)
    try:
        leaks.unregister(leak=leak, reason=request.POST.get("reason", ""), by=signed_in(request))
    except Invalid as refusal:
        messages.error(request, refusal.reason)
    else:
        messages.success(request, "It is unregistered, and its file is destroyed.")
    return redirect("population-leaks", leak.population_id)


def shown(request: HttpRequest, population: Population, form: LeakForm, status: int = 200) -> HttpResponse:
    """The page around the form."""
    seen = Leak.objects.visible_to(signed_in(request)).filter(population=population)
    told = seen.select_related("registered_by", "unregistered_by")
    found = paged(request, searched(request, told, "place"))
    page = {
        "population": population,
        "page": found,
        "leaks": found.object_list,
        "watched": " ".join(f"leak:{one.pk}" for one in found if one.is_alive),
        "form": form,
        "limits": limits(),
        "may": may_register(request, population),
    }
    return render(request, "populations/leaks.html", page, status=status)


def may_register(request: HttpRequest, population: Population) -> Verdict:
    """Whether this person may say what leaked."""
    [facts] = facts_of([population])
    return rules.may_register_leak(stake_of(signed_in(request), [population]), facts)


urlpatterns = [
    path("populations/<uuid:id>/leaks/", listing, name="population-leaks"),
    path("leaks/<uuid:id>/unregister/", unregister, name="leak-unregister"),
]
