"""The rules of a project; what it demands of figures stands in rows of its own."""

from __future__ import annotations

import uuid
from decimal import Decimal
from typing import Any

from django.conf import settings
from django.db import models
from django.utils.functional import cached_property

from stewardapp.access.entry_rules import Standing
from stewardapp.access.facts import PolicyFacts, RowFacts
from stewardapp.access.roles import Permission, roles_with
from stewardapp.models.base import Record
from stewardapp.models.membership import Membership, seen_through
from stewardapp.models.prepared import prepared
from stewardapp.models.user import AnyUser, User

LOCAL_EPSILON = Decimal(3)
"""What a project that says nothing allows of one cell."""


class PolicyQuerySet(models.QuerySet["Policy"]):
    """Questions about policies."""

    def visible_to(self, user: AnyUser) -> PolicyQuerySet:
        """Policies of the projects this person sees."""
        return seen_through(self, user, "project", Permission.VIEW_PROJECT, admins=True)


def standing_of(user: User) -> Standing:
    """Somebody as the rule about coming in sees them; whoever has a second factor is asked no more."""
    if user.has_second_factor:
        return Standing(second_factor=True)
    return Standing(
        serves_site=user.is_admin or user.protects_data,
        asked_to=bool(_asking_for_second_factor(user.pk)),
        on_site=settings.STEWARD_SITE,
    )


@prepared
def _asking_for_second_factor(user: uuid.UUID) -> models.QuerySet[Membership, uuid.UUID]:
    """A role by which this person reviews where the policy in force wants it, if there is one."""
    latest = Policy.objects.filter(project=models.OuterRef("project")).order_by("-version")
    wanted = models.Subquery(latest.values("require_second_factor")[:1])
    roles = Membership.objects.filter(user=user, role__in=roles_with(Permission.REVIEW))
    asking = roles.alias(wanted=wanted).filter(wanted=True).order_by()
    return asking.values_list("pk", flat=True)[:1]


class Policy(Record):
    """One version of a project's rules; a row never changes, a new version replaces it."""

    project = models.ForeignKey("stewardapp.Project", on_delete=models.PROTECT, related_name="policies")
    version = models.PositiveIntegerField()
    # What the cells of one column may give away together, over all that is out; none: no bound.
    maximum_local_epsilon = models.DecimalField(
        max_digits=8, decimal_places=4, null=True, blank=True, default=LOCAL_EPSILON
    )
    reviewers = models.PositiveSmallIntegerField(default=1)
    retention_days = models.PositiveIntegerField(default=90)
    maximum_epsilon_micro = models.BigIntegerField(default=1_000_000)
    require_second_factor = models.BooleanField(default=False)

    objects = PolicyQuerySet.as_manager()

    class Meta:
        ordering = ("project", "version")
        get_latest_by = "version"
        constraints = [
            models.UniqueConstraint(fields=("project", "version"), name="policy_version_once"),
            models.CheckConstraint(condition=models.Q(version__gte=1), name="policy_version_counts"),
            models.CheckConstraint(
                condition=models.Q(maximum_local_epsilon__isnull=True)
                | models.Q(maximum_local_epsilon__gte=0),
                name="policy_local_epsilon_not_negative",
            ),
            models.CheckConstraint(
                condition=models.Q(reviewers__range=(1, 3)), name="policy_reviewers_1_to_3"
            ),
            models.CheckConstraint(condition=models.Q(retention_days__gte=1), name="policy_retention_days"),
            models.CheckConstraint(
                condition=models.Q(maximum_epsilon_micro__gte=0), name="policy_epsilon_not_negative"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.project} · policy {self.version}"

    def save(self, *args: Any, **kwargs: Any) -> None:
        """Write a new version; a written one is never changed."""
        if not self._state.adding:
            raise TypeError("a policy is never changed; revise it")
        super().save(*args, **kwargs)

    @cached_property
    def demanded(self) -> tuple[RowFacts, ...]:
        """Its rows as the rules read them; they never change."""
        return tuple(row.facts() for row in self.rows.all())

    def facts(self) -> PolicyFacts:
        """What it demands, as the rules read it."""
        return PolicyFacts(
            rows=self.demanded,
            maximum_local_epsilon=self.maximum_local_epsilon,
            maximum_epsilon_micro=self.maximum_epsilon_micro,
            reviewers=self.reviewers,
            require_second_factor=self.require_second_factor,
        )
