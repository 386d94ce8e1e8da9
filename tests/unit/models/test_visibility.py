"""Not yours is not there: what each persona sees, noun by noun."""

import uuid
from typing import Any

import pytest
from django.contrib.auth.models import AnonymousUser
from django.db import models
from django.test import TestCase

from stewardapp import models as nouns
from stewardapp.access.roles import Permission
from stewardapp.actions import (
    budgets,
    comments,
    downloads,
    hierarchies,
    ledger,
    looks,
    proposals,
    releases,
    uploads,
)
from stewardapp.domain.familiarity import Found
from stewardapp.models import AuditEvent, Release, Version
from stewardapp.models.membership import person_anywhere
from tests import factories
from tests.scenes import once
from worker.engine.contracts.privacy import Spend

pytestmark = pytest.mark.django_db

TEAM = {"steward", "co_steward", "reviewer", "second_reviewer", "third_reviewer"}
SEES: dict[str, set[str]] = {
    "Project": TEAM | {"analyst", "admin"},
    "Membership": TEAM | {"analyst", "admin"},
    "Policy": TEAM | {"analyst", "admin"},
    "Population": TEAM | {"analyst", "admin"},
    "Allotment": TEAM | {"analyst", "admin"},
    "Allowance": {"steward", "co_steward", "analyst", "admin"},
    "Charge": TEAM | {"analyst", "admin"},
    "Proposal": TEAM | {"analyst", "admin"},
    "Desk": TEAM | {"analyst", "admin"},
    "Query": TEAM | {"analyst"},
    "Dataset": TEAM | {"admin"},
    "Version": TEAM | {"admin"},
    "Column": TEAM,
    "Reading": TEAM,
    "Hierarchy": TEAM,
    "Survey": TEAM | {"admin"},
    "Upload": {"steward"},
    "Release": TEAM | {"admin"},
    "Replay": set(factories.PERSONAS),
    "Run": TEAM | {"admin"},
    "Sweep": TEAM | {"admin"},
    "Preview": TEAM,
    "Artifact": TEAM,
    "Assessment": TEAM | {"admin"},
    "Bookmark": TEAM | {"admin"},
    "Exploration": TEAM | {"admin"},
    "Leak": TEAM | {"admin"},
    "Resemblance": {"steward", "co_steward"},
    "Review": TEAM | {"admin"},
    "Comment": TEAM,
    "Download": TEAM | {"admin"},
    "AuditEvent": TEAM | {"admin"},
    "Notification": {"steward"},
}


def furnished() -> factories.Team:
    """A team with one of everything, and a steward who was told of it."""
    team = factories.make_project()
    with TestCase.captureOnCommitCallbacks(execute=True):
        release = factories.make_release(team, state="published")
    assert release.candidate is not None
    artifact = release.candidate.artifacts.get(name="release.csv")
    factories.make_assessment(release.candidate)
    factories.make_exploration(release.candidate)
    factories.make_bookmark(release.candidate)
    downloads.record(release=release, artifact=artifact, by=team.analyst)
    comments.add(release=release, text="Why?", by=team.steward)
    hierarchies.create(project=team.project, name="h", spec={"builder": "mask"}, by=team.steward)
    factories.make_survey(team)
    factories.make_leak(release.version.dataset.population, team.steward)
    factories.make_replay(team)
    factories.make_preview(factories.make_release(team, version=release.version))
    factories.make_sweep(factories.make_release(team, version=release.version))
    other_people = factories.upload(team, data=factories.CSV + b"40,1017,none\n")
    desk = factories.make_desk(team, version=factories.read(other_people))
    factories.make_query(desk, team.analyst)
    allotment = factories.give_budget(team, release.version.dataset.population, Spend(100))
    budgets.allow(allotment=allotment, user=team.analyst, limit=Spend(10), by=team.steward)
    asked: dict[str, Any] = {"query": uuid.uuid4(), "what": "A count", "by": team.analyst}
    ledger.charge_query(version=release.version, cost=Spend(1), **asked)
    people, others = release.version.dataset.population, desk.version.dataset.population
    more = {"population": others, "limit": Spend.of(3), "reason": "Why."}
    found = [Found(people, release.version, people=100, percent=50)]
    looks.told(proposal=proposals.propose_limit(by=team.steward, **more), found=found, by=team.co_steward)
    uploads.begin(dataset=release.version.dataset, filename="a.csv", length=1, by=team.steward)
    nouns.Notification.objects.exclude(user=team.steward).delete()
    return team


made, team = once(furnished)


def rows(noun: str, user: Any) -> models.QuerySet[Any]:
    found: models.QuerySet[Any] = getattr(nouns, noun).objects.visible_to(user)
    return found


