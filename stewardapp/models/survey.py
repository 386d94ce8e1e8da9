"""Surveys whose respondents randomize their answers before sending them."""

from __future__ import annotations

import hashlib
import uuid
from typing import TYPE_CHECKING

from django.db import models
from django.utils import timezone

from stewardapp.access.facts import Person
from stewardapp.access.roles import Permission
from stewardapp.access.survey_states import SurveyFacts, SurveyState
from stewardapp.models.base import Record, implies, one_of
from stewardapp.models.membership import seen_through
from stewardapp.models.user import AnyUser

if TYPE_CHECKING:
    from worker.engine.randomization.response import Design


class SurveyQuerySet(models.QuerySet["Survey"]):
    """Questions about surveys."""

    def visible_to(self, user: AnyUser) -> SurveyQuerySet:
        """Surveys of projects in which this person may see data; admins see that they exist."""
        return seen_through(self, user, "project", Permission.VIEW_DATA, admins=True)

    def published(self) -> SurveyQuerySet:
        """Surveys whose link leads somewhere."""
        return self.exclude(state=SurveyState.DRAFT)

    def due_for_erasure(self) -> SurveyQuerySet:
        """Surveys whose answers have reached their date."""
        return self.filter(erase_on__lte=timezone.localdate(), erased=False)


class Survey(Record):
    """One or more questions behind a public link; fixed once it was opened."""

    project = models.ForeignKey("stewardapp.Project", on_delete=models.PROTECT, related_name="surveys")
    population = models.ForeignKey("stewardapp.Population", on_delete=models.PROTECT, related_name="surveys")
    dataset = models.OneToOneField(
        "stewardapp.Dataset", on_delete=models.PROTECT, null=True, blank=True, related_name="survey"
    )
    title = models.CharField(max_length=120)
    introduction = models.TextField(blank=True, default="")
    state = models.CharField(max_length=16, default=SurveyState.DRAFT)
    public_id = models.UUIDField(unique=True, default=uuid.uuid4, editable=False)
    opens_on = models.DateField(null=True, blank=True)
    closes_on = models.DateField(null=True, blank=True)
    erase_on = models.DateField(null=True, blank=True)
    erased = models.BooleanField(default=False)
    invited = models.BooleanField(default=False)
    parameters_sha256 = models.CharField(max_length=64, blank=True, default="")
    answered = models.PositiveIntegerField(default=0)
    created_by = models.ForeignKey("stewardapp.User", on_delete=models.PROTECT, related_name="surveys")
    # Everybody who said what is asked, how it is randomized, who is invited and when: they shape what comes.
    makers = models.ManyToManyField("stewardapp.User", blank=True, related_name="made_surveys")

    objects = SurveyQuerySet.as_manager()

    class Meta:
        ordering = ("-created_at",)
        constraints = [
            one_of("survey_state_known", "state", SurveyState),
            models.CheckConstraint(condition=~models.Q(title=""), name="survey_has_a_title"),
            models.CheckConstraint(
                condition=models.Q(opens_on__isnull=True)
                | models.Q(closes_on__isnull=True)
                | models.Q(closes_on__gte=models.F("opens_on")),
                name="survey_closes_after_it_opens",
            ),
            implies(
                "survey_opened_is_fixed",
                ~models.Q(state=SurveyState.DRAFT),
                models.Q(parameters_sha256__regex=r"^[0-9a-f]{64}$", erase_on__isnull=False),
            ),
        ]

    def __str__(self) -> str:
        return self.title

    def person(self, user: AnyUser) -> Person:
        """This user seen from the survey's project."""
        return self.project.person(user)

    def designs(self) -> list[Design]:
        """The weights of every question, in their order."""
        return [question.design() for question in self.questions.all()]

    def facts(self) -> SurveyFacts:
        """What the rules need to know about this survey."""
        return SurveyFacts(
            state=SurveyState(self.state),
            questions=self.questions.count(),
            answers=self.answered,
            opens_on=self.opens_on,
            closes_on=self.closes_on,
            invited=self.invited,
            erased=self.erased,
        )


class SurveyQuestion(Record):
    """One question with its possible answers and the exact weights by which an answer is randomized."""

    survey = models.ForeignKey(Survey, on_delete=models.CASCADE, related_name="questions")
    position = models.PositiveIntegerField()
    name = models.CharField(max_length=40)
    text = models.TextField()
    answers = models.JSONField(default=list)
    epsilon = models.DecimalField(max_digits=8, decimal_places=6, null=True, blank=True)
    keep = models.DecimalField(max_digits=7, decimal_places=6, null=True, blank=True)
    true_weight = models.BigIntegerField()
    other_weight = models.BigIntegerField()

    class Meta:
        ordering = ("survey", "position")
        constraints = [
            models.UniqueConstraint(fields=("survey", "position"), name="survey_question_position_once"),
            models.UniqueConstraint(fields=("survey", "name"), name="survey_question_name_once"),
            models.CheckConstraint(
                condition=models.Q(epsilon__isnull=False, keep__isnull=True)
                | models.Q(epsilon__isnull=True, keep__isnull=False),
                name="survey_question_by_epsilon_or_keep",
            ),
            models.CheckConstraint(
                condition=models.Q(other_weight__gte=1, true_weight__gt=models.F("other_weight")),
                name="survey_question_truth_is_likelier",
            ),
        ]

    def __str__(self) -> str:
        return self.name

    def design(self) -> Design:
        """The weights as the engine reads them."""
        from worker.engine.randomization.response import Design

        return Design(self.true_weight, self.other_weight, len(self.answers))

    def randomized(self) -> dict[str, object]:
        """What a column of collected answers is marked with."""
        from worker.engine.randomization.survey_protocol import PROTOCOL

        weights = {"true": self.true_weight, "other": self.other_weight}
        return {"protocol": PROTOCOL, **weights, "categories": len(self.answers)}


class SurveyInvitation(Record):
    """A personal link: the hash of its token is kept, and whether it was used; never when, or for what."""

    survey = models.ForeignKey(Survey, on_delete=models.CASCADE, related_name="invitations")
    token_sha256 = models.CharField(max_length=64, unique=True)
    used = models.BooleanField(default=False)


def token_hash(token: str) -> str:
    """What is kept of a token: it has 192 random bits, so that a plain hash tells nothing."""
    return hashlib.sha256(token.encode()).hexdigest()


class SurveyAnswer(models.Model):
    """One set of randomized codes: no time, no address, no person, no token, and no order of arrival.

    `number` counts the rows of a survey, but which codes stand in which row is shuffled at every arrival.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    survey = models.ForeignKey(Survey, on_delete=models.CASCADE, related_name="answers")
    number = models.PositiveIntegerField()
    codes = models.JSONField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=("survey", "number"), name="survey_answer_number_once"),
        ]
