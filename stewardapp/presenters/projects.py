"""Projects, people and policies as pages print them."""

from collections.abc import Iterable
from decimal import Decimal
from itertools import groupby
from typing import Any, NamedTuple

from stewardapp.forms.policies import MICRO, plain, plain_or_none
from stewardapp.models import Membership, Policy, Project, User
from stewardapp.presenters.demands import DemandLine, demand_lines
from stewardapp.reads.projects import ProjectRow


class PolicyLine(NamedTuple):
    """One version of a policy, with ε as people write it."""

    version: int
    demands: tuple[DemandLine, ...]
    epsilon: str
    local_epsilon: str | None
    reviewers: int
    retention_days: int
    require_second_factor: bool
    created_at: Any


def policy_line(policy: Policy) -> PolicyLine:
    """A policy for a card or a line of its history."""
    return PolicyLine(
        policy.version,
        demand_lines(policy),
        plain(Decimal(policy.maximum_epsilon_micro) / MICRO),
        plain_or_none(policy.maximum_local_epsilon),
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
    policy: PolicyLine


def project_line(row: ProjectRow) -> ProjectLine:
    """A project with its counts."""
    roles, policy = ", ".join(sorted(role.value for role in row.roles)), policy_line(row.project.policy)
    return ProjectLine(row.project, roles, row.members, row.datasets, row.releases, policy)
