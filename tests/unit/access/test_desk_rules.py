"""Who opens a query desk, who asks there, and who sees what is true."""

from __future__ import annotations

import uuid
from dataclasses import replace

from stewardapp.access import rules
from stewardapp.access.facts import DeskFacts, Person, QueryFacts, VersionFacts
from stewardapp.access.roles import Role
from stewardapp.access.verdict import Verdict


def person(*roles: Role, is_admin: bool = False) -> Person:
    return Person(id=uuid.uuid4(), roles=frozenset(roles), is_admin=is_admin)


STEWARD, REVIEWER, ANALYST = person(Role.STEWARD), person(Role.REVIEWER), person(Role.ANALYST)
ADMIN, NOBODY = person(is_admin=True), person()
DESK = DeskFacts(has_allowance=True)
VERSION = VersionFacts()


def code(verdict: Verdict) -> str:
    assert bool(verdict.reason) is not bool(verdict)
    return verdict.code


def test_a_steward_opens_one_desk_on_a_version_that_was_read() -> None:
    people = (STEWARD, REVIEWER, ANALYST, ADMIN)
    assert [code(rules.may_open_desk(one, VERSION, has_desk=False)) for one in people] == [
        "",
        "no-permission",
        "no-permission",
        "admins-do-not-read",
    ]
    assert code(rules.may_open_desk(STEWARD, VERSION, has_desk=True)) == "desk-open"
    destroyed, unread = replace(VERSION, destroyed=True), replace(VERSION, has_table=False)
    assert code(rules.may_open_desk(STEWARD, destroyed, has_desk=False)) == "destroyed"
    assert code(rules.may_open_desk(STEWARD, unread, has_desk=False)) == "not-read"


def test_a_steward_closes_an_open_desk() -> None:
    people = (STEWARD, REVIEWER, ADMIN)
    assert [code(rules.may_close_desk(one, DESK)) for one in people] == [
        "",
        "no-permission",
        "admins-do-not-read",
    ]
    assert code(rules.may_close_desk(STEWARD, replace(DESK, open=False))) == "desk-closed"


def test_an_analyst_with_an_allowance_asks_an_open_desk() -> None:
    assert code(rules.may_ask(ANALYST, DESK)) == ""
    for other in (STEWARD, REVIEWER, ADMIN, NOBODY):
        assert code(rules.may_ask(other, DESK)) == "no-permission"
    assert code(rules.may_ask(ANALYST, replace(DESK, open=False))) == "desk-closed"
    assert code(rules.may_ask(ANALYST, replace(DESK, destroyed=True))) == "destroyed"
    assert code(rules.may_ask(ANALYST, replace(DESK, has_allowance=False))) == "no-allowance"


def test_true_figures_are_for_those_who_may_look_into_the_data() -> None:
    people = (STEWARD, REVIEWER, ANALYST, ADMIN)
    assert [code(rules.may_see_exact(one)) for one in people] == [
        "",
        "",
        "no-permission",
        "admins-do-not-read",
    ]


def test_who_asked_first_takes_a_question_back_that_nobody_touched() -> None:
    query = QueryFacts(asked_by=ANALYST.id)
    assert code(rules.may_withdraw_question(ANALYST, query)) == ""
    for other in (person(Role.ANALYST), STEWARD, ADMIN):
        assert code(rules.may_withdraw_question(other, query)) == "not-yours"
    assert code(rules.may_withdraw_question(ANALYST, replace(query, untouched=False))) == "taken"
    assert code(rules.may_withdraw_question(ANALYST, replace(query, others_wait=True))) == "taken"
