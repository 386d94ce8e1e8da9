"""What one person may ask for and only others can grant."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from functools import reduce
from operator import or_

from django.db import models
from django.db.models import F, Q

from stewardapp.access.amounts import spend_words
from stewardapp.models.base import Record, both_or_neither, implies, one_of
from stewardapp.models.dataset import Dataset, DatasetQuerySet
from stewardapp.models.population import Population
from stewardapp.models.user import AnyUser
from worker.engine.contracts.privacy import Spend


class ProposalKind(StrEnum):
    """What is proposed."""

    LIMIT = "limit"  # another limit for a population, with a project that what is added goes to
    PART = "part"  # the part of a project within the limit
    OVERLAP = "overlap"  # some people belong to both populations
    SEPARATION = "separation"  # nobody belongs to both: an overlap was declared by mistake
    MOVE = "move"  # "these are other people": another population for a dataset
    ADMISSION = "admission"  # the project of a dataset counts among those who hold data about the people


class ProposalState(StrEnum):
    """What became of it."""

    OPEN = "open"
    CONFIRMED = "confirmed"
    DECLINED = "declined"


class ProposalQuerySet(models.QuerySet["Proposal"]):
    """Questions about proposals."""

    def about(self, population: Population) -> ProposalQuerySet:
        """Those that concern these people."""
        return self.filter(Q(population=population) | Q(target=population))

    def visible_to(self, user: AnyUser) -> ProposalQuerySet:
        """They are about populations, which belong to the site."""
        return self.filter(population__in=Population.objects.visible_to(user))

    def open(self) -> ProposalQuerySet:
        """Proposals that wait for others."""
        return self.filter(state=ProposalState.OPEN)

    def moved(self) -> ProposalQuerySet:
        """Proposals by which a dataset came to be about other people."""
        return self.filter(kind=ProposalKind.MOVE, state=ProposalState.CONFIRMED)


AMOUNT = Q(epsilon_micro__isnull=False, epsilon_micro__gte=0, delta_femto__isnull=False, delta_femto__gte=0)
NO_AMOUNT = Q(epsilon_micro__isnull=True, delta_femto__isnull=True)
SHAPES = (
    Q(kind=ProposalKind.LIMIT, dataset__isnull=True, target__isnull=True) & AMOUNT,
    Q(kind=ProposalKind.PART, project__isnull=False, dataset__isnull=True, target__isnull=True) & AMOUNT,
    Q(kind__in=[ProposalKind.OVERLAP, ProposalKind.SEPARATION], target__isnull=False)
    & Q(dataset__isnull=True, project__isnull=True)
    & NO_AMOUNT,
    Q(kind=ProposalKind.MOVE, dataset__isnull=False, target__isnull=False, project__isnull=True) & NO_AMOUNT,
    Q(kind=ProposalKind.ADMISSION, dataset__isnull=False, target__isnull=True, project__isnull=True)
    & NO_AMOUNT,
)


class Proposal(Record):
    """Something about a population that one person wants and others have to agree to."""

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
    project = models.ForeignKey(
        "stewardapp.Project", on_delete=models.PROTECT, null=True, blank=True, related_name="+"
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
            models.CheckConstraint(condition=reduce(or_, SHAPES), name="proposal_says_what_its_kind_says"),
            models.UniqueConstraint(
                fields=("population",),
                condition=Q(state=ProposalState.OPEN, kind=ProposalKind.LIMIT),
                name="proposal_one_limit_open",
            ),
            models.UniqueConstraint(
                fields=("population", "project"),
                condition=Q(state=ProposalState.OPEN, kind=ProposalKind.PART),
                name="proposal_one_part_open",
            ),
            models.UniqueConstraint(
                fields=("population", "target"),
                condition=Q(
                    state=ProposalState.OPEN, kind__in=[ProposalKind.OVERLAP, ProposalKind.SEPARATION]
                ),
                name="proposal_one_overlap_open",
            ),
            models.UniqueConstraint(
                fields=("dataset",),
                condition=Q(state=ProposalState.OPEN, kind__in=[ProposalKind.MOVE, ProposalKind.ADMISSION]),
                name="proposal_one_about_a_dataset_open",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} of {self.population}"

    @property
    def limit(self) -> Spend:
        """The limit that is proposed."""
        return Spend(self.epsilon_micro or 0, self.delta_femto or 0)

    @property
    def concerned(self) -> list[Population]:
        """Those who have a say; people of whom nothing is known yet have none."""
        if self.target is None:
            return [self.population]
        if self.dataset is not None and self.target.is_free_for(self.dataset.project):
            return [self.population]
        return [self.population, self.target]

    @property
    def newcomers(self) -> DatasetQuerySet:
        """The datasets whose people come to have a budget of their own, or a larger one, by this."""
        if self.kind == ProposalKind.MOVE:
            return Dataset.objects.filter(proposals=self)
        if self.kind == ProposalKind.LIMIT and not self.limit.within(self.population.limit):
            return Dataset.objects.holding([self.population])
        return Dataset.objects.none()

    @property
    def theirs(self) -> Population:
        """The population that these people belong to, once it is done."""
        return self.population if self.target is None else self.target

    @property
    def words(self) -> str:
        """What would be done, as a sentence."""
        return WORDS[ProposalKind(self.kind)](self)


class Agreement(Record):
    """Somebody stands behind what another one proposed."""

    proposal = models.ForeignKey(Proposal, on_delete=models.PROTECT, related_name="agreements")
    by = models.ForeignKey("stewardapp.User", on_delete=models.PROTECT, related_name="+")

    class Meta:
        ordering = ("created_at",)
        constraints = [models.UniqueConstraint(fields=("proposal", "by"), name="agreement_once")]

    def __str__(self) -> str:
        return f"{self.by} agrees: {self.proposal}"


def _limit_words(one: Proposal) -> str:
    now, asked = one.population.limit, spend_words(one.limit.epsilon_micro, one.limit.delta_femto)
    verb = "Raise" if now.within(one.limit) else "Lower" if one.limit.within(now) else "Change"
    to = f"; what is added goes to {one.project}" if one.project else ""
    return f"{verb} the limit of {one.population} to {asked}{to}."


def _part_words(one: Proposal) -> str:
    part = spend_words(one.limit.epsilon_micro, one.limit.delta_femto)
    return f"Give {one.project} {part} of the budget of {one.population}."


def _move_words(one: Proposal) -> str:
    assert one.dataset is not None  # the database keeps it so
    return f"A dataset of {one.dataset.project} is about other people: {one.target}."


def _admission_words(one: Proposal) -> str:
    assert one.dataset is not None  # the database keeps it so
    return f"Count {one.dataset.project} among those who hold data about {one.population}."


WORDS: dict[ProposalKind, Callable[[Proposal], str]] = {
    ProposalKind.LIMIT: _limit_words,
    ProposalKind.PART: _part_words,
    ProposalKind.OVERLAP: lambda one: f"Some people belong to both {one.population} and {one.target}.",
    ProposalKind.SEPARATION: lambda one: f"Nobody belongs to both {one.population} and {one.target}.",
    ProposalKind.MOVE: _move_words,
    ProposalKind.ADMISSION: _admission_words,
}
