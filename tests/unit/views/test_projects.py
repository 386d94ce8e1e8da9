"""Projects, members, policy, populations: owner, teammate, outsider."""

import pytest

from stewardapp.models import AuditEvent, Membership, Project
from tests import factories

PAGES = ("", "members/", "policy/")


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize(
    ("who", "status"),
    [("steward", 200), ("analyst", 200), ("reviewer", 200), ("admin", 200), ("outsider", 404)],
)
def test_a_project_is_seen_by_its_members_and_admins_only(client_of, team, page, who, status):
    assert client_of(team.persona(who)).get(f"/projects/{team.project.pk}/{page}").status_code == status


def test_the_list_holds_only_projects_one_is_in(client_of, team):
    other = factories.make_project()
    page = client_of(team.steward).get("/projects/").content.decode()
    assert team.project.name in page
    assert other.project.name not in page


def test_an_admin_founds_a_project_and_adds_a_member(client_of, team):
    client = client_of(team.admin)
    answer = client.post("/projects/new/", {"name": "Census unit", "description": ""})
    project = Project.objects.get(name="Census unit")
    assert answer.url == f"/projects/{project.pk}/members/"
    client.post(answer.url, {"user": str(team.outsider.pk), "role": "reviewer"})
    assert Membership.objects.filter(project=project, user=team.outsider, role="reviewer").exists()


def test_a_taken_name_is_said_on_its_field(client_of, team):
    answer = client_of(team.admin).post("/projects/new/", {"name": team.project.name})
    assert answer.status_code == 422
    assert "Another project has this name" in answer.content.decode()


@pytest.mark.parametrize(
    ("path", "data"),
    [
        ("/projects/new/", {"name": "Mine"}),
        ("/projects/{project}/rename/", {"name": "Mine"}),
        ("/projects/{project}/members/", {"user": "{outsider}", "role": "steward"}),
        ("/projects/{project}/policy/", {"reviewers": "2"}),
    ],
)
def test_a_steward_is_refused_what_admins_do_with_a_reason(client_of, team, path, data):
    ids = {"project": team.project.pk, "outsider": team.outsider.pk}
    sent = {name: value.format(**ids) for name, value in data.items()}
    before = AuditEvent.objects.count()
    answer = client_of(team.steward).post(path.format(**ids), sent)
    assert answer.status_code == 403
    assert "Only an administrator can" in answer.content.decode()
    assert AuditEvent.objects.count() == before


def test_the_refused_button_says_the_same_as_the_refusal(client_of, team):
    page = client_of(team.steward).get(f"/projects/{team.project.pk}/policy/").content.decode()
    assert 'aria-disabled="true"' in page
    assert "Only an administrator can change the policy of a project." in page


def test_removing_a_role_of_another_project_is_not_found(client_of, team):
    membership = factories.make_project().project.memberships.first()
    answer = client_of(team.steward).post(f"/memberships/{membership.pk}/remove/")
    assert answer.status_code == 404
    assert Membership.objects.filter(pk=membership.pk).exists()


def test_an_admin_removes_a_role(client_of, team):
    membership = team.project.memberships.get(user=team.analyst)
    client_of(team.admin).post(f"/memberships/{membership.pk}/remove/")
    assert not Membership.objects.filter(pk=membership.pk).exists()


def test_a_population_is_described(client_of, team):
    client = client_of(team.steward)
    first = client.post("/populations/new/", {"name": "Adults"}).url
    text = client.get(first).content.decode()
    assert "Adults" in text
    assert "nothing can be decided" in text
    other = factories.make_population(team)
    assert client.post(f"{first}overlaps/", {"other": str(other.pk), "reason": "Why."}).status_code == 403


@pytest.mark.parametrize(("who", "status"), [("analyst", 403), ("outsider", 403)])
def test_only_stewards_and_admins_describe_populations(client_of, team, who, status):
    assert client_of(team.persona(who)).get("/populations/new/").status_code == status


def test_populations_are_hidden_from_people_without_a_project(client_of, team):
    population = factories.make_population(team)
    assert client_of(team.outsider).get(f"/populations/{population.pk}/").status_code == 404
