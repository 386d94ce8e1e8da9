"""Two populations that are probably about some of the same people, though nobody said so."""

from __future__ import annotations

import uuid

from django.db import models
from django.db.models import F, Q

from stewardapp.access.roles import Permission, roles_with
from stewardapp.models.base import Record
from stewardapp.models.dataset import Dataset
from stewardapp.models.population import Population
from stewardapp.models.sealed import SealedField, SealedRow, opened
from stewardapp.models.user import AnyUser


class ResemblanceQuerySet(models.QuerySet["Resemblance"]):
    """Questions about resemblances."""

    def visible_to(self, user: AnyUser) -> ResemblanceQuerySet:
        """Only those who hold data about the people that were known before, and officers, see them."""
        if not user.is_authenticated or not user.is_active:
            return self.none()
        if user.protects_data:
            return self
        mine = user.memberships.filter(role__in=roles_with(Permission.DECIDE_BUDGET)).values("project")
        known = Population.objects.filter(resembled__in=self)
        holding = Dataset.objects.holding(known).filter(project__in=mine)
        return self.filter(known__in=holding.values("population"))

    def undeclared(self) -> ResemblanceQuerySet:
        """Those of which no overlap is declared by now."""
        return self.exclude(known__overlaps=F("population"))

    def about(self, population: Population) -> ResemblanceQuerySet:
        """Those that concern these people."""
        return self.filter(Q(population=population) | Q(known=population))


class Resemblance(SealedRow, Record):
    """What was found when somebody was told. How much is sealed, and goes with the data that it tells of."""

    population = models.ForeignKey("stewardapp.Population", on_delete=models.PROTECT, related_name="+")
    known = models.ForeignKey("stewardapp.Population", on_delete=models.PROTECT, related_name="resembled")
    # Of those who were known: its key seals what was found.
    version = models.ForeignKey("stewardapp.Version", on_delete=models.PROTECT, related_name="+")
    sealed_found = SealedField()
    found = opened("sealed_found")

    objects = ResemblanceQuerySet.as_manager()

    class Meta:
        ordering = ("-created_at",)
        constraints = [
            models.UniqueConstraint(fields=("population", "known"), name="resemblance_once"),
            models.CheckConstraint(condition=~Q(population=F("known")), name="resemblance_of_two"),
        ]

    def __str__(self) -> str:
        return f"{self.population} · {self.known}"

    @property
    def sealing_key(self) -> uuid.UUID:
        """The key of the version."""
        return self.version.key_id
