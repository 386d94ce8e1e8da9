"""A draft reads its columns once, and knows what its page needs of runs and trials."""

from __future__ import annotations

import uuid
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from stewardapp.domain.recipe import recipe_of
from stewardapp.reads.drafts import Draft
from tests import factories
from tests.factories import Team

pytestmark = pytest.mark.django_db


@pytest.fixture
def team(db: None, tmp_path: Path, settings: Any) -> Team:
    """A project."""
    settings.STEWARD_DATA = tmp_path
    return factories.make_project()


def test_columns_are_asked_for_once_whatever_is_told_of_them(team: Team) -> None:
    release = factories.make_release(team)
    whole = recipe_of(release)
    draft = Draft(release)
    with CaptureQueriesContext(
        connection,
    ) as asked:
        assert draft.recipe == whole
        assert [one.name for one in draft.tagged] == list(whole["columns"])
        assert draft.untagged == len(draft.columns) - len(draft.tagged)
        assert draft.column("age") is not None
        assert draft.column(None) is None
    assert len(asked) == 1


def test_only_a_run_of_this_release_is_found(team: Team) -> None:
    release, other = factories.make_release(team), factories.make_release(team)
    run, stranger = factories.make_succeeded_run(release), factories.make_succeeded_run(other)
    draft = Draft(release)
    assert draft.run(str(run.pk)) == run
    assert [draft.run(id) for id in (str(stranger.pk), str(uuid.uuid4()), "no id", None)] == [None] * 4
    assert draft.last_success() == run


def test_what_somebody_else_tried_is_not_shown(team: Team) -> None:
    release = factories.make_release(team)
    preview = factories.make_preview(release)
    assert Draft(release).previews(team.steward) == {str(preview.pk): preview}
    assert Draft(release).previews(factories.make_project().steward) == {}
