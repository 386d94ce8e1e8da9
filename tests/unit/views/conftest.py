"""A project with everybody in it, and browsers signed in as them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from stewardapp.models import User, Version
from tests import factories
from tests.factories import Team, read_for_real

BACKEND = "allauth.account.auth_backends.AuthenticationBackend"
ROW = "P{n:03};19{year}-0{month}-1{day};1{zip:03};{sex};{illness}\n"
SURVEY = "person;born;zip;sex;illness\n" + "".join(
    ROW.format(
        n=n,
        year=40 + n % 40,
        month=1 + n % 9,
        day=n % 9,
        zip=n % 50,
        sex="FM"[n % 2],
        illness=("cold", "flu")[n % 2],
    )
    for n in range(120)
)


@pytest.fixture
def team(db: None, tmp_path: Path, settings: Any) -> Team:
    """Everybody; what is stored goes to a folder of this test.

    A test holds the database from its beginning to its end: renewing a lease beside it would wait for that.
    """
    settings.STEWARD_DATA = tmp_path
    settings.STEWARD_LEASE = 600
    return factories.make_project()


@pytest.fixture
def client_of() -> Callable[[User], Client]:
    def signed_in(user: User) -> Client:
        client = Client()
        client.force_login(user, backend=BACKEND)
        return client

    return signed_in


@pytest.fixture
def survey(team: Team) -> Version:
    """A version that was really read, with nothing tagged."""
    return read_for_real(factories.upload(team, data=SURVEY.encode()))


@pytest.fixture
def browse(team: Team) -> Callable[[str], Client]:
    def signed_in(persona: str) -> Client:
        client = Client()
        client.force_login(team.persona(persona), backend=BACKEND)
        return client

    return signed_in


@pytest.fixture
def confirmed(browse: Callable[[str], Client]) -> Callable[[str], Client]:
    """Browsers whose person gave the password again just now."""

    def signed_in(persona: str) -> Client:
        client = browse(persona)
        answer = client.post(reverse("account_reauthenticate"), {"password": factories.PASSWORD})
        assert answer.status_code == 302
        return client

    return signed_in
