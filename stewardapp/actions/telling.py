"""Telling those who have a say about a population what others did; written inside other actions."""

from __future__ import annotations

from collections.abc import Sequence

from django.urls import reverse

from stewardapp.domain.holding import guardians
from stewardapp.models import Population, User
from stewardapp.notifications import notify


def tell_guardians(
    populations: Sequence[Population], text: str, by: User, page: str = "population-budget"
) -> None:
    """Leave a line for everybody but the one who did it."""
    others = guardians(populations) - {by}
    notify(others, text, reverse(page, args=[populations[0].pk]))
