"""Does a role of this person carry a permission?"""

from __future__ import annotations

from stewardapp.access.facts import Person
from stewardapp.access.roles import ADMIN_PERMISSIONS, Permission, roles_with
from stewardapp.access.verdict import Verdict, no, yes


def permitted(person: Person, permission: Permission, what: str) -> Verdict:
    """Whether a role carries the permission; the refusal says which role would."""
    if person.has(permission):
        return yes()
    who = [f"a {role.value}" for role in roles_with(permission)]
    if permission in ADMIN_PERMISSIONS:
        who.append("an administrator")
    return no("no-permission", f"Only {' or '.join(who)} of this project can {what}.")
