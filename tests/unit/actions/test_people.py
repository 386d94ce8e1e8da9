"""Accounts, projects, members, policies, populations, datasets: what is refused and why."""

from decimal import Decimal
from typing import Any

import pytest
from allauth.mfa.models import Authenticator

from stewardapp.access.verdict import Conflict, Invalid, NotAllowed
from stewardapp.actions import (
    accounts,
    datasets,
    inbox,
    memberships,
    policies,
    populations,
    projects,
    proposals,
)
from stewardapp.models import AuditEvent, Dataset, Notification, Policy, Population, Project, User
from tests import factories, factors

pytestmark = pytest.mark.django_db


@pytest.fixture
def team() -> factories.Team:
    return factories.make_project()


def new_account(team: factories.Team, **changes: Any) -> User:
    return accounts.create(**{"username": "new", "password": factories.PASSWORD, "by": team.admin, **changes})


def test_accounts_are_made_by_admins_only(team: factories.Team) -> None:
    with pytest.raises(NotAllowed, match="administrator"):
        new_account(team, by=team.steward)
    made = new_account(team, first_name=" Ana ", is_admin=True)
    assert (made.first_name, made.is_admin) == ("Ana", True)
    assert made.check_password(factories.PASSWORD)


def test_an_account_may_begin_without_a_password(team: factories.Team) -> None:
    made = new_account(team, password=None)
    assert not made.has_usable_password()
    assert not made.check_password("")


@pytest.mark.parametrize(
    ("changes", "param"),
    [
        ({"username": "  "}, "username"),
        ({"username": "x" * 151}, "username"),
        ({"username": "a\x00b"}, "username"),
        ({"password": "short"}, "password"),
        ({"email": "x" * 255}, "email"),
    ],
)
def test_accounts_with_bad_input_name_the_field(
    team: factories.Team, changes: dict[str, str], param: str
) -> None:
    with pytest.raises(Invalid) as caught:
        new_account(team, **changes)
    assert caught.value.param == param
    assert not User.objects.filter(username="new").exists()


def test_a_name_is_taken_once(team: factories.Team) -> None:
    with pytest.raises(Invalid, match="Another account"):
        new_account(team, username=team.steward.username)


def test_the_first_admin_is_made_once(team: factories.Team) -> None:
    with pytest.raises(Conflict):
        accounts.create_first_admin(username="another", password=factories.PASSWORD)


def test_a_lost_administration_is_recovered_and_everybody_told(
    team: factories.Team, django_capture_on_commit_callbacks: Any
) -> None:
    Authenticator.objects.filter(user=team.admin).delete()
    factors.give(team.admin)
    with django_capture_on_commit_callbacks(execute=True):
        found = accounts.recover(username=team.admin.username, password="another long walk")
    assert found.pk == team.admin.pk
    assert found.check_password("another long walk")
    assert found.session_epoch > team.admin.session_epoch
    assert not Authenticator.objects.filter(user=found).exists()
    event = AuditEvent.objects.latest("id")
    assert (event.action, event.actor, event.subject_id) == ("account.recovered", None, found.pk)
    told = set(Notification.objects.filter(text__contains="shell").values_list("user", flat=True))
    assert told == set(User.objects.values_list("pk", flat=True))
    assert accounts.recover(username="somebody-else", password=factories.PASSWORD).is_admin
    with pytest.raises(Invalid):
        accounts.recover(username="third", password="short")


def test_a_lost_factor_is_taken_away_by_another_administrator(
    team: factories.Team, django_capture_on_commit_callbacks: Any
) -> None:
    with pytest.raises(Conflict, match="no second factor"):
        accounts.remove_factors(user=team.reviewer, by=team.admin)
    factors.give(team.reviewer)
    with pytest.raises(NotAllowed):
        accounts.remove_factors(user=team.reviewer, by=team.steward)
    with pytest.raises(Invalid, match="another administrator"):
        accounts.remove_factors(user=team.admin, by=team.admin)
    with django_capture_on_commit_callbacks(execute=True):
        changed = accounts.remove_factors(user=team.reviewer, by=team.admin)
    assert not changed.has_second_factor
    assert changed.session_epoch > team.reviewer.session_epoch
    told = Notification.objects.filter(text__contains="reset the second factor")
    assert set(told.values_list("user", flat=True)) == {team.reviewer.pk, team.admin.pk}


