"""What many rules ask: does a role carry a permission, can work still be stopped?"""

from __future__ import annotations

from typing import Protocol

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


class Stoppable(Protocol):
    """Work of a worker."""

    @property
    def state(self) -> str:
        """Where it stands."""

    @property
    def stop_requested(self) -> bool:
        """Whether somebody asked for its end already."""


def stoppable(noun: str, job: Stoppable) -> Verdict:
    """Whether it waits or works, and nobody stopped it before."""
    if job.state not in ("queued", "running"):
        return no("ended", f"This {noun} has already ended ({job.state}).")
    return no("stopping", f"This {noun} is already being cancelled.") if job.stop_requested else yes()
