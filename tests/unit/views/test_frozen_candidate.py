"""What was submitted cannot change beneath its reviewers: every page of it reads from the run."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import zip_longest

import pytest
from django.test import Client
from django.urls import reverse

from stewardapp.actions import columns, hierarchies, releases
from stewardapp.domain.recipe import recipe_of
from stewardapp.models import Column, Release
from stewardapp.presenters.run_pages import TABS
from tests import factories
from tests.factories import Team

Browser = Callable[[str], Client]
CHANGING = re.compile(
    rb'(name="csrfmiddlewaretoken" value|nonce|<time[^>]*)="[^"]*"|why-\w+|[0-9.]+ (ms|seconds ago)'
)


@pytest.fixture
def candidate(team: Team) -> Release:
    version = factories.make_version(team)
    columns.describe(version=version, name="age", label="Age in years", by=team.steward)
    Column.objects.filter(version=version, name="illness").update(
        randomized={"true": 3, "other": 1, "categories": 2}
    )
    release = factories.make_release(team, version=version)
    factories.make_succeeded_run(release)
    return factories.submit(release, team.steward)


def pages(release: Release) -> list[str]:
    """Everything a reviewer reads about a candidate."""
    run = release.candidate
    assert run is not None
    first = release.runs.order_by("number")[0]
    tabs = [f"{reverse('run-detail', args=[run.pk])}?tab={tab}" for tab in TABS]
    return [
        reverse("review-detail", args=[release.pk]),
        *tabs,
        reverse("run-explorer", args=[run.pk]),
        reverse("run-compare", args=[first.pk, run.pk]),
    ]


def published_pages(release: Release) -> list[str]:
    names = ("catalogue-detail", "catalogue-certificate", "catalogue-manifest")
    run = release.candidate
    assert run is not None
    files = [reverse("artifact-download", args=[one.pk]) for one in run.artifacts.public()]
    return [*(reverse(name, args=[release.public_id]) for name in names), *files]


def seen(client: Client, urls: list[str]) -> dict[str, list[bytes]]:
    found = {}
    for url in urls:
        answer = client.get(url)
        assert answer.status_code == 200, url
        content = b"".join(answer) if answer.streaming else answer.content
        found[url] = CHANGING.sub(b"", content).splitlines()
    return found


def changed(before: dict[str, list[bytes]], after: dict[str, list[bytes]]) -> list[tuple[str, bytes, bytes]]:
    """Which lines of which page are not what they were."""
    return [
        (url, old, new)
        for url, lines in before.items()
        for old, new in zip_longest(lines, after[url], fillvalue=b"")
        if old != new
    ]


def change_everything(team: Team, release: Release) -> None:
    """Read the bytes otherwise, take a column away, say something else of all that is left."""
    factories.read_again(release.version, team.co_steward)
    version = type(release.version).objects.get(pk=release.version_id)
    columns.tag(version=version, roles={"age": "other", "illness": "direct-identifier"}, by=team.co_steward)
    columns.describe(
        version=version, name="age", label="Something else", settings={"bounds": [1, 2]}, by=team.co_steward
    )
    Column.objects.filter(version=version).update(randomized={})
    made = hierarchies.create(
        project=team.project, name="Other", spec={"builder": "mask"}, by=team.co_steward
    )
    hierarchies.attach(column=version.columns.get(name="age"), hierarchy=made, by=team.co_steward)


def test_no_byte_a_reviewer_reads_changes(team: Team, candidate: Release, browse: Browser) -> None:
    client = browse("reviewer")
    before, sha256 = seen(client, pages(candidate)), candidate.candidate_sha256
    change_everything(team, candidate)
    candidate.refresh_from_db()
    assert changed(before, seen(client, pages(candidate))) == []
    assert candidate.candidate_sha256 == sha256
    assert recipe_of(candidate) != candidate.candidate.recipe  # or nothing was changed


def test_it_is_approved_and_published_as_it_was_read(team: Team, candidate: Release, browse: Browser) -> None:
    sha256 = candidate.candidate_sha256
    change_everything(team, candidate)
    release = factories.vote(team, candidate, "approve")
    release = releases.publish(release=release, manifest_sha256=sha256, by=team.steward)
    client = browse("analyst")
    before = seen(client, published_pages(release))
    assert b"Age in years" in b"".join(before[published_pages(release)[0]])
    factories.read_again(release.version, team.co_steward, b"a third table", factories.PROFILE)
    change_labels = {"version": release.version, "name": "age", "label": "Third", "by": team.co_steward}
    columns.describe(**change_labels)
    assert changed(before, seen(client, published_pages(release))) == []
