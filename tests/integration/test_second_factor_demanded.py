"""Whoever needs a second factor and has none reaches the pages that set one up, and nothing else."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from stewardapp.access.entry_rules import Standing, may_enter
from stewardapp.actions import accounts, memberships, officers, projects
from stewardapp.admin import site
from stewardapp.middleware import TO_ENROL
from stewardapp.models import AuditEvent, User
from tests import factories, factors
from tests.integration.url_scene import BACKEND, addresses, nobody

pytestmark = pytest.mark.django_db
SAMPLES = {"uuid": nobody(), "int": 1, "string": "x", "slug": "x", "path": "x"}


@pytest.fixture
def on_site(settings: Any) -> None:
    settings.STEWARD_SITE = True


def every_address() -> Iterator[tuple[str, str]]:
    """Name and address of everything, the administration's pages too."""
    for prefix, found in (("", addresses()), ("admin:", addresses(site.urls[0]))):
        for one in found:
            args = {name: sample(kind) for name, kind in one.pattern.converters.items()}
            if one.name:
                yield f"{prefix}{one.name}", reverse(f"{prefix}{one.name}", kwargs=args)


def sample(converter: Any) -> object:
    return SAMPLES[type(converter).__name__.removesuffix("Converter").lower()]


def session_of(person: User) -> Client:
    client = Client(raise_request_exception=False)
    client.force_login(person, backend=BACKEND)
    return client


def is_sent_to_enrol(client: Client, address: str = "/", method: str = "get") -> bool:
    """Whether there is the reason and the way, and nothing else."""
    answer = getattr(client, method)(address)
    way = reverse("mfa_activate_totp").encode()
    return answer.status_code == 403 and way in answer.content and b"One step before" in answer.content


@pytest.mark.usefixtures("on_site")
def test_an_administrator_without_one_reaches_no_other_address() -> None:
    client, before = session_of(factories.make_admin()), AuditEvent.objects.count()
    open_to_them = set()
    for name, address in every_address():
        shut = [is_sent_to_enrol(client, address, method) for method in ("get", "post")]
        if not all(shut):
            open_to_them.add(name)
            client = session_of(User.objects.get())  # one of them signs out
    assert open_to_them == TO_ENROL
    assert AuditEvent.objects.count() == before


@pytest.mark.usefixtures("on_site")
def test_it_opens_when_it_is_set_up() -> None:
    admin = factories.make_admin()
    client = Client()
    client.post(reverse("account_login"), {"login": admin.username, "password": factories.PASSWORD})
    assert is_sent_to_enrol(client)
    assert client.get(reverse("mfa_activate_totp")).status_code == 302  # the password once more
    client.post(reverse("account_reauthenticate"), {"password": factories.PASSWORD})
    page = client.get(reverse("mfa_activate_totp"))
    assert page.status_code == 200
    assert reverse("project-list") not in page.content.decode()
    code = factors.code(page.context["form"].secret)
    assert client.post(reverse("mfa_activate_totp"), {"code": code}).status_code == 302
    assert client.get("/").status_code == 200
    assert client.get(reverse("mfa_view_recovery_codes")).status_code == 200
    client.post(reverse("mfa_deactivate_totp"))
    assert is_sent_to_enrol(client)


@pytest.mark.usefixtures("on_site")
def test_it_is_demanded_of_sessions_that_began_before() -> None:
    team = factories.make_project()
    promoted, officer, outsider = (session_of(one) for one in (team.steward, team.analyst, team.outsider))
    assert not is_sent_to_enrol(promoted)
    accounts.change(user=team.steward, is_admin=True, by=team.admin)
    officers.appoint(user=team.analyst, by=team.admin)
    assert is_sent_to_enrol(promoted)
    assert is_sent_to_enrol(officer)
    assert outsider.get("/").status_code == 200


def test_elsewhere_administrators_are_not_asked() -> None:
    team = factories.make_project()
    assert session_of(team.admin).get("/").status_code == 200


def test_reviewers_are_asked_by_the_policy_in_force() -> None:
    team = factories.make_project()
    reviewer, steward = session_of(team.reviewer), session_of(team.steward)
    assert not is_sent_to_enrol(reviewer)
    factories.revise_policy(team.project, team.admin, require_second_factor=True)
    assert is_sent_to_enrol(reviewer)
    assert not is_sent_to_enrol(steward)
    factories.revise_policy(team.project, team.admin, require_second_factor=False)
    assert not is_sent_to_enrol(reviewer)
    factories.revise_policy(team.project, team.admin, require_second_factor=True)
    memberships.remove(membership=team.project.memberships.get(user=team.reviewer), by=team.admin)
    assert not is_sent_to_enrol(reviewer)


def test_recovery_codes_alone_are_no_second_factor() -> None:
    from allauth.mfa.recovery_codes.internal.auth import RecoveryCodes

    team = factories.make_project(require_second_factor=True)
    RecoveryCodes.activate(team.reviewer)
    team.reviewer.refresh_from_db()
    assert is_sent_to_enrol(session_of(team.reviewer))
    factors.give(team.reviewer)
    assert not is_sent_to_enrol(session_of(team.reviewer))


@pytest.mark.usefixtures("on_site")
def test_projects_of_a_site_begin_with_it() -> None:
    project = projects.create(name="Cohort", by=factories.make_admin())
    assert project.policy.require_second_factor


def test_projects_elsewhere_begin_without() -> None:
    assert not projects.create(name="Cohort", by=factories.make_admin()).policy.require_second_factor


@pytest.mark.parametrize(
    ("standing", "allowed"),
    [
        (Standing(), True),
        (Standing(serves_site=True), True),
        (Standing(on_site=True), True),
        (Standing(serves_site=True, on_site=True), False),
        (Standing(asked_to=True), False),
        (Standing(asked_to=True, serves_site=True, on_site=True, second_factor=True), True),
    ],
)
def test_the_rule(standing: Standing, allowed: bool) -> None:
    verdict = may_enter(standing)
    assert bool(verdict) is allowed
    assert allowed or verdict.code == "second-factor"
