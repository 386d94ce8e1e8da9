"""Populations: the people datasets are about."""

import uuid
from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import URLPattern, path
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from stewardapp.access import rules
from stewardapp.access.verdict import require
from stewardapp.actions import populations, proposals
from stewardapp.domain.holding import facts_of, stake_of
from stewardapp.forms.datasets import PeopleForm
from stewardapp.forms.populations import OverlapForm, PopulationForm, SeparationForm
from stewardapp.forms.refusals import answer_status, attempt
from stewardapp.models import Dataset, Population, Proposal, Resemblance, User
from stewardapp.models.membership import person_anywhere
from stewardapp.presenters import budgets as lines
from stewardapp.presenters.datasets import dataset_line
from stewardapp.reads.datasets import datasets_with_newest
from stewardapp.views.paging import paged, searched
from stewardapp.views.people import signed_in


@require_safe
def listing(request: HttpRequest) -> HttpResponse:
    """All populations of the site."""
    user = signed_in(request)
    person = person_anywhere(user)
    seen = Population.objects.visible_to(user).prefetch_related("overlaps")
    found = paged(request, searched(request, seen, "name", "description"))
    page = {
        "page": found,
        "populations": [(population, lines.level(population)) for population in found],
        "sees_purchases": rules.may_see_purchases(person),
        "may_create": rules.may_manage_populations(person),
    }
    return render(request, "populations/list.html", page)


@require_http_methods(["GET", "HEAD", "POST"])
def create(request: HttpRequest) -> HttpResponse:
    """Describe the people."""
    user = signed_in(request)
    require(rules.may_manage_populations(person_anywhere(user)))
    form = PopulationForm(request.POST or None)
    if form.is_valid():
        population = attempt(form, populations.create, by=user, **form.cleaned_data)
        if population is not None:
            return redirect("population-detail", population.pk)
    return render(request, "populations/form.html", {"form": form}, status=answer_status(form))


@require_safe
def detail(request: HttpRequest, id: uuid.UUID) -> HttpResponse:
    """One population, its overlaps, and the datasets about it that this person may see."""
    return _shown(request, population_or_404(request, id))


@require_POST
def overlap(request: HttpRequest, id: uuid.UUID) -> HttpResponse:
    """Propose that two populations share people."""
    return _about_two(request, id, _overlap_form, proposals.propose_overlap, "form")


@require_POST
def separate(request: HttpRequest, id: uuid.UUID) -> HttpResponse:
    """Propose that an overlap was declared by mistake."""
    return _about_two(request, id, _separation_form, proposals.propose_separation, "separation")


def _about_two(
    request: HttpRequest,
    id: uuid.UUID,
    form_of: Callable[[HttpRequest, Population], OverlapForm],
    propose: Callable[..., Proposal],
    name: str,
) -> HttpResponse:
    """Say something about this population and another one that the form names."""
    user, population = signed_in(request), population_or_404(request, id)
    require(rules.may_propose(stake_of(user, [population]), facts_of([population])))
    form = form_of(request, population)
    if form.is_valid():
        attempt(form, propose, population=population, by=user, **form.cleaned_data)
    if form.errors:
        return _shown(request, population, **{name: form})
    messages.success(request, "Proposed. Others have to agree; they were told.")
    return redirect("population-detail", population.pk)


def _shown(request: HttpRequest, population: Population, **forms: OverlapForm) -> HttpResponse:
    user = signed_in(request)
    about = Dataset.objects.visible_to(user).filter(population=population)
    datasets = paged(request, about.select_related("project"))
    seen = Resemblance.objects.visible_to(user).undeclared().about(population)
    page = {
        "population": population,
        "resemblances": seen.select_related("population", "known", "version"),
        "overlaps": population.overlaps.all(),
        "page": datasets,
        "datasets": [dataset_line(row) for row in datasets_with_newest(datasets)],
        "proposals": lines.proposal_lines(population, user),
        "deciders": lines.deciders(population, user),
        "form": _overlap_form(None, population),
        "separation": _separation_form(None, population),
        "may_propose": rules.may_propose(stake_of(user, [population]), facts_of([population])),
        **forms,
    }
    status = 422 if any(form.errors for form in forms.values()) else 200
    return render(request, "populations/detail.html", page, status=status)


def _overlap_form(request: HttpRequest | None, population: Population) -> OverlapForm:
    others = Population.objects.exclude(pk=population.pk).exclude(overlaps=population)
    return OverlapForm(request.POST if request else None, choices=others)


def _separation_form(request: HttpRequest | None, population: Population) -> SeparationForm:
    given = request.POST if request else None
    return SeparationForm(given, choices=population.overlaps.all(), auto_id="separation_%s")


def with_population(form: PeopleForm, user: User) -> dict[str, Any] | None:
    """The values of a valid form with its population, made before anything else where it is new.

    None when it could not be made.
    """
    values = dict(form.cleaned_data)
    name = values.pop("new_population")
    if name:
        values["population"] = attempt(form, _new_population, new_population=name, by=user)
    return values if values["population"] is not None else None


def _new_population(*, new_population: str, by: User) -> Population:
    return populations.create(name=new_population, by=by)


def population_or_404(request: HttpRequest, id: uuid.UUID) -> Population:
    """A population this person may know of."""
    return get_object_or_404(Population.objects.visible_to(signed_in(request)), pk=id)


urlpatterns: list[URLPattern] = [
    path("populations/", listing, name="population-list"),
    path("populations/new/", create, name="population-create"),
    path("populations/<uuid:id>/", detail, name="population-detail"),
    path("populations/<uuid:id>/overlaps/", overlap, name="population-overlap"),
    path("populations/<uuid:id>/separations/", separate, name="population-separate"),
]
