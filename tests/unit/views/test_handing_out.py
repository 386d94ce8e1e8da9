"""A download can be asked about, taken in parts, and checked."""

from __future__ import annotations

import hashlib
from base64 import b64decode
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, cast

import pytest
from django.test import Client
from django.urls import reverse

from stewardapp import storage
from stewardapp.access.workflow import State
from stewardapp.models import Artifact, AuditEvent, Download, Notification
from stewardapp.reads.vitals import vitals
from stewardapp.views import handing_out
from tests import factories
from tests.factories import Team

pytestmark = pytest.mark.django_db
Browser = Callable[[str], Client]
WHOLE = factories.RELEASED_CSV


@pytest.fixture
def artifact(team: Team) -> Artifact:
    release = factories.make_release(team, state=State.PUBLISHED)
    assert release.candidate is not None
    return release.candidate.artifacts.public().get()


@pytest.fixture
def address(artifact: Artifact) -> str:
    return reverse("artifact-download", args=[artifact.pk])


@contextmanager
def flipped(artifact: Artifact) -> Iterator[None]:
    """A bit on the disk turned over."""
    path = storage.root() / artifact.blob.path
    stored = path.read_bytes()
    changed = bytearray(stored)
    changed[len(stored) // 2] ^= 1
    path.write_bytes(changed)
    try:
        yield
    finally:
        path.write_bytes(stored)


def body(answer: Any) -> bytes:
    return b"".join(cast(Iterable[bytes], answer.streaming_content))


def test_the_hash_is_written_as_the_standards_say(browse: Browser, address: str) -> None:
    answer = browse("analyst").get(address)
    hash = hashlib.sha256(body(answer)).digest()
    algorithm, _, written = answer["Repr-Digest"].partition("=")
    assert algorithm == "sha-256"
    assert (written[0], written[-1]) == (":", ":")
    assert b64decode(written[1:-1], validate=True) == hash
    assert b64decode(answer["Digest"].removeprefix("SHA-256="), validate=True) == hash


def test_head_is_told_everything_and_is_no_download(browse: Browser, address: str) -> None:
    told, got = browse("analyst").head(address), browse("analyst").get(address)
    for name in (
        "Content-Length",
        "Content-Type",
        "Content-Disposition",
        "Repr-Digest",
        "ETag",
        "Accept-Ranges",
    ):
        assert told[name] == got[name], name
    assert told.content == b""
    assert Download.objects.count() == 1


@pytest.mark.parametrize(("asked", "start", "end"), [("0-4", 0, 5), ("3-", 3, None), ("-6", -6, None)])
@pytest.mark.parametrize("piece", [2, 1 << 20])
def test_a_part_is_those_bytes(
    asked: str, start: int, end: int | None, piece: int, browse: Browser, address: str, monkeypatch: Any
) -> None:
    monkeypatch.setattr(handing_out, "CHUNK", piece)
    answer = browse("analyst").get(address, headers={"Range": f"bytes={asked}"})
    expected = WHOLE[start:end]
    first = start % len(WHOLE)
    assert (answer.status_code, body(answer)) == (206, expected)
    assert answer["Content-Length"] == str(len(expected))
    assert answer["Content-Range"] == f"bytes {first}-{first + len(expected) - 1}/{len(WHOLE)}"
    event = AuditEvent.objects.filter(action="release.downloaded").latest("id")
    assert event.details["part"] == answer["Content-Range"]


def test_parts_put_together_are_the_whole(browse: Browser, address: str) -> None:
    parts = [
        body(browse("analyst").get(address, headers={"Range": f"bytes={at}-{at + 6}"}))
        for at in range(0, len(WHOLE), 7)
    ]
    assert b"".join(parts) == WHOLE


def test_beyond_the_end_there_is_nothing(browse: Browser, address: str) -> None:
    answer = browse("analyst").get(address, headers={"Range": f"bytes={len(WHOLE)}-"})
    assert (answer.status_code, answer.content) == (416, b"")
    assert answer["Content-Range"] == f"bytes */{len(WHOLE)}"
    assert not Download.objects.exists()


def test_who_began_with_another_file_is_given_the_whole(browse: Browser, address: str) -> None:
    tag = browse("analyst").head(address)["ETag"]
    for condition, status in ((tag, 206), ('"another"', 200)):
        sent = {"Range": "bytes=0-1", "If-Range": condition}
        assert browse("analyst").get(address, headers=sent).status_code == status


@pytest.mark.parametrize("sent", [{}, {"Range": "bytes=0-0"}])
def test_no_byte_of_a_damaged_file_leaves(
    sent: dict[str, str], artifact: Artifact, browse: Browser, address: str
) -> None:
    with flipped(artifact):
        for ask in (browse("analyst").get, browse("analyst").head):
            assert ask(address, headers=sent).status_code == 500
    assert not Download.objects.exists()


def test_damage_is_told_once_and_seen_until_it_is_mended(
    team: Team, artifact: Artifact, browse: Browser, address: str, django_capture_on_commit_callbacks: Any
) -> None:
    page = reverse("catalogue-detail", args=[artifact.run.release.public_id])

    def ask(status: int) -> tuple[int, bool, int]:
        """How many are damaged, whether the page says so, and how many lines wait."""
        with django_capture_on_commit_callbacks(execute=True):
            assert browse("analyst").get(address).status_code == status
        noted = vitals().noted
        assert noted is not None
        told = Notification.objects.filter(url=page)
        assert {line.user for line in told}.isdisjoint({team.analyst, team.outsider})
        said = "Damaged." in browse("analyst").get(page).content.decode()
        return noted.damaged, said, told.filter(user__in=[team.steward, team.reviewer]).count()

    assert ask(200) == (0, False, 0)
    with flipped(artifact):
        assert ask(500) == (1, True, 2)
        assert ask(500) == (1, True, 2)
    assert ask(200) == (0, False, 4)
