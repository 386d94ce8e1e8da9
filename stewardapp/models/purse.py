"""Amounts of ε and δ that can only be spent once: limits, what is left, what is still to be handed on.

Spending is one UPDATE whose WHERE asks for what it takes, and a CHECK stands behind it, so that no
interleaving of writers on any database can spend more than there is.
"""

from __future__ import annotations

from typing import Any, ClassVar

from django.db import models
from django.db.models import F, Q

from stewardapp.models.base import Record
from worker.engine.contracts.privacy import Spend

UNITS = ("epsilon_micro", "delta_femto")


def spend(purse: Purse, cost: Spend, **unchanged: int) -> bool:
    """Take the cost, if that much is left and these columns are what they were; nothing puts it back."""
    return _change(purse, ("left",), -cost.epsilon_micro, -cost.delta_femto, **unchanged)


def resize(purse: Purse, epsilon_micro: int, delta_femto: int) -> bool:
    """Move the limit by so much; down no further than what is neither spent nor handed on."""
    return _change(purse, ("limit", *purse.pools), epsilon_micro, delta_femto)


def hand_on(purse: Divisible, epsilon_micro: int, delta_femto: int) -> bool:
    """Set apart so much for a smaller purse; a negative amount comes back from there."""
    return _change(purse, ("unshared",), -epsilon_micro, -delta_femto)


def _change(purse: Purse, pools: tuple[str, ...], *by: int, **unchanged: int) -> bool:
    enough: dict[str, Any] = {"pk": purse.pk, **unchanged}
    changed: dict[str, Any] = {}
    for pool in pools:
        for unit, amount in zip(UNITS, by, strict=True):
            column = f"{pool}_{unit}"
            changed[column] = F(column) + amount
            if amount < 0:
                enough[f"{column}__gte"] = -amount
    return models.QuerySet(type(purse)).filter(**enough).update(**changed) == 1


class Purse(Record):
    """Abstract base: a limit and what is left of it."""

    pools: ClassVar[tuple[str, ...]] = ("left",)

    limit_epsilon_micro = models.BigIntegerField(default=0)
    limit_delta_femto = models.BigIntegerField(default=0)
    left_epsilon_micro = models.BigIntegerField(default=0)
    left_delta_femto = models.BigIntegerField(default=0)

    class Meta:
        abstract = True

    @property
    def limit(self) -> Spend:
        """The most that may ever be spent."""
        return Spend(self.limit_epsilon_micro, self.limit_delta_femto)

    @property
    def left(self) -> Spend:
        """What may still be spent."""
        return Spend(self.left_epsilon_micro, self.left_delta_femto)

    @property
    def spent(self) -> Spend:
        """What was spent; it never falls."""
        return Spend(
            self.limit_epsilon_micro - self.left_epsilon_micro, self.limit_delta_femto - self.left_delta_femto
        )


class Divisible(Purse):
    """Abstract base: a purse of which parts are set apart for smaller ones."""

    pools: ClassVar[tuple[str, ...]] = ("left", "unshared")

    unshared_epsilon_micro = models.BigIntegerField(default=0)
    unshared_delta_femto = models.BigIntegerField(default=0)

    class Meta:
        abstract = True

    @property
    def unshared(self) -> Spend:
        """What is not set apart for anybody yet."""
        return Spend(self.unshared_epsilon_micro, self.unshared_delta_femto)


def purse_constraints(noun: str, *pools: str) -> list[models.CheckConstraint]:
    """What must never be false of a purse's row."""
    return [
        models.CheckConstraint(
            condition=Q(**{f"{pool}_{unit}__gte": 0, f"{pool}_{unit}__lte": F(f"limit_{unit}")}),
            name=f"{noun}_{pool}_{unit.split('_')[0]}_within_limit",
        )
        for pool in pools
        for unit in UNITS
    ]
