"""Of those who make the first administrator at the same moment one succeeds, on both databases."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

import pytest
from django.db import connections

from stewardapp.access.verdict import Conflict
from stewardapp.actions import accounts
from stewardapp.models import User
from tests import factories
from tests.site import Site

TOGETHER = 4


def made(patience: float, monkeypatch: pytest.MonkeyPatch) -> int:
    """How many succeed when nobody writes before all have looked, unless they have to wait to look."""
    slow = threading.Barrier(TOGETHER)
    begin = threading.Barrier(TOGETHER)
    save = accounts._save

    def saved(user: User) -> None:
        with suppress(threading.BrokenBarrierError):  # the others wait for us
            slow.wait(patience)
        save(user)

    def make(name: str) -> bool:
        try:
            begin.wait(20)
            accounts.create_first_admin(username=name, password=factories.PASSWORD)
        except Conflict:
            return False
        finally:
            connections.close_all()
        return True

    monkeypatch.setattr(accounts, "_save", saved)
    with ThreadPoolExecutor(TOGETHER) as threads:
        return sum(threads.map(make, map("first-{}".format, range(TOGETHER))))


def test_there_is_one_first_administrator(any_site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    assert made(0.5, monkeypatch) == 1
    assert User.objects.filter(is_staff=True).count() == 1


@pytest.mark.postgres
def test_without_the_lock_there_would_be_several(server_site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    """The control."""
    monkeypatch.setattr(accounts.audit, "hold", lambda: None)
    assert made(20, monkeypatch) > 1
