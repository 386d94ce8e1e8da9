"""Telling those who have a say about a population what others did; written inside other actions."""

from __future__ import annotations

from collections.abc import Sequence

from django.urls import reverse

from stewardapp.models import Population, User
from stewardapp.models.holding import guardians
from stewardapp.notifications import notify


def tell_guardians(populations: Sequence[Population], text: str, by: User) -> None:
    """Leave a line for everybody but the one who did it."""
    others = guardians(populations) - {by}
    notify(others, text, reverse("population-budget", args=[populations[0].pk]))
