"""A run before somebody: each thing is asked once, what is out beside it once for all runs of a release."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from stewardapp.access.workflow import State
from stewardapp.models import Run
from stewardapp.reads.releases import Seen
from stewardapp.reads.runs import PLACES, SeenRun, reordered
from tests import factories
from tests.factories import Team
from worker.process.outputs import BESIDE

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


def kept(run: Run, places: bytes) -> Run:
    """The run as if it had kept where its rows stood."""
    run.kept.set([factories.store(places, run.key, BESIDE)])
    return run


def test_rows_stand_alike_where_the_file_or_their_places_are_the_same(team: Team) -> None:
    assert PLACES == BESIDE
    release = factories.make_release(team)
    first, same = (kept(factories.make_succeeded_run(release), places) for places in (b"12", b"21"))
    moved = kept(factories.make_succeeded_run(release, content=b"age\n30\n40\n"), b"21")
    told = [reordered(*pair) for pair in ((first, same), (first, moved), (same, moved), (first, first))]
    assert told == [False, True, False, False]
    old, older = (factories.make_succeeded_run(release, content=text) for text in (b"a\n5\n", b"a\n6\n"))
    assert reordered(old, older), "nobody kept where they stood"
    assert reordered(first, old)
    assert not reordered(first, factories.make_table_run(release))


def test_what_is_kept_beside_is_no_file_of_the_release(team: Team) -> None:
    run = kept(factories.make_succeeded_run(factories.make_release(team)), b"12")
    one = factories.seen(run)
    assert [blob.purpose for blob in one.kept_beside()] == [BESIDE]
    assert BESIDE not in {file.name for file in one.files()}
