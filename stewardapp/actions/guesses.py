"""Counting wrong guesses. A guess is no action: it has nobody to name, and its event would be the attacker's
to write. What is written into the audit log is that an account begins to be slowed down.
"""

from __future__ import annotations

import hmac
import logging
from collections.abc import Sequence
from datetime import timedelta
from typing import NamedTuple

from django.db import transaction
from django.utils import timezone

from stewardapp import keyring
from stewardapp.access.guessing import FREE, Guessed, Shared
from stewardapp.actions import audit
from stewardapp.actions.action import action
from stewardapp.models import Guesses, User

log = logging.getLogger(__name__)


class Under(NamedTuple):
    """What a guess is counted under."""

    shared: Shared
    what: str

    @property
    def key(self) -> str:
        """A hash that only this installation makes."""
        said = f"{self.shared} {self.what}".encode()
        return hmac.digest(keyring.seal_of("guesses"), said, "sha256").hex()


def begin(*, unders: Sequence[Under]) -> timedelta:
    """Count a guess before it is looked at; or say how long to wait, and count nothing."""
    with transaction.atomic():
        Guesses.objects.forgotten(timezone.now()).delete()
        rows = [_row(under) for under in sorted(unders, key=lambda under: under.key)]
        now = timezone.now()  # those who waited for the lock ask for the time when they have it
        counts = [row.facts().at(now) for _, row in rows]
        wait = max(count.wait(now) for count in counts)
        if not wait:
            for (under, row), count in zip(rows, counts, strict=True):
                _note(row, count.once_more(under.shared, now))
    return wait


def _row(under: Under) -> tuple[Under, Guesses]:
    """The count, locked; keys are taken in their order, so that nobody waits in a circle."""
    Guesses.objects.get_or_create(key=under.key)
    return under, Guesses.objects.select_for_update().get(key=under.key)


def proved(*, unders: Sequence[Under]) -> None:
    """The guess was right."""
    with transaction.atomic():
        for under in sorted(unders, key=lambda under: under.key):
            _, row = _row(under)
            _note(row, row.facts().proved(under.shared))


def _note(row: Guesses, count: Guessed) -> None:
    row.wrong, row.last, row.not_before = count.wrong, count.last, count.not_before
    row.save()


def failed(*, unders: Sequence[Under], user: User | None) -> None:
    """The guess was wrong. Say so where it begins to cost time."""
    for under in unders:
        row = Guesses.objects.filter(key=under.key).first()
        if row is None or row.wrong < FREE[under.shared]:
            continue
        log.warning("guesses.slowed", extra={"shared": str(under.shared), "wrong": row.wrong})
        if user is not None and under.shared is not Shared.ADDRESS and row.wrong == FREE[under.shared]:
            note_slowed(user=user, shared=under.shared)


@action
def note_slowed(*, user: User, shared: Shared) -> None:
    """Write down that sign-in to an account is slowed down from now on."""
    audit.record("account.slowed", user, by=None, details={"shared": str(shared)})