@pytest.mark.parametrize("noun", SEES)
def test_who_sees_what(team: factories.Team, noun: str) -> None:
    found = {persona for persona in factories.PERSONAS if rows(noun, team.persona(persona)).exists()}
    assert found == SEES[noun]
    assert not rows(noun, AnonymousUser()).exists()


@pytest.mark.parametrize("noun", sorted(SEES.keys() - {"Population", "Proposal", "Replay"}))
def test_other_projects_see_nothing(team: factories.Team, noun: str) -> None:
    stranger = factories.make_project()
    own = {"Project", "Membership", "Policy", "AuditEvent"}
    for persona in ("steward", "reviewer", "analyst"):
        seen = rows(noun, stranger.persona(persona))
        assert not seen.filter(**{"pk__in": rows(noun, team.steward).values("pk")}).exists()
        assert noun in own or not seen.exists()


def test_every_noun_with_a_project_is_in_the_table() -> None:
    asked = {
        name
        for name in nouns.__all__
        if hasattr(getattr(getattr(nouns, name), "objects", None), "visible_to")
    }
    assert asked == SEES.keys()


def test_somebody_deactivated_sees_nothing(team: factories.Team) -> None:
    team.steward.is_active = False
    for noun in SEES:
        assert not rows(noun, team.steward).exists()
    assert not Release.objects.in_catalogue_for(team.steward)


def test_private_comments_are_for_independent_reviewers(team: factories.Team) -> None:
    release = Release.objects.get(state="published")
    hidden = comments.add(release=release, text="Hm.", visibility="private", by=team.reviewer)
    assert hidden in rows("Comment", team.second_reviewer)
    for persona in ("steward", "analyst", "admin"):
        assert hidden not in rows("Comment", team.persona(persona))


@pytest.mark.parametrize(
    ("audience", "seen_by"),
    [
        ("project", TEAM | {"analyst"}),
        ("signed-in", set(factories.PERSONAS)),
        ("public-link", set(factories.PERSONAS)),
        ("named", {"outsider"}),
    ],
)
def test_the_catalogue_follows_the_audience(audience: str, seen_by: set[str]) -> None:
    team = factories.make_project()
    release = factories.make_release(team)
    releases.describe(release=release, audience=audience, named=[team.outsider], by=team.steward)
    factories.take_to(team, release, factories.State.PUBLISHED, team.steward)
    found = {
        persona
        for persona in factories.PERSONAS
        if Release.objects.in_catalogue_for(team.persona(persona)).filter(pk=release.pk).exists()
    }
    assert found == seen_by
    assert not Release.objects.in_catalogue_for(AnonymousUser())


def test_questions_about_releases(team: factories.Team) -> None:
    waiting = factories.make_release(team, state="in-review")
    draft = factories.make_release(team)
    assert Release.objects.awaiting_review().get() == waiting
    assert Release.objects.reviewable_by(team.reviewer).get() == waiting
    assert not Release.objects.reviewable_by(team.steward)
    assert not Release.objects.reviewable_by(team.admin)
    assert {waiting, draft} <= set(Release.objects.unfinished())
    assert not Release.objects.unfinished().filter(state="published")
    assert Release.objects.live().get().state == "published"


def test_questions_about_the_rest(team: factories.Team) -> None:
    unread = factories.upload(team)
    assert unread not in Version.objects.ready()
    assert unread in Version.objects.live()
    release = Release.objects.get(state="published")
    assert {event.action for event in AuditEvent.objects.about(release)} >= {"release.created"}
    assert list(nouns.Project.objects.permitting(team.steward, Permission.UPLOAD)) == [team.project]
    assert not nouns.Project.objects.permitting(team.reviewer, Permission.UPLOAD)
    assert [run.state for run in nouns.Run.objects.succeeded()] == ["succeeded"]
    assert [one.name for one in nouns.Artifact.objects.public()] == ["release.csv"]


def test_persons() -> None:
    team = factories.make_project()
    assert team.project.person(team.steward).roles == {"steward"}
    assert not team.project.person(AnonymousUser()).signed_in
    assert person_anywhere(team.reviewer).roles == {"reviewer"}
    assert not person_anywhere(AnonymousUser()).signed_in
    assert team.steward.display_name == team.steward.username
    team.steward.first_name = "Ana"
    assert team.steward.display_name == "Ana"


def test_everything_prints_without_data(team: factories.Team) -> None:
    for noun in (*SEES, "Blob", "DataKey", "Contribution", "AuditHead", "User"):
        for row in getattr(nouns, noun)._base_manager.all():
            assert str(row)
