"""The external report: which publication, what holds, what may be said of risk; nothing of any input."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from stewardapp.access.workflow import State
from stewardapp.presenters.reports.external import external_paper
from stewardapp.presenters.reports.parts import Audience
from tests import factories
from tests.unit.presenters.reports.sheets import chart

pytestmark = pytest.mark.django_db


@pytest.fixture
def release(tmp_path: Path, settings: Any) -> Any:
    settings.STEWARD_DATA = tmp_path
    return factories.make_release(factories.make_project(), state=State.PUBLISHED)


def test_a_publication_is_named_with_its_hashes(release: Any) -> None:
    run = release.candidate
    paper = external_paper(factories.seen(run))
    told = set(paper.texts())
    assert paper.audience == Audience.EXTERNAL
    assert {str(release.public_id), run.recipe_sha256, release.purpose} <= told
    assert {one["sha256"] for one in run.stated["artifacts"] if one["public"]} <= told
    assert not {one["sha256"] for one in run.stated["artifacts"] if not one["public"]} & told
    assert run.stated["input_sha256"] not in told


def test_a_draft_says_that_it_is_one(release: Any) -> None:
    other = factories.make_succeeded_run(factories.make_release(factories.make_project()))
    assert "not yet: this is what would be published" in set(external_paper(factories.seen(other)).texts())
    assert "not yet: this is what would be published" not in set(
        external_paper(factories.seen(release.candidate)).texts()
    )


def test_a_warning_and_a_drawn_table_are_told_where_there_are_some(release: Any) -> None:
    seen = factories.seen(release.candidate)
    plain = set(external_paper(seen).texts())
    full = set(external_paper(seen, mixed="Two kinds.", histogram=chart()).texts())
    assert {"Two kinds.", "The table", "A chart"} <= full - plain
