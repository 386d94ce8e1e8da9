"""Files in a store far away, a real worker, and a line that breaks."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.test import override_settings
from django.urls import reverse

from stewardapp import storage
from stewardapp.actions import releases
from stewardapp.models import Artifact, Assessment, JobState, Release, Run
from tests import s3
from tests.factories import make_run, vote
from tests.faults.invariants import CANARY, broken
from tests.faults.world import World, ended
from tests.integration.url_scene import browser
from tests.s3 import Line
from tests.site import Site, until


@pytest.fixture
def line(embedded_site: Site, s3_server: str) -> Iterator[Line]:
    """The site keeps its files behind it."""
    with Line(s3_server).open() as line:
        wanted = s3.wanted(line.address)
        embedded_site.more |= s3.in_environment(wanted)
        with override_settings(**wanted):
            yield line


def published(world: World) -> Release:
    """With a run that a worker made, and whatever else was demanded of it."""
    by = world.team.steward
    release = releases.describe(release=world.release(), purpose="To see who is ill where.", by=by)
    run = make_run(release, by=by)
    assert ended(run) == JobState.SUCCEEDED, run.error_message
    release = releases.submit(release=release, run=run, by=by)
    until(
        lambda: not Assessment.objects.open_demands().filter(run=run).exists(),
        60,
        "what was demanded is there",
    )
    release = vote(world.team, Release.objects.get(pk=release.pk), "approve")
    return releases.publish(release=release, manifest_sha256=release.candidate_sha256, by=by)


def downloaded(artifact: Artifact, persona: object, part: str = "") -> bytes:
    address = reverse("artifact-download", args=[artifact.pk])
    answer = browser(persona).get(address, headers={"range": part} if part else {})
    assert answer.status_code == (206 if part else 200)
    return b"".join(answer.streaming_content)  # type: ignore[attr-defined]


def test_a_file_goes_all_the_way_over_the_store(embedded_site: Site, line: Line, s3_server: str) -> None:
    """Also while it is away, and while it loses what it was sent: nothing is lost, nothing is there twice."""
    world = World.make(embedded_site)
    artifact = published(world).candidate.artifacts.get(name="release.csv")  # type: ignore[union-attr]
    whole = downloaded(artifact, world.team.analyst)
    assert hashlib.sha256(whole).hexdigest() == artifact.sha256
    assert downloaded(artifact, world.team.analyst, "bytes=5-14") == whole[5:15]
    assert not (embedded_site.data / storage.BLOBS).exists()

    line.rule = lambda method, path: "away"
    waiting = make_run(world.release(k=4), by=world.team.steward)
    given_back = Run.objects.queued().filter(pk=waiting.pk, fence__gt=0)
    until(given_back.exists, 60, "the worker finds that the store is away")
    line.rule = lambda method, path: "lost" if method == "PUT" and len(line.asked) % 2 else ""
    assert ended(waiting) == JobState.SUCCEEDED, waiting.error_message
    assert Run.objects.get(pk=waiting.pk).attempts == 1

    line.rule = lambda method, path: ""
    assert broken() == []
    assert not [path for path in s3.files(s3_server) if CANARY.encode() in path.read_bytes()]
    assert Path(embedded_site.data / storage.COPIES).is_dir()
