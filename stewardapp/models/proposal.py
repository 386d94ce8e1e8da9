"""What one person may ask for and only another one can grant."""

from __future__ import annotations

from enum import StrEnum

from django.db import models
from django.db.models import F, Q

from stewardapp.access.facts import ProposalFacts
from stewardapp.models.base import Record, both_or_neither, implies, one_of
from stewardapp.models.population import Population
from stewardapp.models.user import AnyUser
from worker.engine.privacy import Spend


class ProposalKind(StrEnum):
    """What is proposed."""

    LIMIT = "limit"  # a higher limit for a population
    MOVE = "move"  # "these are other people": another population for a dataset


class ProposalState(StrEnum):
    """What became of it."""

    OPEN = "open"
    CONFIRMED = "confirmed"
    DECLINED = "declined"


class ProposalQuerySet(models.QuerySet["Proposal"]):
    """Questions about proposals."""

    def visible_to(self, user: AnyUser) -> ProposalQuerySet:
        """They are about populations, which belong to the site."""
        return self.filter(population__in=Population.objects.visible_to(user))

    def open(self) -> ProposalQuerySet:
        """Proposals that wait for a second person."""
        return self.filter(state=ProposalState.OPEN)


class Proposal(Record):
    """A higher limit of a population, or another population for a dataset."""

    kind = models.CharField(max_length=16)
    population = models.ForeignKey(
        "stewardapp.Population", on_delete=models.PROTECT, related_name="proposals"
    )
    epsilon_micro = models.BigIntegerField(null=True, blank=True)
    delta_femto = models.BigIntegerField(null=True, blank=True)
    dataset = models.ForeignKey(
        "stewardapp.Dataset", on_delete=models.PROTECT, null=True, blank=True, related_name="proposals"
    )
    target = models.ForeignKey(
        "stewardapp.Population", on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    reason = models.TextField()
    proposed_by = models.ForeignKey("stewardapp.User", on_delete=models.PROTECT, related_name="proposals")
    state = models.CharField(max_length=16, default=ProposalState.OPEN)
    decided_by = models.ForeignKey(
        "stewardapp.User", on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    decided_at = models.DateTimeField(null=True, blank=True)

    objects = ProposalQuerySet.as_manager()

    class Meta:
        ordering = ("-created_at",)
        constraints = [
            one_of("proposal_kind_known", "kind", ProposalKind),
            one_of("proposal_state_known", "state", ProposalState),
            both_or_neither("proposal_decided_by_somebody", "decided_by", "decided_at"),
            implies("proposal_open_undecided", Q(state=ProposalState.OPEN), Q(decided_at__isnull=True)),
            implies(
                "proposal_confirmed_by_another",
                Q(state=ProposalState.CONFIRMED),
                Q(decided_by__isnull=False) & ~Q(decided_by=F("proposed_by")),
            ),
            models.CheckConstraint(
                condition=Q(
                    kind=ProposalKind.LIMIT,
                    epsilon_micro__isnull=False,
                    epsilon_micro__gte=0,
                    delta_femto__isnull=False,
                    delta_femto__gte=0,
                    dataset__isnull=True,
                    target__isnull=True,
                )
                | Q(
                    kind=ProposalKind.MOVE,
                    epsilon_micro__isnull=True,
                    delta_femto__isnull=True,
                    dataset__isnull=False,
                    target__isnull=False,
                ),
                name="proposal_of_a_limit_or_a_move",
            ),
            models.UniqueConstraint(
                fields=("population",),
                condition=Q(state=ProposalState.OPEN, kind=ProposalKind.LIMIT),
                name="proposal_one_limit_open",
            ),
            models.UniqueConstraint(
                fields=("dataset",),
                condition=Q(state=ProposalState.OPEN, kind=ProposalKind.MOVE),
                name="proposal_one_move_open",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} of {self.population}"

    @property
    def limit(self) -> Spend:
        """The limit that is proposed."""
        return Spend(self.epsilon_micro or 0, self.delta_femto or 0)

    def facts(self) -> ProposalFacts:
        """What the rules need to know."""
        return ProposalFacts(proposed_by=self.proposed_by_id, open=self.state == ProposalState.OPEN)
