"""A question put to the data of a desk, its one answer, and everybody who asked it."""

from __future__ import annotations

import math
import uuid
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now
from django.utils import timezone

from stewardapp.access.facts import QueryFacts
from stewardapp.access.roles import Permission
from stewardapp.models.base import Record, implies
from stewardapp.models.job import Job, JobQuerySet, JobState, job_constraints
from stewardapp.models.membership import seen_through
from stewardapp.models.sealed import SealedField, SealedRow, opened
from stewardapp.models.user import AnyUser
from worker.engine.contracts.privacy import Protected, Spend
from worker.engine.dp.questions import TITLES, Question

if TYPE_CHECKING:
    from stewardapp.models.data_key import DataKey
    from stewardapp.models.project import Project
    from stewardapp.models.reading import Reading

EXACT_VALUES = "exact.json"
"""What true figures are kept as; those of before were kept as a file of a release, with another name."""
ONCE = "query_answered_once"
GONE = "A question that was destroyed with its data"
UNANSWERED = (JobState.FAILED, JobState.CANCELLED)


class QueryQuerySet(JobQuerySet["Query"]):
    """Questions about questions."""

    def visible_to(self, user: AnyUser) -> QueryQuerySet:
        """One's own, while one is in the project; all of those whose data one may see."""
        path = "desk__version__dataset__project"
        member = seen_through(self, user, path, Permission.VIEW_PROJECT, admins=False)
        cleared = seen_through(self, user, path, Permission.VIEW_DATA, admins=False).values("pk")
        if not user.is_authenticated:
            return member
        mine = Asking.objects.filter(by=user).values("query_id")
        return member.filter(Q(pk__in=mine) | Q(pk__in=cleared))

    def standing(self, reading: Reading, fingerprint: str) -> QueryQuerySet:
        """Questions with this meaning about this very table that have an answer, or are going to."""
        same = {"reading__version": reading.version_id, "reading__table__sha256": reading.table_sha256}
        return self.filter(**same, fingerprint=fingerprint).exclude(state__in=UNANSWERED)

    def drawn(self, query: Query) -> Query | None:
        """The question of the same meaning whose answer was drawn, or is being drawn."""
        same = self.standing(query.reading, query.fingerprint).exclude(pk=query.pk)
        return same.filter(charged_at__isnull=False, repeats__isnull=True).first()

    def withdraw(self, id: uuid.UUID, by: models.Model) -> bool:
        """End it before a worker has it; False when one has, or it was paid for."""
        waiting = self.filter(state=JobState.QUEUED, charged_at__isnull=True)
        return waiting.request_cancel(id, by)

    def mark_charged(self, id: uuid.UUID, fence: int) -> bool:
        """Note that it is being paid for; False when this claim lost it, or it was paid before."""
        return self.held(id, fence).filter(charged_at__isnull=True).update(charged_at=Now()) == 1

    def mark_repeated(self, id: uuid.UUID, fence: int, earlier: Query) -> bool:
        """Note that it repeats an answer that was drawn before; False as above."""
        held = self.held(id, fence).filter(charged_at__isnull=True)
        return held.update(charged_at=Now(), repeats=earlier) == 1


