"""Revising the rules of a project."""

from __future__ import annotations

from decimal import Decimal

from stewardapp.access.rules import may_revise_policy
from stewardapp.access.verdict import Conflict, Invalid, require
from stewardapp.actions import audit
from stewardapp.actions.action import action, locked
from stewardapp.models import Policy, Project, User

SMALLEST_RISK = Decimal("0.0001")
UNIQUE = Decimal("0.05")
"""How many rows of a release may stand alone in the columns that leave where nobody said otherwise."""


@action
def revise(
    *,
    project: Project,
    minimum_k: int,
    maximum_risk: Decimal,
    maximum_unique: Decimal = UNIQUE,
    reviewers: int,
    retention_days: int,
    maximum_epsilon_micro: int,
    require_second_factor: bool,
    replaces: int | None = None,
    by: User,
) -> Policy:
    """Write a new version of the policy; `replaces` is the version the form was filled from."""
    require(may_revise_policy(project.person(by)))
    latest = locked(project).policy.version
    if replaces not in (None, latest):
        raise Conflict("policy-changed", "Somebody else changed the policy; look at the new one first.")
    policy = Policy(
        project=project,
        version=latest + 1,
        minimum_k=_within("minimum_k", minimum_k, 1, 1_000_000),
        maximum_risk=_share(maximum_risk, "maximum_risk", SMALLEST_RISK),
        maximum_unique=_share(maximum_unique, "maximum_unique", Decimal(0)),
        reviewers=_within("reviewers", reviewers, 1, 3),
        retention_days=_within("retention_days", retention_days, 1, 3650),
        maximum_epsilon_micro=_within("maximum_epsilon_micro", maximum_epsilon_micro, 0, 10**12),
        require_second_factor=require_second_factor,
    )
    policy.save()
    audit.record("policy.revised", policy, by=by, project=project, details=_details(policy))
    return policy


def _within(param: str, value: int, lowest: int, highest: int) -> int:
    if not lowest <= value <= highest:
        what = param.replace("_", " ").capitalize()
        raise Invalid("out-of-range", f"{what} must lie between {lowest} and {highest}.", param)
    return value


def _share(value: Decimal, param: str, lowest: Decimal) -> Decimal:
    if not (value.is_finite() and lowest <= value <= 1):
        what = param.replace("_", " ").capitalize()
        raise Invalid("out-of-range", f"{what} must lie between {lowest} and 1.", param)
    return round(value, 4)


def _details(policy: Policy) -> dict[str, str | int | bool]:
    return {
        "version": policy.version,
        "minimum_k": policy.minimum_k,
        "maximum_risk": str(policy.maximum_risk),
        "maximum_unique": str(policy.maximum_unique),
        "reviewers": policy.reviewers,
        "retention_days": policy.retention_days,
        "maximum_epsilon_micro": policy.maximum_epsilon_micro,
        "require_second_factor": policy.require_second_factor,
    }
