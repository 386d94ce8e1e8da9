"""Who may do what with a survey, and when somebody can answer."""

from __future__ import annotations

import uuid
from dataclasses import replace
from datetime import date

import pytest

from stewardapp.access import rules
from stewardapp.access.facts import Person
from stewardapp.access.roles import Role
from stewardapp.access.survey_states import SOURCES, TARGETS, SurveyFacts, SurveyMove, SurveyState
from stewardapp.access.verdict import Verdict

DAY = date(2030, 5, 10)


def person(*roles: Role, is_admin: bool = False) -> Person:
    return Person(id=uuid.uuid4(), roles=frozenset(roles), is_admin=is_admin)


STEWARD, REVIEWER, ANALYST = person(Role.STEWARD), person(Role.REVIEWER), person(Role.ANALYST)
ADMIN = person(is_admin=True)
DRAFT = SurveyFacts(SurveyState.DRAFT, questions=1, opens_on=DAY, closes_on=DAY, invited=True)
OPEN = replace(DRAFT, state=SurveyState.COLLECTING, answers=3)


def code(verdict: Verdict) -> str:
    assert bool(verdict.reason) is not bool(verdict)
    return verdict.code


def test_stewards_run_surveys_reviewers_read_and_administrators_do_neither() -> None:
    assert [code(rules.may_create_survey(one)) for one in (STEWARD, REVIEWER, ADMIN)] == [
        "",
        "no-permission",
        "admins-do-not-read",
    ]
    assert [code(rules.may_view_survey(one)) for one in (STEWARD, REVIEWER, ANALYST, ADMIN)] == [
        "",
        "",
        "no-permission",
        "admins-do-not-read",
    ]


def test_a_survey_is_changed_before_it_is_opened() -> None:
    assert rules.may_edit_survey(STEWARD, DRAFT)
    assert code(rules.may_edit_survey(STEWARD, OPEN)) == "not-draft"
    assert code(rules.may_edit_survey(ANALYST, DRAFT)) == "no-permission"


def test_it_opens_with_a_question_and_dates() -> None:
    assert rules.may_move_survey(STEWARD, DRAFT, SurveyMove.OPEN)
    assert code(rules.may_move_survey(REVIEWER, DRAFT, SurveyMove.OPEN)) == "no-permission"
    assert code(rules.may_move_survey(STEWARD, replace(DRAFT, questions=0), SurveyMove.OPEN)) == "no-question"
    assert code(rules.may_move_survey(STEWARD, replace(DRAFT, closes_on=None), SurveyMove.OPEN)) == "no-dates"


@pytest.mark.parametrize("move", SurveyMove)
@pytest.mark.parametrize("state", SurveyState)
def test_moves_begin_where_the_table_says(move: SurveyMove, state: SurveyState) -> None:
    allowed = rules.may_move_survey(STEWARD, replace(DRAFT, state=state), move)
    assert bool(allowed) is (state in SOURCES[move])
    assert TARGETS[move] is not SurveyState.DRAFT


def test_invitations_and_collecting() -> None:
    assert rules.may_invite(STEWARD, DRAFT)
    assert code(rules.may_invite(STEWARD, replace(DRAFT, invited=False))) == "open-link"
    assert code(rules.may_invite(STEWARD, replace(DRAFT, state=SurveyState.CLOSED))) == "closed"
    assert rules.may_collect(STEWARD, OPEN)
    assert code(rules.may_collect(STEWARD, DRAFT)) == "no-answer"
    assert code(rules.may_collect(STEWARD, replace(OPEN, erased=True))) == "erased"


@pytest.mark.parametrize(
    ("changes", "today", "answer"),
    [
        ({}, DAY, ""),
        ({"state": SurveyState.DRAFT}, DAY, "not-open"),
        ({"opens_on": None}, DAY, "not-open"),
        ({"closes_on": None}, DAY, "not-open"),
        ({"state": SurveyState.PAUSED}, DAY, "paused"),
        ({"state": SurveyState.CLOSED}, DAY, "closed"),
        ({}, date(2030, 5, 11), "closed"),
        ({}, date(2030, 5, 9), "not-yet"),
    ],
)
def test_anybody_can_answer_while_it_is_open(changes: dict[str, object], today: date, answer: str) -> None:
    assert code(rules.may_answer(replace(OPEN, **changes), today)) == answer  # type: ignore[arg-type]
