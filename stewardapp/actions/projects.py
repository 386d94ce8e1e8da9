"""Founding and renaming projects."""

from __future__ import annotations

from django.conf import settings
from django.db import IntegrityError, transaction

from stewardapp.access.rules import may_create_project
from stewardapp.access.verdict import Invalid, require
from stewardapp.actions import audit
from stewardapp.actions.action import action, locked
from stewardapp.domain.demands import rows_of
from stewardapp.domain.policy_presets import protecting
from stewardapp.domain.text import required
from stewardapp.models import Policy, PolicyRow, Project, User
from stewardapp.models.membership import person_of


@action
def create(*, name: str, description: str = "", by: User) -> Project:
    """Found a project with the default policy and nobody in it yet.

    On a site reviewers need a second factor from the beginning; whoever revises the policy may say otherwise.
    """
    require(may_create_project(person_of(by)))
    project = Project(name=required(name, "name", 120), description=description.strip())
    _save(project)
    policy = Policy.objects.create(project=project, version=1, require_second_factor=settings.STEWARD_SITE)
    PolicyRow.objects.bulk_create(rows_of(policy, protecting()))
    audit.record("project.created", project, by=by, project=project)
    return project


@action
def rename(*, project: Project, name: str, description: str | None = None, by: User) -> Project:
    """Change the name, and the description when one is given."""
    require(may_create_project(project.person(by)))
    project = locked(project)
    project.name = required(name, "name", 120)
    if description is not None:
        project.description = description.strip()
    _save(project)
    audit.record("project.renamed", project, by=by, project=project)
    return project


def _save(project: Project) -> None:
    try:
        with transaction.atomic():
            project.save()
    except IntegrityError:
        raise Invalid("name-taken", "Another project has this name; choose another.", "name") from None
