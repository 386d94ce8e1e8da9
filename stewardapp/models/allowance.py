"""One analyst's part of a project's allotment."""

from __future__ import annotations

from django.db import models
from django.db.models import Q

from stewardapp.access.roles import Permission
from stewardapp.models.membership import seen_through
from stewardapp.models.purse import Purse, purse_constraints
from stewardapp.models.user import AnyUser


class AllowanceQuerySet(models.QuerySet["Allowance"]):
    """Questions about allowances."""

    def visible_to(self, user: AnyUser) -> AllowanceQuerySet:
        """One's own, and all those of projects whose budget one manages."""
        if not user.is_authenticated or not user.is_active:
            return self.none()
        managed = seen_through(
            self, user, "allotment__project", Permission.MANAGE_BUDGET, admins=True, officers=True
        ).values("pk")
        return self.filter(Q(user=user) | Q(pk__in=managed))


class Allowance(Purse):
    """What one person may spend on questions; all of them together stay within the allotment."""

    allotment = models.ForeignKey("stewardapp.Allotment", on_delete=models.PROTECT, related_name="allowances")
    user = models.ForeignKey("stewardapp.User", on_delete=models.PROTECT, related_name="allowances")

    objects = AllowanceQuerySet.as_manager()

    class Meta:
        ordering = ("user__username",)
        constraints = [
            models.UniqueConstraint(fields=("allotment", "user"), name="allowance_once"),
            *purse_constraints("allowance", "left"),
        ]

    def __str__(self) -> str:
        return f"{self.user} · {self.allotment}"
