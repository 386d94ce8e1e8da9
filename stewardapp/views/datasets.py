"""Datasets: the list, a new one, and its versions."""

import uuid

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import URLPattern, path
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from stewardapp.access import rules
from stewardapp.access.roles import Permission
from stewardapp.actions import datasets
from stewardapp.forms.datasets import DatasetForm
from stewardapp.forms.refusals import answer_status, attempt
from stewardapp.models import Dataset, Population, Project, User
from stewardapp.models.membership import person_anywhere
from stewardapp.presenters.datasets import dataset_line, version_line
from stewardapp.reads.datasets import datasets_with_newest, version_rows, with_attempts
from stewardapp.views.paging import paged, searched
from stewardapp.views.people import signed_in
from stewardapp.views.populations import with_population

PER_PAGE, BESIDE = 50, 12


@require_safe
def listing(request: HttpRequest) -> HttpResponse:
    """The datasets of one's projects."""
    user = signed_in(request)
    found = Dataset.objects.visible_to(user).select_related("project")
    page = paged(request, searched(request, found, "name", "project__name"), PER_PAGE)
    shown = {
        "page": page,
        "datasets": [dataset_line(row) for row in datasets_with_newest(page)],
        "may_upload": rules.may_upload(person_anywhere(user)),
    }
    return render(request, "datasets/list.html", shown)


@require_http_methods(["GET", "HEAD", "POST"])
def create(request: HttpRequest) -> HttpResponse:
    """The way in for data: name a new dataset, or choose one that is there."""
    user = signed_in(request)
    projects = Project.objects.permitting(user, Permission.UPLOAD)
    form = DatasetForm(
        request.POST or None,
        projects=projects,
        populations=Population.objects.visible_to(user),
        initial=request.GET.dict(),
    )
    if form.is_valid():
        dataset = _made(form, user)
        if dataset is not None:
            return redirect("dataset-upload", dataset.pk)
    there = Dataset.objects.there().filter(project__in=projects).select_related("project")
    page = {
        "form": form,
        "page": paged(request, searched(request, there, "name", "project__name"), BESIDE),
        "may_upload": rules.may_create_dataset(person_anywhere(user)),
    }
    return render(request, "datasets/create.html", page, status=answer_status(form))


def _made(form: DatasetForm, user: User) -> Dataset | None:
    values = with_population(form, user)
    return None if values is None else attempt(form, datasets.create, by=user, **values)


@require_safe
def detail(request: HttpRequest, id: uuid.UUID) -> HttpResponse:
    """A dataset and its versions."""
    user = signed_in(request)
    found = Dataset.objects.visible_to(user).select_related("project", "population")
    dataset = get_object_or_404(found, pk=id)
    person = dataset.project.person(user)
    versions = paged(request, with_attempts(dataset.versions.all()))
    page = {
        "dataset": dataset,
        "page": versions,
        "versions": [version_line(row) for row in version_rows(versions)],
        "may_upload": rules.may_upload(person),
        "may_remove": rules.may_remove_dataset(person, dataset.facts()),
        "may_move": rules.may_propose_move(person),
    }
    return render(request, "datasets/detail.html", page)


@require_POST
def remove(request: HttpRequest, id: uuid.UUID) -> HttpResponse:
    """Take a dataset that came to nothing out of the lists."""
    user = signed_in(request)
    datasets.remove(dataset=get_object_or_404(Dataset.objects.visible_to(user), pk=id), by=user)
    messages.success(request, "The dataset is removed.")
    return redirect("dataset-list")


urlpatterns: list[URLPattern] = [
    path("datasets/", listing, name="dataset-list"),
    path("datasets/new/", create, name="dataset-create"),
    path("datasets/<uuid:id>/", detail, name="dataset-detail"),
    path("datasets/<uuid:id>/remove/", remove, name="dataset-remove"),
]
