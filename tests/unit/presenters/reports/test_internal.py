"""The internal report: everything that is known of a run, and the votes that its reader may know."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from stewardapp.access.workflow import State
from stewardapp.presenters.reports.internal import internal_paper
from stewardapp.presenters.reports.parts import Paper
from stewardapp.presenters.reports.replay import replay_of
from stewardapp.reads.releases import votes_seen
from tests import factories

pytestmark = pytest.mark.django_db


@pytest.fixture
def run(tmp_path: Path, settings: Any) -> Any:
    settings.STEWARD_DATA = tmp_path
    release = factories.make_release(factories.make_project(), state=State.PUBLISHED)
    return release.candidate


def paper_of(run: Any) -> Paper:
    seen = factories.seen(run)
    return internal_paper(seen, votes_seen(run.release, run.started_by), replay_of(seen))


def test_it_says_which_run_on_which_data(run: Any) -> None:
    told = set(paper_of(run).texts())
    assert {run.manifest_sha256, run.recipe_sha256, run.stated["input_sha256"]} <= told
    assert {one.sha256 for one in run.artifacts.all()} <= told


def test_votes_stand_with_their_reasons(run: Any) -> None:
    (vote,) = run.release.reviews.all()
    assert {vote.reviewer.display_name, vote.reason, "Approve"} <= set(paper_of(run).texts())
    seen = factories.seen(run)
    assert vote.reason not in set(internal_paper(seen, [], replay_of(seen)).texts())


def test_what_was_measured_afterwards_says_so(run: Any) -> None:
    factories.make_assessment(run)
    titles = [one.title for part in paper_of(run).sections for one in part.inner]
    assert "Marginals, measured afterwards" in titles


def test_both_sides_of_a_figure_are_told(run: Any) -> None:
    heads = [part.headers for section in paper_of(run).sections for one in section.inner for part in one.parts
             if hasattr(part, "headers")]  # fmt: skip
    assert ("Figure", "Before", "After", "How to read it") in heads
