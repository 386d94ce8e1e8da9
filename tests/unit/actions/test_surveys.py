"""Surveys: fixed once open, answered without a trace of whom, collected as they came."""

from __future__ import annotations

import json
from collections import Counter
from datetime import timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from django.db import models
from django.utils import timezone

from stewardapp import storage
from stewardapp.access.survey_states import SurveyMove, SurveyState
from stewardapp.access.verdict import Conflict, Invalid, NotAllowed
from stewardapp.actions import datasets, survey_answers, survey_questions, surveys
from stewardapp.management.commands import apply_retention
from stewardapp.models import AuditEvent, Survey, SurveyAnswer, SurveyInvitation
from tests import factories
from tests.factories import Team
from worker.queue import reaper

pytestmark = pytest.mark.django_db
OPEN = SurveyMove.OPEN


@pytest.fixture
def team(db: None, tmp_path: Path, settings: Any) -> Team:
    settings.STEWARD_DATA = tmp_path
    return factories.make_project()


def send(survey: Survey, *codes: int, token: str = "", parameters: str | None = None) -> None:
    said = survey.parameters_sha256 if parameters is None else parameters
    survey_answers.receive(survey=survey, parameters=said, codes=codes, token=token)


# Questions


@pytest.mark.parametrize(
    ("changes", "param"),
    [
        ({"name": "1a"}, "name"),
        ({"name": "a b"}, "name"),
        ({"name": "doping"}, "name"),
        ({"text": " "}, "text"),
        ({"answers": ["yes"]}, "answers"),
        ({"answers": ["yes", "yes "]}, "answers"),
        ({"answers": ["yes", ""]}, "answers"),
        ({"answers": ["a\nb", "c"]}, "answers"),
        ({"answers": [str(n) for n in range(31)]}, "answers"),
        ({"keep": Decimal("0.5")}, "keep"),
        ({"keep": None, "epsilon": None}, "epsilon"),
    ],
)
def test_what_is_no_question_is_refused(team: Team, changes: dict[str, Any], param: str) -> None:
    survey = factories.make_survey(team)
    said = {"name": "more", "text": "?", "answers": ["a", "b"], "keep": Decimal("0.75"), **changes}
    with pytest.raises(Invalid) as refused:
        survey_questions.add(survey=survey, by=team.steward, **said)
    assert refused.value.param == param
    assert survey.questions.count() == 2


def test_questions_are_changed_removed_and_limited_while_it_is_a_draft(team: Team) -> None:
    survey = factories.make_survey(team)
    first, second = survey.questions.all()
    said = {
        "name": "other",
        "text": "!",
        "answers": ["a", "b", "c"],
        "epsilon": Decimal(2),
        "by": team.steward,
    }
    changed = survey_questions.change(question=first, **said)
    assert (changed.keep, changed.design().categories) == (None, 3)
    survey_questions.remove(question=first, by=team.steward)
    assert list(survey.questions.values_list("name", "position")) == [("offer", 0)]
    with pytest.raises(Conflict):
        survey_questions.change(question=first, **said)
    for number in range(29):
        survey_questions.add(survey=survey, **said | {"name": f"q{number}"})
    with pytest.raises(Invalid, match="at most 30"):
        survey_questions.add(survey=survey, **said)
    surveys.move(survey=survey, move=OPEN, by=team.steward)
    with pytest.raises(NotAllowed, match="not changed any more"):
        survey_questions.remove(question=second, by=team.steward)


def test_the_last_day_is_not_before_the_first(team: Team) -> None:
    survey, today = factories.make_survey(team), timezone.localdate()
    with pytest.raises(Invalid) as refused:
        surveys.describe(
            survey=survey,
            title="S",
            introduction="",
            invited=False,
            opens_on=today,
            closes_on=today - timedelta(days=1),
            by=team.steward,
        )
    assert refused.value.param == "closes_on"


# Answers


def test_an_answer_leaves_codes_and_nothing_else(team: Team) -> None:
    survey = factories.make_survey(team, OPEN)
    before = AuditEvent.objects.count()
    send(survey, 1, 2)
    assert {field.name for field in SurveyAnswer._meta.get_fields()} == {"id", "survey", "number", "codes"}
    assert list(survey.answers.values_list("number", "codes")) == [(0, [1, 2])]
    assert AuditEvent.objects.count() == before  # an event would say when
    times = [one for one in SurveyInvitation._meta.get_fields() if isinstance(one, models.DateTimeField)]
    assert [one.name for one in times] == ["created_at"]  # of the invitation, not of its use


@pytest.mark.parametrize("codes", [(), (0,), (0, 0, 0), (2, 0), (0, 3), (-1, 0)])
def test_codes_that_no_browser_of_ours_draws_are_refused(team: Team, codes: tuple[int, ...]) -> None:
    survey = factories.make_survey(team, OPEN)
    with pytest.raises(Invalid):
        send(survey, *codes)
    with pytest.raises(Invalid, match="other probabilities"):
        send(survey, 0, 0, parameters="0" * 64)
    assert not SurveyAnswer.objects.exists()


