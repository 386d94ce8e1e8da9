"""Wrong guesses are counted under what they have in common, and a right one forgets them."""

from __future__ import annotations

from datetime import timedelta

import pytest
import time_machine
from django.utils import timezone

from stewardapp.access.guessing import FIRST, FORGOTTEN, FREE, Shared
from stewardapp.actions import guesses
from stewardapp.actions.guesses import Under
from stewardapp.models import AuditEvent, Guesses
from tests import factories

pytestmark = pytest.mark.django_db
OWNER, PLACE = Under(Shared.ACCOUNT, "owner"), Under(Shared.ADDRESS, "192.0.2.1")
SLOWED = {"action": "account.slowed"}


def wrong(number: int) -> None:
    """So many wrong guesses at the account of somebody who does not exist."""
    for _ in range(number):
        assert guesses.begin(unders=[OWNER, PLACE]) == timedelta()
        guesses.failed(unders=[OWNER, PLACE], user=None)


def test_after_the_free_ones_nothing_is_counted_until_somebody_waited() -> None:
    with time_machine.travel(timezone.now(), tick=False) as clock:
        wrong(FREE[Shared.ACCOUNT])
        assert guesses.begin(unders=[PLACE, OWNER]) == FIRST
        assert Guesses.objects.get(key=OWNER.key).wrong == FREE[Shared.ACCOUNT]
        clock.shift(FIRST)
        assert guesses.begin(unders=[PLACE, OWNER]) == timedelta()


def test_a_right_one_forgets_the_wrong_ones_of_the_account() -> None:
    wrong(FREE[Shared.ACCOUNT] - 1)
    guesses.proved(unders=[OWNER, PLACE])
    assert Guesses.objects.get(key=OWNER.key).wrong == 0
    wrong(FREE[Shared.ACCOUNT] - 1)


def test_a_day_without_a_guess_leaves_nothing() -> None:
    with time_machine.travel(timezone.now(), tick=False) as clock:
        wrong(1)
        clock.shift(FORGOTTEN + timedelta(seconds=1))
        guesses.begin(unders=[Under(Shared.ACCOUNT, "another")])
        assert not Guesses.objects.filter(key=OWNER.key).exists()


def test_the_account_learns_once_that_it_is_slowed_down() -> None:
    user = factories.make_user()
    with time_machine.travel(timezone.now(), tick=False):
        for _ in range(FREE[Shared.ACCOUNT]):
            assert not AuditEvent.objects.filter(**SLOWED).exists()
            guesses.begin(unders=[OWNER, PLACE])
            guesses.failed(unders=[OWNER, PLACE], user=user)
    event = AuditEvent.objects.get(**SLOWED)
    assert (event.actor, event.details) == (None, {"shared": "account"})


def test_what_is_counted_under_is_told_by_no_row() -> None:
    wrong(1)
    keys = Guesses.objects.values_list("key", flat=True)
    assert not any("owner" in key or "192" in key for key in keys)
    assert OWNER.key != Under(Shared.ADDRESS, "owner").key
