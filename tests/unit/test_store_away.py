"""A store that is away as people and jobs meet it: a sentence, no damage noted, the job waits."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
from django.urls import reverse

from stewardapp import storage
from stewardapp.access.workflow import State
from stewardapp.models import Artifact, JobState
from stewardapp.store_away import AWAY, StoreAway
from stewardapp.stores.folder import Folder
from tests import factories
from tests.factories import Team
from tests.integration.url_scene import browser
from worker.queue import runner

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _own_folder(settings: Any, tmp_path: Path) -> None:
    settings.STEWARD_DATA = tmp_path


@pytest.fixture
def team() -> Team:
    return factories.make_project()


@contextmanager
def away() -> Iterator[None]:
    """Every answer of the store is missing."""
    silent = mock.Mock(side_effect=StoreAway("refused"))
    with mock.patch.multiple(Folder, opened=silent, reading=silent, remove=silent, check=silent):
        yield


def test_a_download_says_so_and_no_damage_is_noted(team: Team) -> None:
    release = factories.make_release(team, state=State.PUBLISHED)
    assert release.candidate is not None
    address = reverse("artifact-download", args=[release.candidate.artifacts.public().get().pk])
    client = browser(team.steward)
    client.raise_request_exception = False
    with away():
        answer = client.get(address)
    assert answer.status_code == 503
    assert AWAY in answer.content.decode()
    assert not Artifact.objects.damaged().exists()
    assert client.get(address).status_code == 200


def test_a_job_waits_for_the_store(team: Team) -> None:
    version = factories.upload(team)
    with away():
        runner.perform("reading", str(version.readings.get().pk))
    reading = version.readings.get()
    assert (reading.state, reading.attempts) == (JobState.QUEUED, 0)


def test_what_is_destroyed_meanwhile_is_removed_later() -> None:
    blob = factories.store(b"x", storage.create_key(), "raw")
    with away():
        storage._remove(blob.path)
    storage.destroy_blob(blob)
    assert storage.sweep(grace_seconds=0) == 1
