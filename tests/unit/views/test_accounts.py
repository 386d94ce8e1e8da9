"""A password is chosen by a link that an administrator made: once, soon, and by an account that is open."""

from datetime import timedelta

import pytest
import time_machine
from django.test import Client, RequestFactory
from django.utils import timezone

from stewardapp.actions import accounts
from stewardapp.models import AuditEvent, User
from stewardapp.views.accounts import link_to_choose_password
from tests import factories

pytestmark = pytest.mark.django_db
NEW = {"new_password1": "a longer walk by the lake", "new_password2": "a longer walk by the lake"}


@pytest.fixture
def team() -> factories.Team:
    return factories.make_project()


def link(user: User) -> str:
    whole = link_to_choose_password(RequestFactory().get("/"), user)
    return whole.removeprefix("http://testserver")


def test_a_link_serves_once(team: factories.Team) -> None:
    address = link(accounts.reset_password(user=team.analyst, by=team.admin))
    client = Client()
    page = client.get(address)
    assert page.status_code == 200
    assert team.analyst.username in page.content.decode()
    assert client.post(address, NEW).headers["Location"] == "/accounts/login/"
    assert AuditEvent.objects.latest("id").action == "account.password-chosen"
    assert User.objects.get(pk=team.analyst.pk).check_password(NEW["new_password1"])
    assert client.post(address, NEW).status_code == 410


@pytest.mark.parametrize("sent", [{}, NEW | {"new_password2": "another"}, dict.fromkeys(NEW, "short")])
def test_what_is_refused_leaves_the_link_open(team: factories.Team, sent: dict[str, str]) -> None:
    address = link(accounts.reset_password(user=team.analyst, by=team.admin))
    assert Client().post(address, sent).status_code == 200
    assert not User.objects.get(pk=team.analyst.pk).has_usable_password()
    assert Client().post(address, NEW).status_code == 302


def test_a_newer_link_ends_the_one_before(team: factories.Team) -> None:
    first = link(accounts.reset_password(user=team.analyst, by=team.admin))
    second = link(accounts.reset_password(user=team.analyst, by=team.admin))
    assert [Client().get(one).status_code for one in (first, second)] == [410, 200]


@pytest.mark.parametrize(("hours", "status"), [(47, 200), (49, 410)])
def test_a_link_serves_for_two_days(team: factories.Team, hours: int, status: int) -> None:
    address = link(accounts.reset_password(user=team.analyst, by=team.admin))
    with time_machine.travel(timezone.now() + timedelta(hours=hours)):
        assert Client().get(address).status_code == status


def test_a_link_belongs_to_one_account_that_is_open(team: factories.Team) -> None:
    address = link(accounts.reset_password(user=team.analyst, by=team.admin))
    assert Client().get(address.replace(str(team.analyst.pk), str(team.steward.pk))).status_code == 410
    accounts.deactivate(user=team.analyst, by=team.admin)
    assert Client().get(address).status_code == 410
    assert Client().get(address.partition("?")[0]).status_code == 410