def test_admins_do_not_shut_themselves_out(team: factories.Team) -> None:
    with pytest.raises(Invalid, match="another administrator"):
        accounts.deactivate(user=team.admin, by=team.admin)
    with pytest.raises(Invalid):
        accounts.change(user=team.admin, is_admin=False, by=team.admin)
    assert accounts.change(user=team.admin, is_admin=True, by=team.admin).is_admin
    promoted = accounts.change(user=team.analyst, is_admin=True, email="a@example.org", by=team.admin)
    assert (promoted.is_admin, promoted.email) == (True, "a@example.org")


def test_deactivating_and_reactivating(team: factories.Team) -> None:
    with pytest.raises(Conflict):
        accounts.reactivate(user=team.analyst, by=team.admin)
    accounts.deactivate(user=team.analyst, by=team.admin)
    with pytest.raises(Conflict):
        accounts.deactivate(user=team.analyst, by=team.admin)
    team.analyst.refresh_from_db()
    assert not Project.objects.visible_to(team.analyst)
    assert not team.project.person(team.analyst).signed_in
    assert accounts.reactivate(user=team.analyst, by=team.admin).is_active


def test_a_password_is_taken_away_and_another_chosen_once(team: factories.Team) -> None:
    without = accounts.reset_password(user=team.analyst, by=team.admin)
    assert not without.has_usable_password()
    seen = User.objects.get(pk=without.pk)
    with pytest.raises(Invalid):
        accounts.choose_password(password="12345678", by=without)
    chosen = accounts.choose_password(password="a quite other walk", by=without)
    assert chosen.check_password("a quite other walk")
    with pytest.raises(Conflict, match="used before"):
        accounts.choose_password(password="a third long walk", by=seen)
    chosen.refresh_from_db()
    assert chosen.check_password("a quite other walk")


def test_who_is_shut_out_chooses_no_password(team: factories.Team) -> None:
    without = accounts.reset_password(user=team.analyst, by=team.admin)
    accounts.deactivate(user=team.analyst, by=team.admin)
    with pytest.raises(Conflict):
        accounts.choose_password(password="a quite other walk", by=without)


def test_nobody_takes_their_own_password_away(team: factories.Team) -> None:
    with pytest.raises(Invalid, match="another administrator"):
        accounts.reset_password(user=team.admin, by=team.admin)


def test_only_known_changes_of_ones_own_account_are_noted(team: factories.Team) -> None:
    with pytest.raises(Invalid):
        accounts.note_own_change(change="name-forgotten", factor="totp", by=team.analyst)


def test_projects_begin_with_a_policy(team: factories.Team) -> None:
    project = projects.create(name=" Cohort ", description="Many people.", by=team.admin)
    assert (project.name, project.policy.version, project.policy.demanded[0].bound) == ("Cohort", 1, 5)
    with pytest.raises(Invalid, match="Another project"):
        projects.create(name="Cohort", by=team.admin)
    with pytest.raises(NotAllowed):
        projects.create(name="Mine", by=team.steward)


def test_renaming(team: factories.Team) -> None:
    renamed = projects.rename(project=team.project, name="Panel", description="Fewer people.", by=team.admin)
    assert (renamed.name, renamed.description) == ("Panel", "Fewer people.")
    assert projects.rename(project=team.project, name="Other", by=team.admin).description == "Fewer people."


def test_roles_are_given_once_to_people_who_are_there(
    team: factories.Team, django_capture_on_commit_callbacks: Any
) -> None:
    add = {"project": team.project, "by": team.admin}
    with pytest.raises(Conflict):
        memberships.add(user=team.steward, role="steward", **add)
    with pytest.raises(Invalid, match="steward, reviewer or analyst"):
        memberships.add(user=team.outsider, role="owner", **add)
    with django_capture_on_commit_callbacks(execute=True):
        memberships.add(user=team.outsider, role="reviewer", **add)
    assert "reviewer" in Notification.objects.visible_to(team.outsider).get().text
    accounts.deactivate(user=team.analyst, by=team.admin)
    team.analyst.refresh_from_db()
    with pytest.raises(Invalid, match="deactivated"):
        memberships.add(user=team.analyst, role="reviewer", **add)


