"""The pages of a release as its owner, a teammate and an outsider see them."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.test import Client
from django.urls import reverse

from stewardapp.access.workflow import State
from stewardapp.models import Release
from tests import factories
from tests.factories import Team

pytestmark = pytest.mark.django_db
Browser = Callable[[str], Client]


@pytest.fixture
def team() -> Team:
    return factories.make_project()


@pytest.fixture
def browse(team: Team) -> Browser:
    def signed_in(persona: str) -> Client:
        client = Client()
        client.force_login(
            team.persona(persona), backend="allauth.account.auth_backends.AuthenticationBackend"
        )
        return client

    return signed_in


def pages(release: Release) -> list[str]:
    found = [reverse("release-detail", args=[release.pk]), reverse("release-configure", args=[release.pk])]
    found += [reverse("release-export", args=[release.pk]), reverse("release-map", args=[release.pk])]
    if release.candidate_id:
        run = reverse("run-detail", args=[release.candidate_id])
        found += [f"{run}?tab={tab}" for tab in ("overview", "risk", "utility", "recipe", "files")]
        found.append(reverse("review-detail", args=[release.pk]))
    return found


@pytest.mark.parametrize("state", list(State))
def test_every_page_of_a_release_reads_in_every_state(state: State, team: Team, browse: Browser) -> None:
    release = factories.make_release(team, state=state)
    for persona in ("steward", "co_steward", "reviewer", "admin"):
        for page in pages(release):
            assert browse(persona).get(page).status_code == 200, (persona, page)


def test_a_stranger_and_an_analyst_find_nothing(team: Team, browse: Browser) -> None:
    release = factories.make_release(team, state=State.IN_REVIEW)
    for persona in ("outsider", "analyst"):
        for page in pages(release):
            assert browse(persona).get(page).status_code == 404, (persona, page)


@pytest.mark.parametrize(
    "name", ["release-list", "release-create", "review-list", "catalogue-list", "method-list", "audit-list"]
)
def test_lists_read_when_they_are_empty_and_when_not(name: str, team: Team, browse: Browser) -> None:
    assert browse("outsider").get(reverse(name)).status_code == 200
    release = factories.make_release(team, state=State.PUBLISHED)
    page = browse("steward").get(reverse(name))
    assert page.status_code == 200
    if name == "release-list":
        assert release.title in page.content.decode()
