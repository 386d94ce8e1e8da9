"""Bookmarks are for the whole team; a second one of a combination changes its note."""

from __future__ import annotations

import pytest

from stewardapp.access.verdict import Invalid, NotAllowed
from stewardapp.actions import bookmarks
from stewardapp.models import AuditEvent, Bookmark, Run
from stewardapp.models.bookmark import MOST
from tests import factories
from tests.factories import Team

pytestmark = pytest.mark.django_db


@pytest.fixture
def team() -> Team:
    return factories.make_project()


@pytest.fixture
def run(team: Team) -> Run:
    return factories.make_succeeded_run(factories.make_release(team))


def test_the_note_is_changed_and_never_in_the_log(team: Team, run: Run) -> None:
    factories.make_bookmark(run)
    one = factories.make_bookmark(run, note=" Better. ", by=team.reviewer)
    assert [(it.note, it.kept_by) for it in Bookmark.objects.all()] == [("Better.", team.reviewer)]
    told = [event.details for event in AuditEvent.objects.about(one)]
    assert told == [{"run": str(run.pk), "step": 0, "node": "1-1"}] * 2


def test_no_more_than_can_be_read_side_by_side(run: Run) -> None:
    for level in range(MOST):
        factories.make_bookmark(run, node=f"0-{level}")
    factories.make_bookmark(run, node="0-0", note="Again.")
    with pytest.raises(Invalid, match="side by side"):
        factories.make_bookmark(run, node="1-1")
    bookmarks.keep(run=run, step=1, node="1-1", by=run.started_by)
    with pytest.raises(Invalid, match="longer"):
        factories.make_bookmark(run, node="0-0", note="x" * 501)


def test_whoever_does_not_see_the_run_bookmarks_nothing(team: Team, run: Run) -> None:
    with pytest.raises(NotAllowed):
        factories.make_bookmark(run, by=team.analyst)
    one = factories.make_bookmark(run)
    with pytest.raises(NotAllowed):
        bookmarks.remove(bookmark=one, by=team.analyst)
    bookmarks.remove(bookmark=one, by=team.reviewer)
    assert not Bookmark.objects.exists()