def test_a_role_is_taken_back_once(team: factories.Team) -> None:
    membership = team.project.memberships.get(user=team.analyst)
    memberships.remove(membership=membership, by=team.admin)
    with pytest.raises(Conflict):
        memberships.remove(membership=membership, by=team.admin)


def test_notifications_are_marked_read_by_their_owner(
    team: factories.Team, django_capture_on_commit_callbacks: Any
) -> None:
    with django_capture_on_commit_callbacks(execute=True):
        memberships.add(project=team.project, user=team.outsider, role="reviewer", by=team.admin)
        memberships.add(project=team.project, user=team.outsider, role="analyst", by=team.admin)
    assert inbox.mark_read(by=team.admin) == 0
    assert inbox.mark_read(by=team.outsider) == 2
    assert not Notification.objects.unread().filter(user=team.outsider)


def revised(team: factories.Team, **changes: Any) -> Policy:
    rules = {
        "reviewers": 1,
        "retention_days": 90,
        "maximum_epsilon_micro": 0,
        "require_second_factor": False,
        "by": team.admin,
    }
    return policies.revise(project=team.project, **{**rules, **changes})


def test_the_bound_of_local_promises_is_a_number_or_none(team: factories.Team) -> None:
    assert revised(team, maximum_local_epsilon=None).maximum_local_epsilon is None
    assert revised(team, maximum_local_epsilon=Decimal("1.23456")).maximum_local_epsilon == Decimal("1.2346")
    for wrong in ("-0.1", "1000.1", "NaN"):
        with pytest.raises(Invalid, match="between 0 and 1000"):
            revised(team, maximum_local_epsilon=Decimal(wrong))


def test_a_policy_is_revised_not_changed(team: factories.Team) -> None:
    before = team.project.policy
    after = revised(team, rows=factories.demands(k=10), replaces=before.version)
    assert (after.version, team.project.policy.demanded[0].bound) == (before.version + 1, 10)
    with pytest.raises(Conflict):
        revised(team, replaces=before.version)
    with pytest.raises(TypeError):
        before.save()
    with pytest.raises(NotAllowed):
        revised(team, by=team.steward)


@pytest.mark.parametrize(
    ("param", "value"),
    [
        ("reviewers", 4),
        ("retention_days", 0),
        ("maximum_epsilon_micro", -1),
    ],
)
def test_a_policy_out_of_range_names_the_field(team: factories.Team, param: str, value: object) -> None:
    with pytest.raises(Invalid) as caught:
        revised(team, **{param: value})
    assert caught.value.param == param


def test_populations_are_named_once_and_overlap_once(team: factories.Team) -> None:
    one = populations.create(name="Residents", by=team.steward)
    other = populations.create(name="Patients", by=team.admin)
    with pytest.raises(Invalid, match="Another population"):
        populations.create(name="Residents", by=team.steward)
    with pytest.raises(NotAllowed):
        populations.create(name="Mine", by=team.analyst)
    factories.declare_overlap(team, one, other)
    assert other.overlaps.get() == one
    with pytest.raises(Conflict, match="already declared"):
        proposals.propose_overlap(population=other, other=one, reason="Why.", by=team.steward)
    with pytest.raises(Invalid):
        proposals.propose_overlap(population=one, other=one, reason="Why.", by=team.steward)
    assert set(Population.objects.visible_to(team.analyst)) == {one, other}
    assert set(Population.objects.visible_to(team.admin)) == {one, other}
    assert not Population.objects.visible_to(team.outsider)


def test_datasets_are_named_once_in_a_project(team: factories.Team) -> None:
    population = populations.create(name="Residents", by=team.steward)
    make = {"project": team.project, "population": population, "name": "Survey"}
    dataset = datasets.create(**make, by=team.steward)
    assert not dataset.versions.exists()
    with pytest.raises(Invalid, match="new version"):
        datasets.create(**make, by=team.steward)
    with pytest.raises(NotAllowed, match="do not read data"):
        datasets.create(**make, by=team.admin)
    assert Dataset.objects.visible_to(team.reviewer).get() == dataset
    assert not Dataset.objects.visible_to(team.analyst)
