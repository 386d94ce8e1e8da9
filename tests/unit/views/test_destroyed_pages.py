"""Pages of releases, runs and questions whose data were destroyed: they read, and say so."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from stewardapp.access.workflow import State
from stewardapp.actions import hierarchies, releases, versions
from stewardapp.canonical import sha256_of
from stewardapp.domain.recipe import recipe_of
from stewardapp.models import Release
from tests import factories
from tests.factories import Team

pytestmark = pytest.mark.django_db
Browser = Callable[[str], Client]
GONE = "The data were destroyed."
TABS = ("overview", "risk", "utility", "recipe", "files")


@pytest.fixture
def destroy(team: Team, django_capture_on_commit_callbacks: Any) -> Callable[..., None]:
    """Destroy the data for good: their keys too, which go after the commit."""

    def destroyed(version: Any) -> None:
        with django_capture_on_commit_callbacks(execute=True):
            versions.destroy(version=version, reason="Asked for.", by=team.admin)

    return destroyed


def pages(release: Release) -> list[str]:
    """Everything about a release, its runs and its data."""
    names = ("release-detail", "release-configure", "release-map", "release-progress", "release-export")
    found = [reverse(name, args=[release.pk]) for name in names]
    for run in release.runs.all():
        found += [reverse("run-detail", args=[run.pk]) + f"?tab={tab}" for tab in TABS]
    if release.candidate_id:
        found.append(reverse("review-detail", args=[release.pk]))
    of_version = ("version-detail", "version-columns", "version-hierarchies", "version-identifying")
    found += [reverse(name, args=[release.version_id]) for name in of_version]
    for column in release.version.columns.all():
        found += [reverse(name, args=[column.pk]) for name in ("column-hierarchy", "column-settings")]
    return found


@pytest.mark.parametrize("state", [State.DRAFT, State.PUBLISHED, State.REVOKED, State.WITHDRAWN])
def test_every_page_reads_after_the_data_were_destroyed(
    state: State, team: Team, browse: Browser, destroy: Callable[..., None]
) -> None:
    release = factories.make_release(team, state=state)
    factories.make_succeeded_run(release) if state == State.DRAFT else None
    destroy(release.version)
    release = Release.objects.get(pk=release.pk)
    assert release.recipe == {}
    for page in pages(release):
        answer = browse("steward").get(page)
        assert answer.status_code in (200, 403, 409), page
    for page in (reverse("release-detail", args=[release.pk]), *pages_of_runs(release)):
        assert GONE in browse("steward").get(page).content.decode(), page


def pages_of_runs(release: Release) -> list[str]:
    return [reverse("run-detail", args=[run.pk]) for run in release.runs.all()]


def test_what_others_have_is_still_theirs(team: Team, browse: Browser, destroy: Callable[..., None]) -> None:
    release = factories.make_release(team, state=State.PUBLISHED)
    names = ("catalogue-detail", "catalogue-certificate", "catalogue-manifest")
    public = [reverse(name, args=[release.public_id]) for name in names]
    assert release.candidate is not None
    assert sha256_of(release.candidate.manifest) == release.candidate_sha256
    before = [browse("analyst").get(page) for page in public]
    destroy(release.version)
    after = [browse("analyst").get(page) for page in public]
    assert [page.status_code for page in after] == [page.status_code for page in before] == [200] * 3
    assert after[-1].content == before[-1].content
    file = reverse("artifact-download", args=[release.candidate.artifacts.get(name="release.csv").pk])
    assert b"".join(browse("analyst").get(file).streaming_content) == factories.RELEASED_CSV


def test_a_question_and_its_answer_go_with_the_data(
    team: Team, browse: Browser, destroy: Callable[..., None]
) -> None:
    desk = factories.make_desk(team)
    query = factories.make_stored_answer(desk, team.analyst)
    destroy(desk.version)
    for persona in ("analyst", "steward"):
        for page in (reverse("desk-detail", args=[desk.pk]), reverse("question-detail", args=[query.pk])):
            answer = browse(persona).get(page)
            assert answer.status_code == 200, page
            assert GONE in answer.content.decode()


def test_a_kept_hierarchy_outlives_its_version(
    team: Team, browse: Browser, destroy: Callable[..., None]
) -> None:
    version, lines = factories.make_version(team), "1011;101*;*\n1012;101*;*"
    made = {"project": team.project, "version": version, "lines": lines, "by": team.steward}
    kept, lost = (hierarchies.create(name=name, **made) for name in ("kept", "lost"))
    hierarchies.attach(column=version.columns.get(name="zip"), hierarchy=kept, by=team.steward)
    page = reverse("hierarchy-detail", args=[kept.pk])
    assert "Keep as the project" in browse("steward").get(page).content.decode()
    assert browse("steward").post(reverse("hierarchy-keep", args=[kept.pk])).status_code == 302
    assert "It is the project" in browse("steward").get(page).content.decode()
    destroy(version)
    kept.refresh_from_db()
    lost.refresh_from_db()
    assert (kept.lines, lost.lines) == (lines, "")
    gone = browse("steward").get(reverse("hierarchy-detail", args=[lost.pk])).content.decode()
    assert "destroyed with the version" in gone
    later = factories.make_version(team, dataset=version.dataset)
    assert later.earlier_hierarchies() == {"zip": kept}
    hierarchies.reuse(version=later, hierarchies=later.earlier_hierarchies(), by=team.steward)
    release = releases.create(version=later, title="Next", recipe=factories.RECIPE, by=team.steward)
    assert recipe_of(release)["columns"]["zip"]["hierarchy"] == lines.splitlines()
