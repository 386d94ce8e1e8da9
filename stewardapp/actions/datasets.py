"""Naming datasets, and removing those that came to nothing."""

from __future__ import annotations

from django.db import IntegrityError, transaction
from django.db.models.functions import Now

from stewardapp.access.rules import may_create_dataset, may_remove_dataset
from stewardapp.access.verdict import Invalid, require
from stewardapp.actions import audit, versions
from stewardapp.actions.action import action, locked
from stewardapp.domain.holding import begins_to_hold
from stewardapp.domain.text import required
from stewardapp.models import Dataset, Population, Project, User


@action
def create(
    *, project: Project, population: Population, name: str, description: str = "", by: User
) -> Dataset:
    """Name a dataset; its versions are uploaded afterwards.

    Who names people of whom others hold data is charged as they are, and decides nothing before they agree.
    """
    require(may_create_dataset(project.person(by)))
    population = locked(population)
    dataset = Dataset(
        project=project,
        population=population,
        name=required(name, "name", 120),
        description=description.strip(),
        admitted=begins_to_hold(project, population),
        created_by=by,
    )
    try:
        with transaction.atomic():
            dataset.save()
    except IntegrityError:
        reason = "Another dataset of this project has this name; upload a new version of it instead."
        raise Invalid("name-taken", reason, "name") from None
    details = {"population": str(population.pk), "admitted": dataset.admitted}
    audit.record("dataset.created", dataset, by=by, project=project, details=details)
    return dataset


@action
def remove(*, dataset: Dataset, by: User) -> None:
    """Take a dataset out of all lists; what arrived of a file that could not be read is destroyed."""
    dataset = locked(dataset)
    require(may_remove_dataset(dataset.project.person(by), dataset.facts()))
    for version in dataset.versions.live():
        versions.destroy(version=version, reason="Its dataset was removed.", by=by)
    Dataset.objects.filter(pk=dataset.pk).update(removed_at=Now(), removed_by=by)
    audit.record("dataset.removed", dataset, by=by, project=dataset.project)