class Query(Job, SealedRow, Record):
    """Its answer is drawn once: whoever asks the same gets that answer, because more draws tell more.

    Whoever asked it before gets it at once. For anybody else it is a question like any other until a worker
    finds the answer: nothing that an asker can observe tells what colleagues asked.
    """

    reads = ("reading",)
    tells_progress = False  # how long the work took is nobody's to know before the tick

    desk = models.ForeignKey("stewardapp.Desk", on_delete=models.PROTECT, related_name="queries")
    version = models.ForeignKey("stewardapp.Version", on_delete=models.PROTECT, related_name="queries")
    reading = models.ForeignKey("stewardapp.Reading", on_delete=models.PROTECT, related_name="queries")
    asked_by = models.ForeignKey("stewardapp.User", on_delete=models.PROTECT, related_name="queries")
    sealed_question = SealedField()
    question = opened("sealed_question")
    fingerprint = models.CharField(max_length=64)
    sealed_words = SealedField()
    words = opened("sealed_words", lambda: GONE)
    epsilon_micro = models.BigIntegerField()
    charged_at = models.DateTimeField(null=True, blank=True)
    sealed_answer = SealedField()
    answer = opened("sealed_answer")
    exact = models.ForeignKey(
        "stewardapp.Blob", on_delete=models.PROTECT, related_name="+", null=True, blank=True
    )
    engine_version = models.CharField(max_length=64, blank=True, default="")
    # The question of a colleague whose answer it repeats: then only the allowance of whoever asked paid.
    repeats = models.ForeignKey(
        "self", on_delete=models.PROTECT, related_name="repeated", null=True, blank=True, editable=False
    )

    objects = QueryQuerySet.as_manager()

    class Meta:
        ordering = ("-queued_at",)
        verbose_name_plural = "queries"
        constraints = [
            *job_constraints("query"),
            models.UniqueConstraint(
                fields=("reading", "fingerprint"),
                condition=Q(charged_at__isnull=False, repeats__isnull=True)
                & ~Q(state__in=[str(state) for state in UNANSWERED]),
                name=ONCE,
            ),
            models.CheckConstraint(condition=Q(epsilon_micro__gt=0), name="query_costs_something"),
            implies(
                "query_succeeded_was_charged",
                Q(state=JobState.SUCCEEDED),
                Q(charged_at__isnull=False, exact__isnull=False),
            ),
        ]

    def __str__(self) -> str:
        return f"question to {self.version}"

    @property
    def project(self) -> Project:
        """The project of the version."""
        return self.version.project

    @property
    def key(self) -> DataKey:
        """The key of the version: true figures go when the data go."""
        return self.version.key

    @property
    def sealing_key(self) -> uuid.UUID:
        """What is asked names values, what is answered too."""
        return self.version.key_id

    @property
    def spend(self) -> Spend:
        """What it takes from the budget."""
        return Spend(self.epsilon_micro)

    @property
    def protects(self) -> Protected:
        """Whom its answer protects."""
        return Protected.PERSON if self.desk.has_persons else Protected.ROW

    @property
    def bought(self) -> str:
        """What the ledger says was bought: never the values a condition compares with."""
        asked = Question.of(self.question)
        return f"Question: {TITLES[asked.ask]} {asked.counted_column or ''}".strip()

    def facts(self) -> QueryFacts:
        """What the rules need to know of it."""
        return QueryFacts(
            asked_by=self.asked_by_id,
            untouched=self.state == JobState.QUEUED and self.charged_at is None,
            others_wait=self.askings.exclude(by=self.asked_by).exists(),
        )

    @property
    def shown_at(self) -> datetime | None:
        """The tick of the clock at which its outcome is shown."""
        if self.finished_at is None:
            return None
        earlier = self.repeats.waited if self.repeats is not None else timedelta()
        known_before = self.queued_at + max(self.waited, earlier)
        return next_tick(max(known_before, self.finished_at), settings.STEWARD_ANSWER_TICK)

    @property
    def waited(self) -> timedelta:
        """How long everybody waits for an outcome: a time that is known before anything is computed, or
        where the machines were slower, twice that, four times, … A repeated answer takes as long as it took.
        """
        wait = timedelta(seconds=settings.STEWARD_ANSWER_WAIT)
        if self.finished_at is None or not wait:
            return wait
        took: float = (self.finished_at - self.queued_at) / wait
        return wait * float(2 ** math.ceil(math.log2(max(took, 1))))

    @property
    def is_shown(self) -> bool:
        """Whether whoever asked may know how it ended."""
        return self.shown_at is not None and self.shown_at <= timezone.now()

    @property
    def stands(self) -> str:
        """How it stands, to whoever asked: an end before its tick is no end yet, unless one made it so."""
        if self.state == JobState.CANCELLED:
            return "cancelled"
        if self.version.destroyed_at is not None:
            return "destroyed"
        if not self.is_shown:
            return "waiting"
        return "answered" if self.state == JobState.SUCCEEDED else "unanswered"


def next_tick(moment: datetime, seconds: float) -> datetime:
    """The first moment of the clock's grid that is not before this one."""
    if seconds <= 0:
        return moment
    return datetime.fromtimestamp(math.ceil(moment.timestamp() / seconds) * seconds, UTC)


class Asking(Record):
    """Who asked; the first one paid."""

    query = models.ForeignKey(Query, on_delete=models.PROTECT, related_name="askings")
    by = models.ForeignKey("stewardapp.User", on_delete=models.PROTECT, related_name="askings")
    paid = models.BooleanField(default=False)

    class Meta:
        ordering = ("-created_at",)
        constraints = [models.UniqueConstraint(fields=("query", "by"), name="asking_once")]

    def __str__(self) -> str:
        return f"{self.by} asked"
