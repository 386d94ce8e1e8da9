"""What lists of projects and of their keys ask of the database."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.db.models import Count, IntegerField, OuterRef, Prefetch, QuerySet, Subquery
from django.db.models.functions import Coalesce

from stewardapp.access.roles import Role
from stewardapp.models import Dataset, Membership, Project, ProjectKey, Release, User
from stewardapp.models.project import ProjectQuerySet

COUNTED = ("member_count", "dataset_count", "release_count")


@dataclass(frozen=True)
class ProjectRow:
    """A project, the roles somebody holds in it, and how much of it they may know of."""

    project: Project
    roles: frozenset[Role]
    members: int
    datasets: int
    releases: int


@dataclass(frozen=True)
class KeyRow:
    """One key of a project and how much was made with it."""

    key: ProjectKey
    runs: int
    releases: int


def projects_with_counts(projects: ProjectQuerySet, user: User) -> list[ProjectRow]:
    """Projects in their order, with counts as this person may know them."""
    found = projects.annotate(
        member_count=_number_of(Membership.objects.all(), "user"),
        dataset_count=_number_of(Dataset.objects.visible_to(user), "pk"),
        release_count=_number_of(Release.objects.visible_to(user), "pk"),
    ).prefetch_related("policies__rows", Prefetch("memberships", Membership.objects.filter(user=user)))
    return [ProjectRow(one, _roles_of(one), *(vars(one)[name] for name in COUNTED)) for one in found]


def _roles_of(project: Project) -> frozenset[Role]:
    return frozenset(Role(held.role) for held in project.memberships.all())


def _number_of(rows: QuerySet[Any], counted: str) -> Coalesce:
    """How many different ones the project around it has."""
    here = rows.filter(project=OuterRef("pk")).order_by().values("project")
    numbers = here.annotate(number=Count(counted, distinct=True)).values("number")
    return Coalesce(Subquery(numbers, output_field=IntegerField()), 0)


def keys_of(project: Project) -> list[KeyRow]:
    """Every key the project has had, the newest first."""
    keys = project.keys.select_related("created_by").annotate(
        run_count=Count("runs"), release_count=Count("runs__release", distinct=True)
    )
    return [KeyRow(one, vars(one)["run_count"], vars(one)["release_count"]) for one in keys]
