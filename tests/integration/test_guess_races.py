"""Guesses that arrive together count as many, on both databases."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.contrib.auth.models import AnonymousUser
from django.db import connections
from django.test import RequestFactory

from stewardapp.access.guessing import FREE, Shared
from stewardapp.actions import guesses
from stewardapp.actions.guesses import Under
from stewardapp.models import Guesses
from stewardapp.views.guessing import of_the_named
from tests import factories
from tests.site import Site

TOGETHER = 16
UNDERS = [Under(Shared.ACCOUNT, "somebody"), Under(Shared.ADDRESS, "192.0.2.1")]


def listened_to() -> int:
    """How many of many guesses at once are looked at."""
    barrier = threading.Barrier(TOGETHER)

    def guess(number: int) -> bool:
        try:
            barrier.wait(20)
            return not guesses.begin(unders=UNDERS[:: 1 if number % 2 else -1])
        finally:
            connections.close_all()

    with ThreadPoolExecutor(TOGETHER) as threads:
        return sum(threads.map(guess, range(TOGETHER)))


def test_many_at_once_are_no_more_than_one_after_the_other(any_site: Site) -> None:
    assert listened_to() == FREE[Shared.ACCOUNT]
    assert set(Guesses.objects.values_list("wrong", flat=True)) == {FREE[Shared.ACCOUNT]}


@pytest.mark.postgres
def test_however_a_name_is_written_its_account_is_counted(server_site: Site) -> None:
    """PostgreSQL finds more spellings than Python folds into one."""
    person = factories.make_user("insider")
    number = person.username.removeprefix("insider")
    counted = set()
    for name in ("insider", "INSIDER", " insider", "in\u017fider", "\u0131ns\u0131der", "Insider\0"):
        request = RequestFactory().post("/", {"login": f"{name}{number}"})
        request.user, request.session = AnonymousUser(), {}  # type: ignore[assignment]
        user, unders = of_the_named(request)
        counted |= {user} | set(unders)
    assert counted == {person, Under(Shared.ACCOUNT, str(person.pk)), Under(Shared.ADDRESS, "127.0.0.1")}


@pytest.mark.postgres
def test_without_the_lock_more_would_pass(server_site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    """The control."""
    slow = threading.Barrier(2)

    def unlocked(under: Under) -> tuple[Under, Any]:
        Guesses.objects.get_or_create(key=under.key)
        row = Guesses.objects.get(key=under.key)
        try:
            slow.wait(2)  # everybody has read before anybody writes
        except threading.BrokenBarrierError:
            slow.reset()
        return under, row

    monkeypatch.setattr(guesses, "_row", unlocked)
    assert listened_to() > FREE[Shared.ACCOUNT]
