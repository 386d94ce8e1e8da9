"""Somebody starts a run at the very moment at which another reading of the same bytes ends.

The table of an earlier reading is destroyed when nothing names it: a run that is about to name it keeps it.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from typing import Any
from unittest import mock

import pytest
from django.db import connection

from stewardapp.actions import readings, runs
from stewardapp.models import Release, Run
from tests import factories
from tests.integration.test_races import postgres_site
from tests.site import Site

__all__ = ["postgres_site"]
PATIENCE = 1.0  # how long the run waits for the reading, which a lock makes wait for the run


def alone(call: Callable[[], Any]) -> Any:
    """On a connection of this thread."""
    try:
        return call()
    finally:
        connection.close()


def race(release: Release, *, locked: bool) -> Run:
    """The run has put its recipe together when the reading ends."""
    readings.start(version=release.version, by=release.author)
    looked, ended = threading.Event(), threading.Event()

    def looking(*asked: Any) -> Any:
        found = measured(*asked)
        looked.set()
        ended.wait(PATIENCE)
        return found

    def reading() -> None:
        assert looked.wait(30)
        factories.read(release.version, content=factories.unique("table").encode())
        ended.set()

    measured = runs.measured_for
    with ExitStack() as stack:
        stack.enter_context(mock.patch.object(runs, "measured_for", looking))
        if not locked:
            stack.enter_context(mock.patch.object(runs, "hold_inputs"))
        pool = stack.enter_context(ThreadPoolExecutor(2))
        started = pool.submit(alone, lambda: runs.start(release=release, by=release.author))
        pool.submit(alone, reading).result(60)
        return Run.objects.select_related("reading__table").get(pk=started.result(60).pk)


def has_its_table(run: Run) -> bool:
    table = run.reading.table
    return table is not None and table.destroyed_at is None


@pytest.mark.postgres
def test_no_run_begins_on_a_table_that_is_going(postgres_site: Site) -> None:
    for locked in (True, False):
        run = race(factories.make_release(factories.make_project()), locked=locked)
        assert has_its_table(run) is locked, "without the lock it has to go wrong"


def test_on_sqlite_one_waits_for_the_other(embedded_site: Site) -> None:
    assert has_its_table(race(factories.make_release(factories.make_project()), locked=True))
