"""Populations: the people datasets are about."""

import uuid

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import URLPattern, path
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from stewardapp.access import rules
from stewardapp.access.verdict import require
from stewardapp.actions import populations
from stewardapp.forms.populations import OverlapForm, PopulationForm
from stewardapp.forms.refusals import answer_status, attempt
from stewardapp.models import Dataset, Population
from stewardapp.models.membership import person_anywhere
from stewardapp.presenters.budgets import level
from stewardapp.presenters.datasets import dataset_line
from stewardapp.views.people import signed_in


@require_safe
def listing(request: HttpRequest) -> HttpResponse:
    """All populations of the site."""
    user = signed_in(request)
    found = Population.objects.visible_to(user).prefetch_related("overlaps")
    page = {
        "populations": [(population, level(population)) for population in found],
        "may_create": rules.may_manage_populations(person_anywhere(user)),
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
    population = _population(request, id)
    return _shown(request, population, _overlap_form(request, population))


@require_POST
def overlap(request: HttpRequest, id: uuid.UUID) -> HttpResponse:
    """Declare that two populations share people."""
    user, population = signed_in(request), _population(request, id)
    require(rules.may_manage_populations(person_anywhere(user)))
    form = _overlap_form(request, population)
    if form.is_valid():
        attempt(form, populations.declare_overlap, population=population, by=user, **form.cleaned_data)
    if form.errors:
        return _shown(request, population, form)
    messages.success(request, "The overlap is declared. What was bought about one counts for both.")
    return redirect("population-detail", population.pk)


def _shown(request: HttpRequest, population: Population, form: OverlapForm) -> HttpResponse:
    user = signed_in(request)
    datasets = Dataset.objects.visible_to(user).filter(population=population).select_related("project")
    page = {
        "population": population,
        "overlaps": population.overlaps.all(),
        "datasets": [dataset_line(dataset) for dataset in datasets],
        "form": form,
        "may_declare": rules.may_manage_populations(person_anywhere(user)),
    }
    return render(request, "populations/detail.html", page, status=answer_status(form))


def _overlap_form(request: HttpRequest, population: Population) -> OverlapForm:
    others = Population.objects.visible_to(signed_in(request)).exclude(pk=population.pk)
    return OverlapForm(request.POST or None, choices=others.exclude(overlaps=population))


def _population(request: HttpRequest, id: uuid.UUID) -> Population:
    return get_object_or_404(Population.objects.visible_to(signed_in(request)), pk=id)


urlpatterns: list[URLPattern] = [
    path("populations/", listing, name="population-list"),
    path("populations/new/", create, name="population-create"),
    path("populations/<uuid:id>/", detail, name="population-detail"),
    path("populations/<uuid:id>/overlaps/", overlap, name="population-overlap"),
]
