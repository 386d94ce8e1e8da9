"""The demo's surveys: one that people who do not exist have answered, one still a draft."""

import secrets
from collections.abc import Sequence
from datetime import timedelta
from decimal import Decimal
from typing import Any

from django.utils import timezone

from stewardapp.access.survey_states import SurveyMove, SurveyState
from stewardapp.actions import populations, survey_answers, survey_questions, surveys
from stewardapp.models import Population, Project, Survey, User
from worker.engine.randomization.survey_protocol import reported

ANSWERS = 300
PEOPLE = "Members of sports clubs"
OPEN, DRAFT = "Doping in amateur sport", "Pressure at training"
QUESTIONS: tuple[dict[str, Any], ...] = (
    {
        "name": "doping",
        "text": "Did you take a forbidden substance within the last twelve months?",
        "answers": ["yes", "no"],
        "keep": Decimal("0.75"),
    },
    {
        "name": "offered_by",
        "text": "Who offered it to you?",
        "answers": ["nobody", "a friend", "a coach", "a physician"],
        "epsilon": Decimal("1.5"),
    },
)


def load(project: Project, steward: User) -> None:
    """Both surveys; what was interrupted is continued."""
    people = Population.objects.filter(name=PEOPLE).first() or populations.create(name=PEOPLE, by=steward)
    _survey(project, people, steward, DRAFT, QUESTIONS[:1])
    survey = _survey(project, people, steward, OPEN, QUESTIONS)
    if survey.state == SurveyState.DRAFT:
        survey = _opened(survey, steward)
    designs = survey.designs()
    for number in range(survey.answered, ANSWERS):
        truths = (int(number % 6 > 0), (0, 0, 0, 1, 1, 2, 3)[number % 7])
        codes = [
            reported(one, truth, secrets.randbelow(one.total))
            for one, truth in zip(designs, truths, strict=True)
        ]
        survey_answers.receive(survey=survey, parameters=survey.parameters_sha256, codes=codes)


def _survey(
    project: Project, people: Population, steward: User, title: str, questions: Sequence[dict[str, Any]]
) -> Survey:
    survey = Survey.objects.filter(project=project, title=title).first() or surveys.create(
        project=project,
        population=people,
        title=title,
        introduction="Demo: the sports union asks how common it is. Whoever answers is protected by chance.",
        by=steward,
    )
    for question in questions:
        if not survey.questions.filter(name=question["name"]).exists():
            survey_questions.add(survey=survey, by=steward, **question)
    return survey


def _opened(survey: Survey, steward: User) -> Survey:
    today = timezone.localdate()
    survey = surveys.describe(
        survey=survey,
        title=survey.title,
        introduction=survey.introduction,
        invited=False,
        opens_on=today,
        closes_on=today + timedelta(days=60),
        by=steward,
    )
    return surveys.move(survey=survey, move=SurveyMove.OPEN, by=steward)
