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
    interest = {"later_only": _has_an_interest(project, user, by)}
    membership, created = Membership.objects.get_or_create(
        project=project, user=user, role=role, defaults=interest
    )
    if not created:
        raise Conflict("already-member", "This person already has this role.")
    details = {"user": str(user.pk), "role": role, **interest}
    audit.record("membership.added", membership, by=by, project=project, details=details)
    _announce(membership, by)
    return membership


def _has_an_interest(project: Project, user: User, by: User) -> bool:
    """Whether it may be about a release that waits: administrators who take a role, members who give one."""
    return user == by or user.is_admin or project.memberships.filter(user=by).exists()


def _announce(membership: Membership, by: User) -> None:
    """Tell the person, and everybody in the project, who has what role now and by whom."""
    project, user, role = membership.project, membership.user, membership.role
    url = f"/projects/{project.pk}/members/"
    notify([user], f"You are now {role} in the project {project.name}.", f"/projects/{project.pk}/")
    who = f"{user.display_name}, an administrator," if user.is_admin else user.display_name
    later = " Releases begun before are not theirs to review." if membership.reviews_later else ""
    others = User.objects.filter(memberships__project=project).exclude(pk__in=[user.pk, by.pk])
    text = f"{who} is now {role} in the project {project.name}, by {by.display_name}.{later}"
    notify(others.distinct(), text, url)


@action
def remove(*, membership: Membership, by: User) -> None:
    """Take a role back."""
    project = membership.project
    require(may_manage_members(project.person(by)))
    if Membership.objects.filter(pk=membership.pk).delete()[0] != 1:
        raise Conflict("already-removed", "This role was already taken back.")
    details = {"user": str(membership.user_id), "role": membership.role}
    audit.record("membership.removed", membership, by=by, project=project, details=details)
