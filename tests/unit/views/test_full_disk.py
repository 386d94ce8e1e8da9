"""A full disk as people meet it: at sign-in, at an upload, on a page that notes that it was seen."""

from __future__ import annotations

import errno
from typing import Any

import pytest
from django.db import OperationalError
from django.test import Client
from django.urls import reverse
from psycopg.errors import DiskFull

from stewardapp import storage
from stewardapp.full_disk import NO_ROOM, is_disk_full
from stewardapp.models import Upload
from tests import factories
from tests.factories import Team
from tests.integration.test_full_disk import full_database, full_disk
from tests.integration.url_scene import browser
from tests.unit.views.test_uploads import announced

pytestmark = pytest.mark.django_db


def test_signing_in_is_refused_with_a_sentence(team: Team) -> None:
    client = Client(raise_request_exception=False)
    client.get(reverse("account_login"))
    with full_disk():
        sent = {"login": team.steward.username, "password": factories.PASSWORD}
        answer = client.post(reverse("account_login"), sent)
    assert answer.status_code == 507
    assert "room" in answer.content.decode()


def test_a_page_is_read_although_nobody_can_note_that_it_was(team: Team, monkeypatch: Any) -> None:
    """The session is written once a minute, and news that lead to a page are read with it."""
    client = browser(team.steward)
    monkeypatch.setattr("stewardapp.middleware.RECORD_EVERY", 0)
    with full_disk():
        assert client.get("/").status_code == 200


def test_a_file_larger_than_the_room_is_refused_when_it_is_announced(team: Team, monkeypatch: Any) -> None:
    client, dataset = browser(team.steward), factories.make_dataset(team)
    monkeypatch.setattr(storage, "free", lambda: 1_999)
    answer = announced(client, dataset, 1000)
    assert answer.status_code == 507
    assert "There is no room for it" in answer.content.decode()
    monkeypatch.setattr(storage, "free", lambda: 2_000)
    assert announced(client, dataset, 1000).status_code == 201
    assert Upload.objects.filter(length=1000).count() == 1


@pytest.mark.parametrize(
    ("error", "full"),
    [
        (OSError(errno.ENOSPC, ""), True),
        (OSError(errno.EDQUOT, ""), True),
        (OSError(errno.EACCES, ""), False),
        (DiskFull(), True),
        (full_database(), True),
        (OperationalError("locked"), False),
        (None, False),
    ],
)
def test_who_says_that_the_disk_is_full(error: BaseException | None, full: bool) -> None:
    assert is_disk_full(error) is full
    assert "read meanwhile" in NO_ROOM
