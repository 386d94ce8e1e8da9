"""Roles in a project and the permissions each carries, as data."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum


class Role(StrEnum):
    """What somebody is in one project; one person may hold several roles."""

    STEWARD = "steward"
    REVIEWER = "reviewer"
    ANALYST = "analyst"


class Permission(StrEnum):
    """What a role or the administration of the site allows."""

    VIEW_PROJECT = "view-project"
    MANAGE_PROJECT = "manage-project"
    MANAGE_MEMBERS = "manage-members"
    MANAGE_POLICY = "manage-policy"
    MANAGE_RETENTION = "manage-retention"
    MANAGE_BUDGET = "manage-budget"
    DECIDE_BUDGET = "decide-budget"
    VIEW_BUDGETS = "view-budgets"
    VIEW_DATA = "view-data"
    UPLOAD = "upload"
    TAG = "tag"
    EDIT_RELEASE = "edit-release"
    RUN = "run"
    ASSESS = "assess"
    SUBMIT = "submit"
    REVIEW = "review"
    PUBLISH = "publish"
    MANAGE_DESK = "manage-desk"
    ASK = "ask"
    COMMENT = "comment"
    VIEW_RELEASE = "view-release"
    VIEW_AUDIT = "view-audit"


ROLE_PERMISSIONS: dict[Role, frozenset[Permission]] = {
    Role.STEWARD: frozenset(
        {
            Permission.VIEW_PROJECT,
            Permission.MANAGE_RETENTION,
            Permission.MANAGE_BUDGET,
            Permission.DECIDE_BUDGET,
            Permission.VIEW_DATA,
            Permission.UPLOAD,
            Permission.TAG,
            Permission.EDIT_RELEASE,
            Permission.RUN,
            Permission.ASSESS,
            Permission.SUBMIT,
            Permission.PUBLISH,
            Permission.MANAGE_DESK,
            Permission.COMMENT,
            Permission.VIEW_RELEASE,
            Permission.VIEW_AUDIT,
        }
    ),
    Role.REVIEWER: frozenset(
        {
            Permission.VIEW_PROJECT,
            Permission.VIEW_DATA,
            Permission.ASSESS,
            Permission.REVIEW,
            Permission.COMMENT,
            Permission.VIEW_RELEASE,
            Permission.VIEW_AUDIT,
        }
    ),
    Role.ANALYST: frozenset({Permission.VIEW_PROJECT, Permission.ASK}),
}

ADMIN_PERMISSIONS: frozenset[Permission] = frozenset(
    {
        Permission.VIEW_PROJECT,
        Permission.MANAGE_PROJECT,
        Permission.MANAGE_MEMBERS,
        Permission.MANAGE_POLICY,
        Permission.MANAGE_RETENTION,
        Permission.MANAGE_BUDGET,
        Permission.VIEW_RELEASE,
        Permission.VIEW_AUDIT,
    }
)

# The data protection officer of the site: populations, their budgets and the audit of both, never raw data.
OFFICER_PERMISSIONS: frozenset[Permission] = frozenset({Permission.DECIDE_BUDGET, Permission.VIEW_BUDGETS})


def permissions_of(
    roles: Iterable[Role], *, is_admin: bool, is_officer: bool = False
) -> frozenset[Permission]:
    """Everything these roles, the administration and the protection of data together allow."""
    granted = ADMIN_PERMISSIONS if is_admin else frozenset()
    granted |= OFFICER_PERMISSIONS if is_officer else frozenset()
    return granted.union(*(ROLE_PERMISSIONS[role] for role in roles))


def roles_with(permission: Permission) -> tuple[Role, ...]:
    """The project roles that carry a permission; querysets ask this to find what somebody may see."""
    return tuple(role for role in Role if permission in ROLE_PERMISSIONS[role])
