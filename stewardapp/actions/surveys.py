"""Making, opening and closing surveys, and turning what came into a dataset."""

from __future__ import annotations

import secrets
from datetime import date, timedelta

from stewardapp import storage
from stewardapp.access.rules import (
    may_collect,
    may_create_survey,
    may_edit_survey,
    may_invite,
    may_move_survey,
)
from stewardapp.access.survey_states import TARGETS, SurveyMove, SurveyState
from stewardapp.access.verdict import Conflict, Invalid, require
from stewardapp.actions import audit, datasets
from stewardapp.actions.action import action, locked
from stewardapp.actions.arrivals import arrive
from stewardapp.actions.contributions import shape
from stewardapp.domain.survey_file import DIALECT, columns_of, content_of
from stewardapp.domain.text import limited, required
from stewardapp.models import Blob, Dataset, Population, Project, Survey, SurveyInvitation, User, Version
from stewardapp.models.column import Column
from stewardapp.models.survey import token_hash
from worker.engine.randomization.survey_protocol import fingerprint
from worker.engine.wording import thousands
from worker.sealed import SealedWriter

MOST_INVITATIONS = 10_000


@action
def create(
    *,
    project: Project,
    population: Population,
    title: str,
    introduction: str = "",
    invited: bool = False,
    by: User,
) -> Survey:
    """Begin a survey without questions."""
    require(may_create_survey(project.person(by)))
    survey = Survey.objects.create(
        project=project,
        population=population,
        title=required(title, "title", 120),
        introduction=limited(introduction, "introduction"),
        invited=invited,
        created_by=by,
    )
    survey.makers.add(by)
    audit.record("survey.created", survey, by=by, project=project)
    return survey


@action
def describe(
    *,
    survey: Survey,
    title: str,
    introduction: str,
    invited: bool,
    opens_on: date | None,
    closes_on: date | None,
    by: User,
) -> Survey:
    """Change what is said of a draft, and when it is open."""
    survey = _draft(survey, by)
    if opens_on and closes_on and closes_on < opens_on:
        raise Invalid("dates", "The last day must not be before the first one.", "closes_on")
    survey.title, survey.introduction = required(title, "title", 120), limited(introduction, "introduction")
    survey.invited, survey.opens_on, survey.closes_on = invited, opens_on, closes_on
    survey.save()
    survey.makers.add(by)
    audit.record("survey.described", survey, by=by, project=survey.project)
    return survey


def _draft(survey: Survey, by: User) -> Survey:
    survey = locked(survey)
    require(may_edit_survey(survey.person(by), survey.facts()))
    return survey


@action
def move(*, survey: Survey, move: SurveyMove, by: User) -> Survey:
    """Open, pause, resume or close; opening fixes the probabilities and the date of erasure."""
    survey = locked(survey)
    require(may_move_survey(survey.person(by), survey.facts(), move))
    if move is SurveyMove.OPEN:
        assert survey.closes_on is not None  # the rule has looked
        survey.parameters_sha256 = fingerprint(str(survey.public_id), survey.designs())
        survey.erase_on = survey.closes_on + timedelta(days=survey.project.policy.retention_days)
    survey.state = TARGETS[move]
    survey.save()
    survey.makers.add(by)
    details = {"parameters_sha256": survey.parameters_sha256}
    audit.record(f"survey.{move.value}", survey, by=by, project=survey.project, details=details)
    return survey


@action
def invite(*, survey: Survey, number: int, by: User) -> list[str]:
    """Make personal tokens; they are told once, here, and only their hashes are kept."""
    survey = locked(survey)
    require(may_invite(survey.person(by), survey.facts()))
    if not 1 <= number <= MOST_INVITATIONS:
        raise Invalid("number", f"Choose a number from 1 to {thousands(MOST_INVITATIONS)}.", "number")
    tokens = [secrets.token_urlsafe(24) for _ in range(number)]
    SurveyInvitation.objects.bulk_create(
        [SurveyInvitation(survey=survey, token_sha256=token_hash(token)) for token in tokens], batch_size=500
    )
    survey.makers.add(by)
    audit.record("survey.invited", survey, by=by, project=survey.project, details={"number": number})
    return tokens


@action
def collect(*, survey: Survey, by: User) -> Version:
    """Make the answers that have come an immutable version, each column tagged and marked as randomized."""
    survey = locked(survey)
    require(may_collect(survey.person(by), survey.facts()))
    if survey.dataset is None:
        survey.dataset = _dataset(survey, by)
        survey.save()
    raw = _stored(content_of(survey))
    filename = f"survey-{survey.public_id}.csv"
    version = arrive(dataset=survey.dataset, filename=filename, raw=raw, dialect=DIALECT.copy(), by=by)
    Column.objects.bulk_create(columns_of(survey, version))
    shape(version, by, *survey.makers.all())
    details = {"version": str(version.pk), "answers": survey.answered, "sha256": version.sha256}
    audit.record("survey.collected", survey, by=by, project=survey.project, details=details)
    return version


def _dataset(survey: Survey, by: User) -> Dataset:
    said = "Answers that the respondents randomized before they sent them."
    return datasets.create(
        project=survey.project, population=survey.population, name=survey.title, description=said, by=by
    )


def _stored(content: bytes) -> Blob:
    key = storage.create_key()
    with storage.temporary() as temporary:
        with SealedWriter(temporary.file, storage.key_bytes(key)) as writer:
            writer.write(content)
        return storage.keep(temporary, key=key, sha256=writer.sha256, size=len(content), purpose="raw")


@action
def expire(*, survey: Survey) -> None:
    """Erase the answers and the invitations of a survey whose date has come; done by the machinery."""
    survey = locked(survey)
    if not Survey.objects.due_for_erasure().filter(pk=survey.pk).exists():
        raise Conflict("not-due", "The answers of this survey are not due for erasure.")
    survey.answers.all().delete()
    survey.invitations.all().delete()
    survey.state, survey.erased = SurveyState.CLOSED, True
    survey.save()
    audit.record("survey.expired", survey, by=None, project=survey.project)
