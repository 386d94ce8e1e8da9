"""Lines that wait for people; written after the transaction that is their reason has committed."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

from django.db import transaction

from stewardapp.models import Notification, User


def notify(people: Iterable[User], text: str, url: str = "") -> None:
    """Leave a line for each of these people once the current transaction is through. No data values."""
    ids = tuple({person.pk: None for person in people})
    if ids:
        transaction.on_commit(partial(Notification.objects.leave, ids, text, url))
