"""How often somebody guessed wrong at an account, from an address, in a browser."""

from __future__ import annotations

from datetime import datetime

from django.db import models

from stewardapp.access.guessing import FORGOTTEN, Guessed


class GuessesQuerySet(models.QuerySet["Guesses"]):
    """Questions about guesses."""

    def forgotten(self, now: datetime) -> GuessesQuerySet:
        """What counts no longer."""
        return self.filter(last__lte=now - FORGOTTEN)


class Guesses(models.Model):
    """A count under a keyed hash: neither names that were tried nor addresses are kept."""

    key = models.CharField(primary_key=True, max_length=64)
    wrong = models.PositiveIntegerField(default=0)
    last = models.DateTimeField(null=True, db_index=True)
    not_before = models.DateTimeField(null=True)

    objects = GuessesQuerySet.as_manager()

    def facts(self) -> Guessed:
        """As the rule reads it."""
        return Guessed(self.wrong, self.last, self.not_before)
