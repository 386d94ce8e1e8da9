"""A refusal says which role would do; work can be stopped once, and while it lasts."""

from __future__ import annotations

import uuid

import pytest

from stewardapp.access.facts import JobFacts, Person
from stewardapp.access.permitted import permitted, stoppable
from stewardapp.access.roles import ADMIN_PERMISSIONS, Permission, Role, roles_with


@pytest.mark.parametrize("permission", Permission)
def test_a_role_carries_it_or_the_refusal_names_one(permission: Permission) -> None:
    for role in Role:
        verdict = permitted(Person(uuid.uuid4(), frozenset({role})), permission, "do it")
        assert bool(verdict) is (role in roles_with(permission))
        if not verdict:
            assert all(one.value in verdict.reason for one in roles_with(permission))
            assert ("an administrator" in verdict.reason) is (permission in ADMIN_PERMISSIONS)


@pytest.mark.parametrize("state", ["queued", "running", "succeeded", "failed", "cancelled"])
@pytest.mark.parametrize("stopped", [False, True])
def test_what_can_be_stopped(state: str, stopped: bool) -> None:
    verdict = stoppable("run", JobFacts(state, stopped))
    ended = state not in ("queued", "running")
    assert verdict.code == ("ended" if ended else "stopping" if stopped else "")
    assert bool(verdict) is (not ended and not stopped)
