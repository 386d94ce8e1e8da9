"""What is downloaded is what was approved, or nothing."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from typing import Any, cast

import pytest
from django.test import Client
from django.urls import reverse

from stewardapp.access.workflow import Audience, State
from stewardapp.models import Artifact, Download, Release, Run
from tests import factories
from tests.factories import Team

pytestmark = pytest.mark.django_db
Browser = Callable[[str], Client]


def file_of(release: Release) -> Artifact:
    assert release.candidate is not None
    return release.candidate.artifacts.public().get()


def address(artifact: Artifact) -> str:
    return reverse("artifact-download", args=[artifact.pk])


def body(answer: Any) -> bytes:
    return b"".join(cast(Iterable[bytes], answer.streaming_content))


def test_the_bytes_are_the_approved_ones_and_the_download_is_recorded(team: Team, browse: Browser) -> None:
    artifact = file_of(factories.make_release(team, state=State.PUBLISHED))
    answer = browse("analyst").get(address(artifact))
    got = body(answer)
    assert got == factories.RELEASED_CSV
    assert hashlib.sha256(got).hexdigest() == artifact.sha256
    assert answer.headers["Content-Length"] == str(len(got))
    assert answer.headers["Content-Disposition"].startswith("attachment")
    download = Download.objects.get()
    assert (download.user, download.sha256) == (team.analyst, artifact.sha256)
    page = browse("analyst").get(reverse("catalogue-detail", args=[artifact.run.release.public_id]))
    assert artifact.sha256 in page.content.decode()


def test_bytes_that_differ_from_the_manifest_are_not_handed_out(team: Team, browse: Browser) -> None:
    release = factories.make_release(team, state=State.PUBLISHED)
    artifact = file_of(release)
    swapped = factories.store(b"age,zip\n34,nowhere\n", artifact.run.key, "swapped")
    Artifact.objects.filter(pk=artifact.pk).update(blob=swapped, sha256=swapped.sha256)
    answer = browse("analyst").get(address(artifact))
    assert answer.status_code == 500
    assert b"nowhere" not in answer.content
    assert not Download.objects.exists()


def test_a_flipped_bit_in_the_store_is_not_handed_out(team: Team, browse: Browser) -> None:
    from stewardapp import storage

    artifact = file_of(factories.make_release(team, state=State.PUBLISHED))
    path = storage.root() / artifact.blob.path
    stored = bytearray(path.read_bytes())
    stored[len(stored) // 2] ^= 1
    path.write_bytes(stored)
    try:
        assert browse("analyst").get(address(artifact)).status_code == 500
    finally:
        stored[len(stored) // 2] ^= 1
        path.write_bytes(stored)
    assert not Download.objects.exists()


def test_a_page_of_changed_bytes_says_so_to_the_reviewer(team: Team, browse: Browser) -> None:
    release = factories.make_release(team, state=State.IN_REVIEW)
    artifact = file_of(release)
    swapped = factories.store(b"age,zip\n34,nowhere\n", artifact.run.key, "swapped again")
    Artifact.objects.filter(pk=artifact.pk).update(blob=swapped)
    page = browse("reviewer").get(reverse("review-detail", args=[release.pk]))
    assert page.context["damaged"]
    assert b"nowhere" not in page.content


@pytest.mark.parametrize("state", [State.DRAFT, State.IN_REVIEW, State.APPROVED])
def test_nobody_has_the_bytes_before_publication(state: State, team: Team, browse: Browser) -> None:
    release = factories.make_release(team, state=state)
    run = factories.make_succeeded_run(release) if state is State.DRAFT else cast(Run, release.candidate)
    artifact = run.artifacts.public().get()
    for persona, status in (("steward", 403), ("reviewer", 403), ("analyst", 404), ("outsider", 404)):
        assert browse(persona).get(address(artifact)).status_code == status, persona
    assert Client().get(address(artifact)).status_code == 302
    assert not Download.objects.exists()


def test_internal_files_never_leave(team: Team, browse: Browser) -> None:
    release = factories.make_release(team, state=State.PUBLISHED)
    assert release.candidate is not None
    internal = release.candidate.artifacts.get(public=False)
    for persona in ("steward", "analyst", "outsider"):
        assert browse(persona).get(address(internal)).status_code == 404, persona


@pytest.mark.parametrize(
    ("audience", "analyst", "outsider", "nobody"),
    [
        (Audience.PROJECT, 200, 404, 302),
        (Audience.SIGNED_IN, 200, 200, 302),
        (Audience.PUBLIC_LINK, 200, 200, 200),
        (Audience.NAMED, 404, 404, 302),
    ],
)
def test_only_the_audience_has_it(
    audience: Audience, analyst: int, outsider: int, nobody: int, team: Team, browse: Browser
) -> None:
    release = factories.make_release(team, state=State.PUBLISHED, audience=audience)
    pages = [address(file_of(release))]
    pages += [
        reverse(name, args=[release.public_id])
        for name in ("catalogue-detail", "catalogue-certificate", "catalogue-manifest")
    ]
    for page in pages:
        assert browse("analyst").get(page).status_code == analyst, page
        assert browse("outsider").get(page).status_code == outsider, page
        assert Client().get(page).status_code == nobody, page


def test_the_public_manifest_holds_nothing_of_the_input(team: Team, browse: Browser) -> None:
    release = factories.make_release(team, state=State.PUBLISHED)
    assert release.candidate is not None
    manifest = browse("analyst").get(reverse("catalogue-manifest", args=[release.public_id]))
    text = manifest.content.decode()
    assert release.version.sha256 not in text
    assert str(release.version.pk) not in text
    assert str(release.public_id) in text
    assert "records.csv" not in text


def test_the_catalogue_finds_by_words(team: Team, browse: Browser) -> None:
    release = factories.make_release(team, state=State.PUBLISHED)
    to = reverse("catalogue-list")
    found = browse("analyst").get(to, {"q": f"{release.title} illness"}).context["page"]
    assert list(found) == [release]
    assert list(browse("analyst").get(to, {"q": "nothing like it"}).context["page"]) == []
    assert list(browse("outsider").get(to).context["page"]) == []
