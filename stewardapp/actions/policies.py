"""Revising the rules of a project."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

from stewardapp.access.rules import may_revise_policy
from stewardapp.access.verdict import Conflict, Invalid, require
from stewardapp.actions import audit
from stewardapp.actions.action import action, locked
from stewardapp.domain.demands import Demand, demands_of, rows_of
from stewardapp.models import Policy, PolicyRow, Project, User
from stewardapp.models.policy import LOCAL_EPSILON


@action
def revise(
    *,
    project: Project,
    rows: Sequence[Demand] | None = None,
    maximum_local_epsilon: Decimal | None = LOCAL_EPSILON,
    reviewers: int,
    retention_days: int,
    maximum_epsilon_micro: int,
    require_second_factor: bool,
    replaces: int | None = None,
    by: User,
) -> Policy:
    """Write a new version of the policy; `replaces` is the version the form was filled from.

    Without rows those in force are written again.
    """
    require(may_revise_policy(project.person(by)))
    latest = locked(project).policy
    if replaces not in (None, latest.version):
        raise Conflict("policy-changed", "Somebody else changed the policy; look at the new one first.")
    policy = Policy(
        project=project,
        version=latest.version + 1,
        maximum_local_epsilon=_bound(maximum_local_epsilon, "maximum_local_epsilon"),
        reviewers=_within("reviewers", reviewers, 1, 3),
        retention_days=_within("retention_days", retention_days, 1, 3650),
        maximum_epsilon_micro=_within("maximum_epsilon_micro", maximum_epsilon_micro, 0, 10**12),
        require_second_factor=require_second_factor,
    )
    written = rows_of(policy, demands_of(latest) if rows is None else rows)
    policy.save()
    PolicyRow.objects.bulk_create(written)
    audit.record("policy.revised", policy, by=by, project=project, details=_details(policy))
    return policy


def _within(param: str, value: int, lowest: int, highest: int) -> int:
    if not lowest <= value <= highest:
        what = param.replace("_", " ").capitalize()
        raise Invalid("out-of-range", f"{what} must lie between {lowest} and {highest}.", param)
    return value


def _bound(value: Decimal | None, param: str) -> Decimal | None:
    if value is None:
        return None
    if not (value.is_finite() and 0 <= value <= 1000):
        what = param.replace("_", " ").capitalize()
        raise Invalid("out-of-range", f"{what} must lie between 0 and 1000, or be left out.", param)
    return round(value, 4)


def _details(policy: Policy) -> dict[str, object]:
    local = policy.maximum_local_epsilon
    return {
        "version": policy.version,
        "rows": [row.as_dict() for row in policy.rows.all()],
        "maximum_local_epsilon": None if local is None else str(local),
        "reviewers": policy.reviewers,
        "retention_days": policy.retention_days,
        "maximum_epsilon_micro": policy.maximum_epsilon_micro,
        "require_second_factor": policy.require_second_factor,
    }
