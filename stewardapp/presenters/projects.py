"""Projects, people and policies as pages print them."""

from collections.abc import Iterable
from decimal import Decimal
from itertools import groupby
from typing import Any, NamedTuple

from stewardapp.forms.projects import MICRO, plain
from stewardapp.models import Dataset, Membership, Policy, Project, ProjectKey, Release, User


class PolicyLine(NamedTuple):
    """One version of a policy, with ε as people write it."""

    version: int
    minimum_k: int
    maximum_risk: Decimal
    maximum_unique: Decimal
    epsilon: str
    reviewers: int
    retention_days: int
    require_second_factor: bool
    created_at: Any


def policy_line(policy: Policy) -> PolicyLine:
    """A policy for a card or a line of its history."""
    return PolicyLine(
        policy.version,
        policy.minimum_k,
        policy.maximum_risk,
        policy.maximum_unique,
        plain(Decimal(policy.maximum_epsilon_micro) / MICRO),
        policy.reviewers,
        policy.retention_days,
        policy.require_second_factor,
        policy.created_at,
    )


class MemberLine(NamedTuple):
    """One person with every role held."""

    user: User
    memberships: list[Membership]
    words: str


def member_lines(memberships: Iterable[Membership]) -> list[MemberLine]:
    """Memberships, grouped by person; they come ordered by name."""
    lines = []
    for user, held in groupby(memberships, key=lambda membership: membership.user):
        roles = list(held)
        lines.append(MemberLine(user, roles, ", ".join(str(role.role) for role in roles)))
    return lines


class ProjectLine(NamedTuple):
    """A project in a list."""

    project: Project
    roles: str
    members: int
    datasets: int
    releases: int
    policy: Policy


def project_line(project: Project, user: User) -> ProjectLine:
    """A project with its counts, as this person may know them."""
    return ProjectLine(
        project,
        roles_of(project, user),
        project.memberships.values("user").distinct().count(),
        Dataset.objects.visible_to(user).filter(project=project).count(),
        Release.objects.visible_to(user).filter(project=project).count(),
        project.policy,
    )


def roles_of(project: Project, user: User) -> str:
    """The roles somebody holds in a project, as words."""
    return ", ".join(sorted(role.value for role in project.person(user).roles))


class KeyLine(NamedTuple):
    """One key and how much was made with it."""

    key: ProjectKey
    runs: int
    releases: int


def key_lines(project: Project) -> list[KeyLine]:
    """Every key the project has had, the newest first."""
    keys = project.keys.select_related("created_by")
    return [KeyLine(key, key.runs.count(), key.runs.values("release").distinct().count()) for key in keys]
