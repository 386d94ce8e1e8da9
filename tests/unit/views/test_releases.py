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


def pages(release: Release) -> list[str]:
    found = [reverse("release-detail", args=[release.pk]), reverse("release-configure", args=[release.pk])]
    found += [reverse(name, args=[release.pk]) for name in ("release-map", "release-progress")]
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


def test_an_admin_sees_neither_values_of_hierarchies_nor_of_the_data(team: Team, browse: Browser) -> None:
    release = factories.make_release(team, state=State.IN_REVIEW)
    assert browse("steward").get(reverse("release-export", args=[release.pk])).status_code == 200
    assert browse("admin").get(reverse("release-export", args=[release.pk])).status_code == 403
    page = browse("admin").get(reverse("review-detail", args=[release.pk]))
    assert not {"files", "damaged"} & page.context.keys()
    assert b"101*" not in page.content
    files = browse("admin").get(reverse("run-detail", args=[release.candidate_id]) + "?tab=files")
    assert b"<pre" not in files.content


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
