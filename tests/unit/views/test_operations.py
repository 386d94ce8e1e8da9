"""The page of those who keep the desk alive."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.test import Client
from django.urls import reverse

from stewardapp.models import User, WorkerSign
from tests import factories
from tests.factories import Team

pytestmark = pytest.mark.django_db


def test_operators_find_it_in_the_navigation(team: Team, client_of: Callable[[User], Client]) -> None:
    link = f'href="{reverse("operations")}"'
    for user, finds in ((team.admin, True), (factories.make_officer(), True), (team.steward, False)):
        client = client_of(user)
        assert (link in client.get(reverse("method-list")).content.decode()) is finds
        assert client.get(reverse("operations")).status_code == (200 if finds else 403)


def test_it_says_what_is_wrong_and_what_to_do(team: Team, client_of: Callable[[User], Client]) -> None:
    ask = client_of(team.admin)
    page = ask.get(reverse("operations")).content.decode()
    assert "No worker was heard of" in page
    assert "Start a worker" in page
    WorkerSign.objects.give("desk-machine:7", "0.2.0")
    page = ask.get(reverse("operations")).content.decode()
    assert "Start a worker" not in page
    assert "desk-machine:7" in page
