"""Something is demanded while somebody approves, twice at once, or of data that are being destroyed.

Whoever comes first wins, and the other is told why. Each race has a control without the lock that must go
wrong.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from typing import Any
from unittest import mock

import pytest
from django.db import connection

from stewardapp.access.workflow import transition
from stewardapp.actions import assessments, reviews, versions
from stewardapp.models import Assessment, Release, Run
from tests import factories
from tests.integration.test_races import postgres_site
from tests.integration.test_vote_races import PATIENCE, alone
from tests.site import Site

__all__ = ["postgres_site"]
Patched = tuple[Any, str]


def fresh(row: Any) -> Any:
    """The row as it is, locked by nobody."""
    return type(row)._default_manager.get(pk=row.pk)


def blind(release: Release, name: str, **values: Any) -> None:
    """A move that asks nothing."""
    Release.objects.filter(pk=release.pk).update(state=transition(name).target, **values)
    release.refresh_from_db()


@contextmanager
def without_locks() -> Iterator[None]:
    """Nobody waits for anybody, and no update looks at what the row was."""
    with ExitStack() as stack:
        for module in (assessments, reviews, versions):
            stack.enter_context(mock.patch.object(module, "locked", fresh))
        stack.enter_context(mock.patch.object(reviews, "move", blind))
        for name in ("hold_inputs", "change"):
            stack.enter_context(mock.patch.object(assessments, name))
        yield


def race(rule: Patched, first: Callable[[], Any], second: Callable[[], Any], *, locked: bool) -> list[bool]:
    """The first has looked when the second begins, and waits a while for its end; who was let do it."""
    looked, ended = threading.Event(), threading.Event()
    module, name = rule
    own = getattr(module, name)

    def looking(*args: Any, **kwargs: Any) -> Any:
        verdict = own(*args, **kwargs)
        if not looked.is_set():
            looked.set()
            ended.wait(PATIENCE)
        return verdict

    def following() -> None:
        assert looked.wait(30)
        try:
            second()
        finally:
            ended.set()

    with ExitStack() as stack:
        stack.enter_context(mock.patch.object(module, name, looking))
        if not locked:
            stack.enter_context(without_locks())
        pool = stack.enter_context(ThreadPoolExecutor(2))
        found = [pool.submit(alone, one) for one in (first, following)]
        return [one.result(60) for one in found]


def candidate_of(release: Release) -> Run:
    assert release.candidate is not None
    return release.candidate


@pytest.mark.postgres
def test_nothing_is_demanded_of_what_was_approved_at_that_moment(postgres_site: Site) -> None:
    for locked in (True, False):
        team = factories.make_project()
        release = factories.make_release(team, state="in-review")
        said = {"manifest_sha256": release.candidate_sha256, "decision": "approve", "reason": "Read."}
        run = candidate_of(release)

        def approve(said: Any = said, release: Release = release, team: Any = team) -> None:
            reviews.decide(release=release, by=team.reviewer, **said)

        def demand(run: Run = run, team: Any = team) -> None:
            assessments.demand(run=run, measures=[factories.ASKED], by=team.second_reviewer)

        won = race((reviews, "may_decide"), approve, demand, locked=locked)
        release.refresh_from_db()
        open_ = Assessment.objects.open_demands().filter(run=run).exists()
        wrong = release.state == "approved" and open_
        assert (won, wrong) == ([True, locked is False], not locked), "without the lock it has to go wrong"


@pytest.mark.postgres
def test_nobody_approves_what_something_is_demanded_of_at_that_moment(postgres_site: Site) -> None:
    for locked in (True, False):
        team = factories.make_project()
        release = factories.make_release(team, state="in-review")
        said = {"manifest_sha256": release.candidate_sha256, "decision": "approve", "reason": "Read."}
        run = candidate_of(release)

        def approve(said: Any = said, release: Release = release, team: Any = team) -> None:
            reviews.decide(release=release, by=team.reviewer, **said)

        def demand(run: Run = run, team: Any = team) -> None:
            assessments.demand(run=run, measures=[factories.ASKED], by=team.second_reviewer)

        won = race((assessments, "may_demand"), demand, approve, locked=locked)
        release.refresh_from_db()
        assert (won, release.state == "approved") == ([True, not locked], not locked)


@pytest.mark.postgres
def test_the_same_is_demanded_once(postgres_site: Site) -> None:
    for kept in (True, False):
        if not kept:
            with connection.schema_editor() as editor:
                editor.execute("DROP INDEX assessment_once_at_a_time")
        team = factories.make_project()
        run = candidate_of(factories.make_release(team, state="in-review"))

        def demand(by: Any, run: Run = run) -> Callable[[], Any]:
            return lambda: assessments.demand(run=run, measures=[factories.ASKED], by=by)

        won = race(
            (assessments, "may_demand"), demand(team.reviewer), demand(team.second_reviewer), locked=kept
        )
        assert won.count(True) == Assessment.objects.filter(run=run).count() == (1 if kept else 2)


@pytest.mark.postgres
def test_data_that_are_measured_are_not_destroyed_at_that_moment(postgres_site: Site) -> None:
    for locked in (True, False):
        team = factories.make_project()
        run = factories.make_succeeded_run(factories.make_release(team))
        version = run.release.version

        def ask(run: Run = run, team: Any = team) -> None:
            assessments.ask(run=run, measures=[factories.ASKED], by=team.steward)

        def destroy(version: Any = version, team: Any = team) -> None:
            versions.destroy(version=version, reason="Asked for.", by=team.steward)

        won = race((Assessment, "save"), ask, destroy, locked=locked)
        version.refresh_from_db()
        assert won == [True, not locked]
        assert (version.destroyed_at is None) is locked
