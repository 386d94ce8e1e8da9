"""The questions of a survey that is still a draft."""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Decimal

from django.db import IntegrityError, transaction
from django.db.models import F, Max

from stewardapp.access.rules import may_edit_survey
from stewardapp.access.verdict import Conflict, Invalid, require
from stewardapp.actions import audit
from stewardapp.actions.action import action, locked
from stewardapp.domain.text import required
from stewardapp.models import Survey, SurveyQuestion, User
from worker.engine.randomization.survey_protocol import design

MOST_ANSWERS, MOST_QUESTIONS = 30, 30
NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,39}")


@action
def add(
    *,
    survey: Survey,
    name: str,
    text: str,
    answers: Sequence[str],
    epsilon: Decimal | None = None,
    keep: Decimal | None = None,
    by: User,
) -> SurveyQuestion:
    """Add a question at the end."""
    survey = _draft(survey, by)
    if survey.questions.count() >= MOST_QUESTIONS:
        raise Invalid("too-many", f"A survey has at most {MOST_QUESTIONS} questions.", "text")
    last = survey.questions.aggregate(last=Max("position"))["last"]
    values = _checked(name, text, answers, epsilon, keep)
    question = SurveyQuestion(survey=survey, position=0 if last is None else last + 1, **values)
    _save(question)
    audit.record("survey.question-added", question, by=by, project=survey.project, details=_told(question))
    return question


@action
def change(
    *,
    question: SurveyQuestion,
    name: str,
    text: str,
    answers: Sequence[str],
    epsilon: Decimal | None = None,
    keep: Decimal | None = None,
    by: User,
) -> SurveyQuestion:
    """Change a question."""
    survey = _draft(question.survey, by)
    question = _there(survey, question)
    for field, value in _checked(name, text, answers, epsilon, keep).items():
        setattr(question, field, value)
    _save(question)
    audit.record("survey.question-changed", question, by=by, project=survey.project, details=_told(question))
    return question


@action
def remove(*, question: SurveyQuestion, by: User) -> None:
    """Take a question away."""
    survey = _draft(question.survey, by)
    question = _there(survey, question)
    audit.record("survey.question-removed", question, by=by, project=survey.project, details=_told(question))
    place = question.position
    question.delete()
    for later in survey.questions.filter(position__gt=place):
        survey.questions.filter(pk=later.pk).update(position=F("position") - 1)


def _draft(survey: Survey, by: User) -> Survey:
    survey = locked(survey)
    require(may_edit_survey(survey.person(by), survey.facts()))
    survey.makers.add(by)
    return survey


def _there(survey: Survey, question: SurveyQuestion) -> SurveyQuestion:
    found = survey.questions.filter(pk=question.pk).first()
    if found is None:
        raise Conflict("gone", "Somebody else removed this question.")
    return found


def _save(question: SurveyQuestion) -> None:
    try:
        with transaction.atomic():
            question.save()
    except IntegrityError:
        raise Invalid("name-taken", "Another question of this survey has this name.", "name") from None


def _checked(
    name: str, text: str, answers: Sequence[str], epsilon: Decimal | None, keep: Decimal | None
) -> dict[str, object]:
    if not NAME.fullmatch(name):
        raise Invalid("name", "A name has letters, digits and _ only, and begins with a letter.", "name")
    listed = [required(answer, "answers", 200) for answer in answers]
    if not 2 <= len(listed) <= MOST_ANSWERS or len(set(listed)) != len(listed):
        raise Invalid("answers", f"Give 2 to {MOST_ANSWERS} different answers.", "answers")
    if any(len(answer.splitlines()) > 1 for answer in listed):
        raise Invalid("answers", "An answer is one line.", "answers")
    try:
        made = design(len(listed), epsilon, keep)
    except ValueError as wrong:
        raise Invalid("strength", str(wrong), "keep" if keep is not None else "epsilon") from None
    return {
        "name": name,
        "text": required(text, "text", 1000),
        "answers": listed,
        "epsilon": epsilon,
        "keep": keep,
        "true_weight": made.true,
        "other_weight": made.other,
    }


def _told(question: SurveyQuestion) -> dict[str, object]:
    weights = {"true": question.true_weight, "other": question.other_weight}
    return {"name": question.name, "answers": len(question.answers), **weights}
