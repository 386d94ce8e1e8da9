"""A run before somebody: each thing is asked once, what is out beside it once for all runs of a release."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from stewardapp.access.workflow import State
from stewardapp.reads.releases import Seen
from stewardapp.reads.runs import SeenRun
from tests import factories
from tests.factories import Team

pytestmark = pytest.mark.django_db
PRAM = {"goals": [], "steps": [{"method": "pram", "params": {"column": "illness"}}]}
DRAWN = {"local_epsilon": 1.0, "draws": "a"}


@pytest.fixture
def team(db: None, tmp_path: Path, settings: Any) -> Team:
    """A project that lets randomized answers out."""
    settings.STEWARD_DATA = tmp_path
    return factories.make_project()


def test_what_is_out_is_asked_once_for_all_runs_of_a_release(team: Team) -> None:
    release = factories.make_release(team, recipe=PRAM)
    runs = [factories.make_succeeded_run(release, steps=[DRAWN]) for _ in range(3)]
    seen = Seen(release, team.steward)
    with CaptureQueriesContext(connection) as asked:
        for run in runs:
            run.release = release
            one = SeenRun(run, seen)
            assert [added.column for added in one.added_up] == ["illness"]
            assert one.facts.local == tuple(added.facts() for added in one.added_up)
    assert sum("published_at" in one["sql"] for one in asked.captured_queries) == 1


def test_a_run_that_draws_nothing_asks_for_nothing_that_is_out(team: Team) -> None:
    run = factories.make_succeeded_run(factories.make_release(team))
    one = SeenRun(run, Seen(run.release, team.steward))
    with CaptureQueriesContext(connection) as asked:
        assert (one.added_up, one.averaged_with) == ((), ())
    assert len(asked) == 0


def test_only_public_files_leave(team: Team) -> None:
    run = factories.make_release(team, state=State.IN_REVIEW).candidate
    assert run is not None
    one = factories.seen(run)
    assert {file.name for file in one.files_to_leave()} < {file.name for file in one.files()}
    assert all(file.public for file in one.files_to_leave())
