"""A run draws with keys made of its own, of its version's, and of the project's where it has one."""

from __future__ import annotations

import pytest

from stewardapp import storage
from stewardapp.actions import project_keys
from tests import factories
from worker.process.drawing import drawn_with
from worker.process.keys import randomness, shared_randomness

pytestmark = pytest.mark.django_db


def test_the_same_keys_every_time_and_others_for_another_run() -> None:
    team = factories.make_project()
    run, other = (factories.make_run(factories.make_release(team)) for _ in range(2))
    keys = drawn_with(run)
    assert (
        keys
        == drawn_with(run)
        == {
            "key": randomness(storage.key_bytes(run.key)).hex(),
            "version_key": shared_randomness(storage.key_bytes(run.reading.version.key)).hex(),
        }
    )
    assert keys["key"] != drawn_with(other)["key"]


def test_the_key_of_the_project_goes_along() -> None:
    team = factories.make_project()
    run = factories.make_run(factories.make_release(team))
    run.project_key = project_keys.create(project=team.project, by=team.steward)
    assert drawn_with(run)["project_key"] == storage.key_bytes(run.project_key.key).hex()
