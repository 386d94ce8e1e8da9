"""Giving and taking roles."""

from __future__ import annotations

from stewardapp.access.roles import Role
from stewardapp.access.rules import may_manage_members
from stewardapp.access.verdict import Conflict, Invalid, require
from stewardapp.actions import audit
from stewardapp.actions.action import action, locked
from stewardapp.models import Membership, Project, User
from stewardapp.notifications import notify


@action
def add(*, project: Project, user: User, role: str, by: User) -> Membership:
    """Give a person a role in a project."""
    require(may_manage_members(project.person(by)))
    project = locked(project)
    if role not in list(Role):
        raise Invalid("unknown-role", "Choose one of steward, reviewer or analyst.", "role")
    if not user.is_active:
        raise Invalid("inactive", "This account is deactivated.", "user")
    membership, created = Membership.objects.get_or_create(project=project, user=user, role=role)
    if not created:
        raise Conflict("already-member", "This person already has this role.")
    audit.record(
        "membership.added", membership, by=by, project=project, details={"user": str(user.pk), "role": role}
    )
    notify([user], f"You are now {role} in the project {project.name}.", f"/projects/{project.pk}/")
    return membership


@action
def remove(*, membership: Membership, by: User) -> None:
    """Take a role back."""
    project = membership.project
    require(may_manage_members(project.person(by)))
    if Membership.objects.filter(pk=membership.pk).delete()[0] != 1:
        raise Conflict("already-removed", "This role was already taken back.")
    details = {"user": str(membership.user_id), "role": membership.role}
    audit.record("membership.removed", membership, by=by, project=project, details=details)
