"""A query desk: a version about which analysts may ask, within their allowances."""

from __future__ import annotations

import hashlib
import uuid
from typing import TYPE_CHECKING, Any

from django.db import models
from django.db.models import Q

from stewardapp.access.facts import DeskFacts, Person
from stewardapp.access.roles import Permission
from stewardapp.canonical import canonical
from stewardapp.models.base import Record, both_or_neither
from stewardapp.models.membership import seen_through
from stewardapp.models.sealed import SealedField, SealedRow, opened
from stewardapp.models.user import AnyUser
from worker.engine.dp.questions import Question
from worker.engine.dp.questions import canonical as spelled
from worker.engine.tables.kinds import RELEASED, Role

if TYPE_CHECKING:
    from stewardapp.models.allotment import Allotment
    from stewardapp.models.allowance import Allowance
    from stewardapp.models.project import Project
    from stewardapp.models.user import User
    from worker.engine.tables.declaration import Declaration


class DeskQuerySet(models.QuerySet["Desk"]):
    """Questions about desks."""

    def visible_to(self, user: AnyUser) -> DeskQuerySet:
        """Desks of the projects this person sees."""
        return seen_through(self, user, "version__dataset__project", Permission.VIEW_PROJECT, admins=True)

    def open(self) -> DeskQuerySet:
        """Desks that take questions."""
        return self.filter(closed_at__isnull=True)


class Desk(SealedRow, Record):
    """Its table and what is declared of its columns are fixed when it opens: others would change answers."""

    version = models.ForeignKey("stewardapp.Version", on_delete=models.PROTECT, related_name="desks")
    reading = models.ForeignKey("stewardapp.Reading", on_delete=models.PROTECT, related_name="desks")
    sealed_dictionary = SealedField()
    dictionary = opened("sealed_dictionary")
    rows_per_person = models.PositiveIntegerField(default=1)
    opened_by = models.ForeignKey("stewardapp.User", on_delete=models.PROTECT, related_name="+")
    closed_at = models.DateTimeField(null=True, blank=True)
    closed_by = models.ForeignKey(
        "stewardapp.User", on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )

    objects = DeskQuerySet.as_manager()

    class Meta:
        ordering = ("-created_at",)
        constraints = [
            both_or_neither("desk_closed_by_somebody", "closed_at", "closed_by"),
            models.UniqueConstraint(
                fields=("version",), condition=Q(closed_at__isnull=True), name="desk_one_open_per_version"
            ),
            models.CheckConstraint(condition=Q(rows_per_person__gte=1), name="desk_rows_per_person_counts"),
        ]

    def __str__(self) -> str:
        return f"query desk on {self.version}"

    @property
    def sealing_key(self) -> uuid.UUID:
        """The key of the version."""
        return self.version.key_id

    @property
    def project(self) -> Project:
        """The project of the version."""
        return self.version.project

    def person(self, user: AnyUser) -> Person:
        """This user seen from the desk's project."""
        return self.project.person(user)

    @property
    def allotment(self) -> Allotment | None:
        """The part of the budget that questions here are paid from."""
        dataset = self.version.dataset
        return dataset.population.allotments.filter(project=dataset.project).first()

    def allowance_of(self, user: User) -> Allowance | None:
        """What this person may spend here; one of nothing is none."""
        given = user.allowances.filter(limit_epsilon_micro__gt=0)
        dataset = self.version.dataset
        return given.filter(
            allotment__project=dataset.project, allotment__population=dataset.population
        ).first()

    def facts(self, user: User) -> DeskFacts:
        """What the rules need to know of this desk and whoever asks."""
        return DeskFacts(
            open=self.closed_at is None,
            destroyed=self.version.destroyed_at is not None,
            has_allowance=self.allowance_of(user) is not None,
        )

    # The dictionary

    def roles(self) -> dict[str, Role]:
        """The role of each column it names."""
        return {name: Role(part["role"]) for name, part in self.dictionary.items()}

    def columns(self) -> list[str]:
        """The columns that may be asked about."""
        return [name for name, role in self.roles().items() if role in RELEASED]

    @property
    def has_persons(self) -> bool:
        """Whether persons are protected, however many rows they have; otherwise single rows are."""
        return Role.PERSON_KEY in self.roles().values()

    def declarations(self) -> dict[str, Declaration]:
        """What is declared of each column, for the engine."""
        from worker.engine.recipes.recipe import Recipe

        return Recipe.parse({"version": 1, "columns": self.dictionary}).declarations({})

    def fingerprint(self, question: Question) -> str:
        """The same for questions that mean the same here: also what is declared of their columns counts."""
        asked = {question.counted_column} if question.counted_column else set()
        named = {*asked, *question.by, *(one.column for one in question.where)}
        keys = {name for name, role in self.roles().items() if role not in RELEASED}
        parts: dict[str, Any] = {name: self.dictionary[name] for name in named | keys}
        said = canonical({"question": spelled(question, self.declarations()), "dictionary": parts})
        return hashlib.sha256(said.encode()).hexdigest()
