"""Who may try many values at once."""

from __future__ import annotations

import uuid

from stewardapp.access import rules
from stewardapp.access.facts import Person, ReleaseFacts
from stewardapp.access.roles import Role
from stewardapp.access.workflow import State


def person(*roles: Role, is_admin: bool = False) -> Person:
    return Person(id=uuid.uuid4(), roles=frozenset(roles), is_admin=is_admin)


STEWARD, REVIEWER, ANALYST = person(Role.STEWARD), person(Role.REVIEWER), person(Role.ANALYST)
OTHERS = (REVIEWER, ANALYST, person(is_admin=True), person(), Person())
DRAFT = ReleaseFacts(state=State.DRAFT)


def test_whoever_may_start_a_run_may_start_a_sweep() -> None:
    assert rules.may_sweep(STEWARD, DRAFT, charged=False)
    for other in OTHERS:
        assert rules.may_sweep(other, DRAFT, charged=False).code == "no-permission"
    untagged = ReleaseFacts(state=State.DRAFT, columns_tagged=False)
    assert rules.may_sweep(STEWARD, untagged, charged=False).code == "nothing-tagged"
    reviewed = ReleaseFacts(state=State.IN_REVIEW)
    assert rules.may_sweep(STEWARD, reviewed, charged=False).code == "wrong-state"


def test_no_sweep_spends_a_budget() -> None:
    refusal = rules.may_sweep(STEWARD, DRAFT, charged=True)
    assert (refusal.code, refusal.allowed) == ("charged", False)
    assert rules.may_sweep(ANALYST, DRAFT, charged=True).code == "no-permission"


def test_what_is_under_way_can_be_cancelled_by_those_who_run() -> None:
    assert rules.may_cancel_sweep(STEWARD, under_way=True)
    assert rules.may_cancel_sweep(STEWARD, under_way=False).code == "ended"
    for other in OTHERS:
        assert rules.may_cancel_sweep(other, under_way=True).code == "no-permission"
