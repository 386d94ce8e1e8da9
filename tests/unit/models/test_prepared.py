"""Questions whose SQL is written once."""

from __future__ import annotations

import uuid
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

import pytest
from django.contrib.auth.models import AnonymousUser
from django.db import connections
from django.db.models import QuerySet
from django.utils import timezone

from stewardapp.models import Membership, Project, Release, User
from stewardapp.models.prepared import HOW_MANY, prepared
from tests import factories

if TYPE_CHECKING:
    from stewardapp.models.user import AnyUser

pytestmark = pytest.mark.django_db
written: list[str] = []


@prepared
def projects_seen(user: AnyUser, archived: bool = False) -> QuerySet[Project]:
    written.append(str(archived))
    return Project.objects.visible_to(user).order_by("name")


@prepared
def roles_in(project: uuid.UUID, user: uuid.UUID, role: str) -> QuerySet[Membership]:
    found = Membership.objects.filter(project=project, user=user, role=role)
    return found.select_related("project").prefetch_related("user")


def test_answers_are_those_of_django_for_whoever_asks_and_the_sql_is_written_once():
    one, other = factories.make_project(), factories.make_project()
    written.clear()
    for user in (one.steward, other.steward, one.reviewer, one.steward):
        assert projects_seen(user) == list(Project.objects.visible_to(user).order_by("name"))
    assert written == ["False"]


def test_whoever_administers_asks_a_question_of_their_own_and_a_stranger_none():
    team = factories.make_project()
    assert projects_seen(team.steward) == [team.project]
    admin = User(is_staff=True)
    assert projects_seen(admin) == list(Project.objects.order_by("name"))
    assert projects_seen(User(is_active=False)) == projects_seen(AnonymousUser()) == []
    assert projects_seen(User()) == []


def test_what_belongs_to_the_rows_comes_along():
    team = factories.make_project()
    (found,) = roles_in(team.project.pk, team.steward.pk, "steward")
    assert found.project.name == team.project.name
    assert found.user == team.steward
    assert roles_in(team.project.pk, team.steward.pk, "reviewer") == []
    assert roles_in(uuid.uuid4(), team.steward.pk, "steward") == []


def test_rows_are_counted():
    team = factories.make_project()

    @prepared
    def how_many(project: uuid.UUID) -> QuerySet[Membership, int]:
        return Membership.objects.filter(project=project).order_by().values_list(HOW_MANY, flat=True)

    assert how_many(team.project.pk) == [team.project.memberships.count()]


def test_what_it_is_about_is_used_as_it_is():
    @prepared
    def starting(title: str) -> QuerySet[Release]:
        return Release.objects.filter(title__startswith=title)

    @prepared
    def anything(_user: User) -> QuerySet[Release]:
        return Release.objects.all()

    with pytest.raises(TypeError, match="as it is"):
        starting("Health")
    with pytest.raises(TypeError, match="as it is"):
        anything(User())


def test_a_moment_is_put_in():
    team = factories.make_project()

    @prepared
    def since(project: uuid.UUID, moment: datetime) -> QuerySet[Membership]:
        return Membership.objects.filter(project=project, created_at__gte=moment)

    now = timezone.now()
    assert len(since(team.project.pk, now - timedelta(hours=1))) == team.project.memberships.count()
    assert since(team.project.pk, now + timedelta(hours=1)) == []


def test_no_moment_is_kept():
    @prepared
    def until_now(project: uuid.UUID) -> QuerySet[Release]:
        return Release.objects.filter(project=project, created_at__lte=timezone.now())

    with pytest.raises(TypeError, match="same moment"):
        until_now(uuid.uuid4())


def test_another_database_is_asked_in_its_own_words(monkeypatch: pytest.MonkeyPatch):
    team = factories.make_project()
    projects_seen(team.steward)
    written.clear()
    monkeypatch.setattr(connections["default"], "vendor", "another")
    assert projects_seen(team.steward) == [team.project]
    assert written == ["False"]
