"""Taking in one respondent's randomized codes. Nobody is asked who they are, and nothing says when."""

from __future__ import annotations

import secrets
from collections.abc import Sequence

from django.db import transaction
from django.utils import timezone

from stewardapp.access.rules import may_answer
from stewardapp.access.verdict import Conflict, Invalid, NotAllowed, require
from stewardapp.actions.action import locked
from stewardapp.models import Survey, SurveyAnswer
from stewardapp.models.survey import token_hash


@transaction.atomic
def receive(*, survey: Survey, parameters: str, codes: Sequence[int], token: str = "") -> None:
    """Store the codes; no audit event, because an event would say when somebody answered."""
    survey = locked(survey)
    require(may_answer(survey.facts(), timezone.localdate()))
    if parameters != survey.parameters_sha256:
        raise Invalid("parameters", "The answer was randomized by other probabilities; load the page again.")
    sizes = [len(answers) for answers in survey.questions.values_list("answers", flat=True)]
    if len(codes) != len(sizes) or any(not 0 <= code < size for code, size in zip(codes, sizes, strict=True)):
        raise Invalid("codes", "The answer does not have one code per question.")
    if survey.invited:
        _use(survey, token)
    _shuffle_in(survey, list(codes))
    Survey.objects.filter(pk=survey.pk).update(answered=survey.answered + 1)


def _use(survey: Survey, token: str) -> None:
    """Spend a personal link. Whether it was used is kept apart from what was answered."""
    mine = survey.invitations.filter(token_sha256=token_hash(token))
    if mine.filter(used=False).update(used=True) == 1:
        return
    if mine.exists():
        raise Conflict("used", "This personal link was used before; every link counts once.")
    raise NotAllowed("no-invitation", "This survey is for invited people: open your personal link.")


def _shuffle_in(survey: Survey, codes: list[int]) -> None:
    """Add a row so that every order of all rows is equally likely: none says who came after whom."""
    last = survey.answered
    place = secrets.randbelow(last + 1)
    if place < last:
        there = survey.answers.get(number=place)
        codes, there.codes = there.codes, codes
        there.save()
    SurveyAnswer.objects.create(survey=survey, number=last, codes=codes)