@pytest.mark.parametrize("moves", [(), (OPEN, SurveyMove.PAUSE), (OPEN, SurveyMove.CLOSE)])
def test_nobody_answers_what_is_not_open(team: Team, moves: tuple[SurveyMove, ...]) -> None:
    survey = factories.make_survey(team, *moves)
    with pytest.raises(NotAllowed):
        send(survey, 0, 0)


def test_a_paused_survey_goes_on(team: Team) -> None:
    survey = factories.make_survey(team, OPEN, SurveyMove.PAUSE, SurveyMove.RESUME)
    send(survey, 0, 0)


def test_a_personal_link_counts_once_and_says_nothing_of_the_answer(team: Team) -> None:
    survey = factories.make_survey(team, OPEN, invited=True)
    tokens = surveys.invite(survey=survey, number=2, by=team.steward)
    with pytest.raises(NotAllowed):
        send(survey, 0, 0)
    with pytest.raises(NotAllowed):
        send(survey, 0, 0, token="guessed")
    send(survey, 0, 0, token=tokens[0])
    with pytest.raises(Conflict):
        send(survey, 1, 1, token=tokens[0])
    with pytest.raises(Invalid):
        send(survey, 9, 9, token=tokens[1])
    send(survey, 1, 1, token=tokens[1])  # a refused answer does not use it up
    kept = json.dumps(
        [list(model.objects.values().all()) for model in (SurveyInvitation, SurveyAnswer)], default=str
    )
    assert not any(token in kept for token in tokens)
    assert survey.answers.count() == 2


@pytest.mark.parametrize("number", [0, 10_001])
def test_so_many_links_are_not_made(team: Team, number: int) -> None:
    with pytest.raises(Invalid):
        surveys.invite(survey=factories.make_survey(team, invited=True), number=number, by=team.steward)


def test_the_order_of_the_rows_says_nothing_of_the_order_of_arrival(team: Team) -> None:
    """The last of three arrivals stands in every row equally often; a table in order of arrival would not."""
    survey, rounds = factories.make_survey(team, OPEN), 60
    places: Counter[int] = Counter()
    for _ in range(rounds):
        survey.answers.all().delete()
        Survey.objects.filter(pk=survey.pk).update(answered=0)
        factories.make_answers(survey, (0, 0), (0, 1), (1, 2))
        places[survey.answers.get(codes=[1, 2]).number] += 1
    spread = sum((places[place] - rounds / 3) ** 2 / (rounds / 3) for place in range(3))
    assert spread < 41.4  # χ² with 2 degrees of freedom at 1e-9
    in_order = 2 * rounds / 3 + (2 * rounds / 3) ** 2 / (rounds / 3)
    assert in_order > 41.4  # the twin without shuffling


# Collecting and forgetting


def test_collected_answers_are_a_tagged_and_marked_version(team: Team) -> None:
    survey = factories.make_answers(factories.make_survey(team, OPEN), (0, 1), (1, 2), (1, 0))
    version = surveys.collect(survey=survey, by=team.steward)
    with storage.reading(version.raw) as raw:
        header, *lines = raw.read().decode().splitlines()
    assert header == "doping,offer"
    assert sorted(lines) == ["no,a coach", "no,nobody", "yes,a friend"]
    version = factories.read_for_real(version)
    marked = {column.name: column for column in version.columns.all()}
    assert {column.role for column in marked.values()} == {"sensitive"}
    assert marked["doping"].randomized == {"protocol": "k-rr/1", "true": 3, "other": 1, "categories": 2}
    assert marked["offer"].settings == {"categories": ["nobody", "a friend", "a coach"]}
    assert marked["doping"].label == "Have you doped?"
    assert version.uploaded_by == team.steward

    factories.make_answers(survey, (0, 0))
    again = surveys.collect(survey=Survey.objects.get(pk=survey.pk), by=team.steward)
    assert (again.dataset, again.number) == (version.dataset, 2)


def test_the_name_of_the_dataset_may_be_taken(team: Team) -> None:
    survey = factories.make_answers(factories.make_survey(team, OPEN), (0, 1))
    people = survey.population
    datasets.create(project=team.project, population=people, name=survey.title, by=team.steward)
    with pytest.raises(Invalid):
        surveys.collect(survey=survey, by=team.steward)


@pytest.mark.parametrize("machinery", [reaper.expire, lambda: apply_retention.Command().handle()])
def test_answers_are_erased_on_their_date(team: Team, machinery: Any) -> None:
    survey = factories.make_answers(factories.make_survey(team, OPEN), (0, 1))
    assert survey.erase_on == survey.closes_on + timedelta(days=90)
    with pytest.raises(Conflict):
        surveys.expire(survey=survey)
    Survey.objects.filter(pk=survey.pk).update(erase_on=timezone.localdate())
    machinery()
    survey.refresh_from_db()
    assert (survey.state, survey.erased, survey.answered) == (SurveyState.CLOSED, True, 1)
    assert not SurveyAnswer.objects.exists()
    machinery()
    assert AuditEvent.objects.filter(action="survey.expired").count() == 1
