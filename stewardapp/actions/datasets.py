"""Naming datasets."""

from __future__ import annotations

from django.db import IntegrityError, transaction

from stewardapp.access.rules import may_create_dataset
from stewardapp.access.verdict import Invalid, require
from stewardapp.actions import audit
from stewardapp.actions.action import action
from stewardapp.actions.text import required
from stewardapp.models import Dataset, Population, Project, User


@action
def create(
    *, project: Project, population: Population, name: str, description: str = "", by: User
) -> Dataset:
    """Name a dataset; its versions are uploaded afterwards."""
    require(may_create_dataset(project.person(by)))
    dataset = Dataset(
        project=project,
        population=population,
        name=required(name, "name", 120),
        description=description.strip(),
    )
    try:
        with transaction.atomic():
            dataset.save()
    except IntegrityError:
        reason = "Another dataset of this project has this name; upload a new version of it instead."
        raise Invalid("name-taken", reason, "name") from None
    audit.record("dataset.created", dataset, by=by, project=project)
    return dataset
