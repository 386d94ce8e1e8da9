"""Administration of people and projects goes through actions and shows no data."""

import pytest
from django.apps import apps
from django.http import HttpResponse
from django.test import Client

from stewardapp.admin import site
from stewardapp.models import AuditEvent, Membership, Project, User
from tests import factories, factors

pytestmark = pytest.mark.django_db
NEW = {"username": "newcomer", "first_name": "", "last_name": "", "email": ""}
KEPT = {"first_name": "", "last_name": "", "email": "", "is_active": "on"}


@pytest.fixture
def team() -> factories.Team:
    return factories.make_project()


@pytest.fixture
def client(team: factories.Team) -> Client:
    client = Client()
    client.force_login(team.admin, backend="allauth.account.auth_backends.AuthenticationBackend")
    return client


def last() -> AuditEvent:
    return AuditEvent.objects.latest("id")


def told(answer: HttpResponse) -> str:
    """The messages at the head of a page."""
    return " ".join(map(str, answer.context["messages"]))  # type: ignore[attr-defined]


def test_only_people_and_projects_are_administered() -> None:
    assert set(site._registry) == {User, Project, Membership}
    assert apps.get_app_config("stewardapp").verbose_name == "Data steward"


@pytest.mark.parametrize(
    "screen", ["user/", "user/add/", "project/", "project/add/", "membership/", "membership/add/"]
)
def test_pages_open_for_an_admin_only(client: Client, team: factories.Team, screen: str) -> None:
    url = f"/admin/stewardapp/{screen}"
    assert client.get(url).status_code == 200
    client.force_login(team.steward, backend="allauth.account.auth_backends.AuthenticationBackend")
    assert client.get(url).status_code in (302, 403)


def test_an_account_is_made_through_the_action(client: Client) -> None:
    made_page = client.post("/admin/stewardapp/user/add/", NEW, follow=True)
    made = User.objects.get(username="newcomer")
    assert not made.has_usable_password()
    assert (last().action, last().subject_id) == ("account.created", made.pk)
    assert f"/accounts/password/choose/{made.pk}/?token=" in told(made_page)


def test_a_refusal_is_a_message_and_writes_nothing(client: Client, team: factories.Team) -> None:
    before = AuditEvent.objects.count()
    url = f"/admin/stewardapp/user/{team.admin.pk}/change/"
    answer = client.post(url, {**KEPT, "is_staff": "on", "replace_password": "on"}, follow=True)
    assert "Ask another administrator" in told(answer)
    assert "token=" not in told(answer)
    assert User.objects.get(pk=team.admin.pk).check_password(factories.PASSWORD)
    assert AuditEvent.objects.count() == before


def test_an_account_is_corrected_and_shut_out(client: Client, team: factories.Team) -> None:
    url = f"/admin/stewardapp/user/{team.analyst.pk}/change/"
    client.post(url, {"first_name": "Ana", "last_name": "", "email": "", "is_active": "on"})
    assert last().action == "account.changed"
    client.post(url, {"first_name": "Ana", "last_name": "", "email": ""})
    assert last().action == "account.deactivated"
    team.analyst.refresh_from_db()
    assert (team.analyst.first_name, team.analyst.is_active) == ("Ana", False)
    client.post(url, {"first_name": "Ana", "last_name": "", "email": "", "is_active": "on"})
    assert last().action == "account.reactivated"


def test_what_was_lost_is_replaced(client: Client, team: factories.Team) -> None:
    url = f"/admin/stewardapp/user/{team.analyst.pk}/change/"
    assert client.get(url).status_code == 200
    linked = client.post(url, {**KEPT, "replace_password": "on"}, follow=True)
    assert f"/accounts/password/choose/{team.analyst.pk}/?token=" in told(linked)
    assert last().action == "account.password-reset"
    team.analyst.refresh_from_db()
    assert not team.analyst.has_usable_password()
    factors.give(team.analyst)
    client.post(url, {**KEPT, "remove_second_factor": "on"})
    assert last().action == "account.factors-removed"
    assert not team.analyst.has_second_factor
    before = AuditEvent.objects.count()
    client.post(url, {**KEPT, "replace_password": "on", "remove_second_factor": "on"})
    assert AuditEvent.objects.count() == before, "both or neither"
    client.post(url, KEPT)
    assert AuditEvent.objects.count() == before


def test_a_data_protection_officer_is_appointed_and_dismissed(client: Client, team: factories.Team) -> None:
    url = f"/admin/stewardapp/user/{team.analyst.pk}/change/"
    for sent, action, held in (({"is_officer": "on"}, "appointed", True), ({}, "dismissed", False)):
        assert client.post(url, KEPT | sent).status_code == 302
        assert last().action == f"officer.{action}"
        team.analyst.refresh_from_db()
        assert team.analyst.is_officer is held


def test_a_project_is_founded_and_renamed(client: Client) -> None:
    client.post("/admin/stewardapp/project/add/", {"name": "Cohort", "description": ""})
    project = Project.objects.get(name="Cohort")
    assert project.policy.version == 1
    client.post(f"/admin/stewardapp/project/{project.pk}/change/", {"name": "Panel", "description": ""})
    assert last().action == "project.renamed"


def test_roles_are_given_and_taken(client: Client, team: factories.Team) -> None:
    said = {"project": team.project.pk, "user": team.outsider.pk, "role": "analyst"}
    client.post("/admin/stewardapp/membership/add/", said)
    membership = Membership.objects.get(user=team.outsider)
    assert last().action == "membership.added"
    assert client.get(f"/admin/stewardapp/membership/{membership.pk}/change/").status_code == 200
    client.post(f"/admin/stewardapp/membership/{membership.pk}/delete/", {"post": "yes"})
    assert last().action == "membership.removed"
    assert not Membership.objects.filter(user=team.outsider).exists()


def test_nothing_else_is_deleted_here(client: Client, team: factories.Team) -> None:
    for url in (f"user/{team.analyst.pk}", f"project/{team.project.pk}"):
        assert client.post(f"/admin/stewardapp/{url}/delete/", {"post": "yes"}).status_code == 403
